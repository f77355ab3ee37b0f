// What the crash tests of stores and of batches share: the program that is killed, and several of them at a time.
import {existsSync, symlinkSync} from 'node:fs';
import {dirname, join} from 'node:path';
import type {Plugin} from 'esbuild';
import {ROOT} from '../../repo/tree.ts';

/** Bundles `source` with all it imports, except for the WASM driver, which it finds in a link to the packages. */
export async function bundleVictim(
  source: string,
  program: string,
  plugins: readonly Plugin[] = [],
): Promise<string> {
  const {build} = await import('esbuild');
  await build({
    entryPoints: [source],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['node-sqlite3-wasm'],
    plugins: [...plugins],
    logLevel: 'error',
  });
  const modules = join(dirname(program), 'node_modules');
  if (!existsSync(modules)) symlinkSync(join(ROOT, 'node_modules'), modules, 'junction');
  return program;
}

/** Runs `work` for each item, `width` at a time; stops at the first failure. */
export async function inTurns<T>(
  items: Iterable<T>,
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = items[Symbol.iterator]();
  const worker = async () => {
    for (let next = waiting.next(); next.done !== true; next = waiting.next()) await work(next.value);
  };
  await Promise.all(Array.from({length: width}, worker));
}
