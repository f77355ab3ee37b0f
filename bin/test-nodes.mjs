// Runs the tests on each Node that remit supports, one line for each:
//   npm run test:nodes                  the whole suite on every Node
//   npm run test:nodes -- --smoke       only the spawned smoke tests without sweeps and checks of types, only on the newest
//   npm run test:nodes -- --node 24     one of them
import {delimiter, dirname, join} from 'node:path';
import {parseArgs} from 'node:util';
import {VERSIONS, binaryOf, start} from './nodes.mjs';
import {environmentForNpm} from './setup/npm.mjs';

/** Runs mocha under that Node, which is also the `node` of whatever the tests spawn by name. */
async function testOn(binary, specs) {
  const began = performance.now();
  const env = {...environmentForNpm(), PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}`};
  const {status, output} = await start({
    command: binary,
    args: [join('node_modules', 'mocha', 'bin', 'mocha.js'), ...specs],
    env,
  });
  const summary = output.match(/^\d+ passed, \d+ failed(?:, \d+ skipped)?$/gm)?.at(-1) ?? 'did not finish';
  return {ok: status === 0, output, line: `${summary} (${Math.round((performance.now() - began) / 1000)} s)`};
}

const {values} = parseArgs({options: {smoke: {type: 'boolean'}, node: {type: 'string', multiple: true}}});
const chosen = values.node
  ? VERSIONS.filter((version) =>
      values.node.some((wanted) => version === wanted || version.startsWith(`${wanted}.`)),
    )
  : values.smoke
    ? VERSIONS.slice(-1)
    : VERSIONS;
if (chosen.length === 0) {
  process.stderr.write(`test:nodes: no such Node; there are ${VERSIONS.join(', ')}\n`);
  process.exit(2);
}
const specs = values.smoke
  ? [
      'test/smoke/**/*.test.ts',
      '--ignore',
      'test/smoke/**/*.sweep.test.ts',
      '--grep',
      'has types that',
      '--invert',
    ]
  : ['test/**/*.test.ts'];

for (const version of chosen) {
  const binary = await binaryOf(version);
  if (binary.missing !== undefined) {
    process.stdout.write(`Node ${version}: ${binary.missing}\n`);
    process.stderr.write(binary.output);
    process.exitCode = 1;
    continue;
  }
  const {ok, output, line} = await testOn(binary.path, specs);
  if (!ok) {
    process.stderr.write(output.slice(Math.max(0, output.search(/^ +\d+ passing/m))));
    process.exitCode = 1;
  }
  process.stdout.write(`Node ${version}: ${line}\n`);
}
