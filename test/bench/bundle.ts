import {mkdirSync} from 'node:fs';
import {basename, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const FOLDER = fileURLToPath(new URL('../../node_modules/.cache/remit-bench', import.meta.url)); // where packages are found

/**
 * Bundles a program of a benchmark, a file of this folder, as the product is bundled: nothing is compiled while it is
 * measured. The path of the bundle.
 */
export async function bundle(file: string): Promise<string> {
  mkdirSync(FOLDER, {recursive: true});
  const outfile = join(FOLDER, `${basename(file, '.ts')}-${process.pid}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(file, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    packages: 'external',
    minifySyntax: true, // flattens objects that are written with spreads
    logLevel: 'warning',
  });
  return outfile;
}
