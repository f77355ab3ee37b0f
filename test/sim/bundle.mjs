// Bundles the simulation with the engine of this tree into one CommonJS file, so that nothing loads while a world lives
// and node:fs can be replaced under it. Returns the path of the bundle.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';

export async function bundleSimulation(root) {
  const folder = join(root, 'node_modules', '.cache', 'remit-sim');
  mkdirSync(folder, {recursive: true});
  const outfile = join(folder, `sim-${process.pid}.cjs`);
  await build({
    entryPoints: [join(root, 'test', 'sim', 'main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    supported: {'dynamic-import': false}, // each becomes a require: loading takes no turn of the event loop
    packages: 'external',
    logLevel: 'warning',
    sourcemap: 'inline',
  });
  return outfile;
}
