import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {type Patch, patching} from '../batch/crash/patches.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** A program in which worlds live; `remove` deletes it. */
export interface Program {
  path: string;
  /** Of engine and simulation: schedules that were lived through under the same one are of one tree. */
  digest: string;
  /** Of the engine alone. */
  engineDigest: string;
  remove(): void;
}

/**
 * Bundles the simulation with the engine of this tree into one CommonJS file, so that nothing loads while a world lives
 * and node:fs can be replaced under it. `mutant` breaks the engine in it.
 */
export async function bundleSimulation(mutant: readonly Patch[] = []): Promise<Program> {
  const {build} = await import('esbuild');
  const folder = join(ROOT, 'node_modules', '.cache', 'remit-sim'); // where packages are found
  mkdirSync(folder, {recursive: true});
  const path = join(folder, `sim-${process.pid}-${nextNumber++}.cjs`);
  await build({
    entryPoints: [join(ROOT, 'test', 'sim', 'main.ts')],
    outfile: path,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    supported: {'dynamic-import': false}, // each becomes a require: loading takes no turn of the event loop
    packages: 'external',
    plugins: [patching(mutant)],
    logLevel: 'warning',
    sourcemap: 'inline',
  });
  const code = readFileSync(path, 'utf8').split('\n//# sourceMappingURL=')[0]!;
  const modules = code.split(/^\/\/ (?=(?:src|test)\/)/m); // the bundler heads each with its path
  const engine = modules.filter((module) => module.startsWith('src/')).sort();
  return {
    path,
    digest: digestOf(code),
    engineDigest: digestOf(engine.join('')),
    remove: () => rmSync(path, {force: true}),
  };
}

let nextNumber = 1;

const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 12);
