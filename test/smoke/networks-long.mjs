// 1,000 rows through a proxy, with a private authority and a client certificate, on each Node that remit supports:
//   npm run long:networks [-- 20 24]
import {VERSIONS, binaryOf} from '../../bin/nodes.mjs';
import {payThroughProxy} from './networks.ts';

const ROWS = 1_000;
const wanted = process.argv.slice(2);
const chosen = VERSIONS.filter(
  (version) =>
    wanted.length === 0 || wanted.some((major) => version === major || version.startsWith(`${major}.`)),
);

for (const version of chosen) {
  const binary = await binaryOf(version);
  if (binary.path === undefined) {
    console.log(`Node ${version}: ${binary.missing}`);
    process.exitCode = 1;
  } else console.log(`Node ${version}: ${await payThroughProxy(binary.path, ROWS)}`);
}
