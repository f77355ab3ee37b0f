// Takes the types off `.ts` files. What a file of the project becomes is kept until the file changes. Nothing else is done for
// TypeScript: imports name files in full, and functions get no names when they are created, which costs tests a sixth more.
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, renameSync, statSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {basename, join, relative} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const CACHE = join(root, 'node_modules', '.cache', 'remit-typescript');
let esbuild;

/** A hook of Node's module loader. */
export function load(url, context, next) {
  if (!url.startsWith('file:') || !/\.ts(?:\?.*)?$/.test(url)) return next(url, context);
  const path = fileURLToPath(url);
  const text = readFileSync(path, 'utf8');
  const source = relative(root, path).startsWith('..') ? compile(path, text) : compiled(path, text, CACHE);
  return {format: 'module', source, shortCircuit: true};
}

export function compiled(path, text, folder) {
  const at = placeOf(path, folder);
  const mark = markOf(text);
  const kept = read(at);
  if (kept?.endsWith(mark)) return kept;
  const code = compile(path, text) + mark;
  keep(at, code, folder);
  return code;
}

/** Compiles what has changed of many files, all at the same time: one by one as they are loaded, that takes ten times longer. */
export async function compileAll(paths, folder = CACHE) {
  const changed = paths.filter((path) => !(modified(placeOf(path, folder)) > modified(path)));
  await Promise.all(
    changed.map(async (path) => {
      const text = readFileSync(path, 'utf8');
      const {code} = await compiler().transform(text, settingsFor(path));
      keep(placeOf(path, folder), code + markOf(text), folder);
    }),
  );
}

const placeOf = (path, folder) => join(folder, `${relative(root, path).replace(/[/\\]/g, '+')}.mjs`);
const markOf = (text) => `\n// ${createHash('sha256').update(text).digest('hex')}\n`;
const modified = (path) => statSync(path, {throwIfNoEntry: false})?.mtimeMs;

const compiler = () => (esbuild ??= createRequire(import.meta.url)('esbuild'));
const settingsFor = (path) => ({
  ...{loader: 'ts', format: 'esm', target: 'node20'},
  ...{sourcemap: 'inline', sourcesContent: false, sourcefile: basename(path)},
});
const compile = (path, text) => compiler().transformSync(text, settingsFor(path)).code;

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // not compiled yet
  }
}

function keep(path, code, folder) {
  try {
    mkdirSync(folder, {recursive: true});
    const draft = `${path}.${process.pid}`; // other processes may be reading it
    writeFileSync(draft, code);
    renameSync(draft, path);
  } catch {
    // Without the cache, the file is compiled each time.
  }
}
