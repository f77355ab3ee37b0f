import {readFileSync, readdirSync} from 'node:fs';
import {join, sep} from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Options of Node for a process that runs TypeScript. */
export const WITH_TYPESCRIPT = ['--import', pathToFileURL(join(ROOT, 'bin', 'typescript.mjs')).href];

/** Made by tools, or not ours; everything else in the folder is the project's, whether git knows it yet or not. */
const SKIPPED = new Set(['node_modules', 'dist', 'coverage', '.git', '.remit', '.setup', '.setup.lock']);

/** Paths of the project's files under `folder` (relative to the root, with `/`), sorted. */
export function filesUnder(folder = '.'): string[] {
  const found: string[] = [];
  const walk = (at: string): void => {
    for (const entry of readdirSync(join(ROOT, at), {withFileTypes: true})) {
      if (SKIPPED.has(entry.name) || entry.name.endsWith('.tgz')) continue;
      const path = at === '.' ? entry.name : `${at}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile()) found.push(path);
    }
  };
  walk(folder.split(sep).join('/'));
  return found.sort();
}

export const readText = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
export const readJson = (path: string): unknown => JSON.parse(readText(path));

/** One file as text, so that each check can also be shown a bad one that is not on disk. */
export interface SourceFile {
  path: string;
  text: string;
}

export const sourcesUnder = (folder: string, extension = '.ts'): SourceFile[] =>
  filesUnder(folder)
    .filter((path) => path.endsWith(extension))
    .map((path) => ({path, text: readText(path)}));
