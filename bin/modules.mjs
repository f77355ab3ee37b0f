// esbuild plugin: each ES module of the bundle is a function of its own, which runs when something of it is first used.
//
// esbuild alone joins ES modules into one scope. V8 then creates all their functions at each start, whatever the
// command, and its code cache holds all of them: 0.8 MB that no command needs.
import {readFileSync} from 'node:fs';
import {createRequire, isBuiltin} from 'node:module';
import {dirname, extname, join, posix, relative, sep} from 'node:path';
import {transform} from 'esbuild';
import {root} from './commands.mjs';
import {makeLazy} from './lazy-requires.mjs';

/** esbuild sees them under other names: by their own, and by package.json, it would know that they are ES modules. */
const NAMESPACE = 'module';
const SUFFIX = '.js';
export const ownName = (text) => text.replaceAll(/"module:([^"]*)\.js"/g, '"$1"');
const RESOLVING = Symbol('resolving');

/**
 * @param options which part of the bundle this is; `partOf` says to which one a file of ours belongs, or a package that it
 *   imports. What belongs to another part is required from that, and added to what is `wanted` of it.
 */
export function modules({part, partOf, wanted}) {
  return {
    name: 'modules',
    setup(plugin) {
      plugin.onResolve({filter: /^[^\0]/}, async ({path, pluginData, ...from}) => {
        if (pluginData === RESOLVING || isBuiltin(path)) return undefined;
        const name = nameIn(path, from);
        const its = name === undefined ? part : partOf(name);
        if (its !== part) {
          wanted[its].add(name);
          return {path: `${OTHER}${its}:${name}`, external: true};
        }
        const isRelative = /^\.\.?\//.test(path);
        if (isInCommonJs(from)) return isRelative ? undefined : required(path, from.importer);
        if (isRelative && /\.[jt]s$/.test(path)) return found(join(from.resolveDir, path)); // most of them
        const resolved = await plugin.resolve(path, {...from, pluginData: RESOLVING});
        const isFile = resolved.errors.length === 0 && !resolved.external && resolved.namespace === 'file';
        return isFile && isModule(resolved.path) ? found(resolved.path) : resolved;
      });
      plugin.onLoad({filter: /./, namespace: NAMESPACE}, async ({path: named}) => {
        const path = named.slice(0, -SUFFIX.length);
        return {contents: await convertedAt(path), resolveDir: dirname(join(root, path))};
      });
    },
  };
}

/**
 * What files of ours take from each part, so that few parts need to be bundled again. What packages take is not in it.
 * @param entries paths of files of ours
 */
export async function wantedBy(entries, {partOf, wanted}) {
  const seen = new Set(entries);
  const visit = async (path) => {
    const code = await convertedAt(path);
    const names = [...code.matchAll(/\brequire\("([^"]+)"\)/g)]
      .filter(([, name]) => !isBuiltin(name))
      .map(([, name]) => (name.startsWith('.') ? posix.join(posix.dirname(path), name) : name));
    for (const name of names) if (partOf(name) !== partOf(path)) wanted[partOf(name)].add(name);
    const ours = names.filter((name) => /^src\/.*\.ts$/.test(name) && !seen.has(name));
    for (const name of ours) seen.add(name);
    await Promise.all(ours.map(visit));
  };
  await Promise.all(entries.map(visit));
}

/** By path; each file is in a bundle several times, until all parts are known. */
const converted = new Map();

function convertedAt(path) {
  if (!converted.has(path)) converted.set(path, convert(path, join(root, path)));
  return converted.get(path);
}

async function convert(path, file) {
  const contents = await asCommonJs(readFileSync(file, 'utf8'), extname(path) === '.ts' ? 'ts' : 'js');
  return path.startsWith('src/') ? makeLazy(withValues(contents), /^import_/) : contents;
}

const EXPORTS = /^var module_exports = \{\};\n\$export\(exports, \{\n([^]*?)\n\}\);\n/m;

/**
 * A module of ours exports its values when it has run, instead of a function for each of them before it runs: a test
 * forbids import cycles, so that no other module can ask earlier. Left as they are: modules with a variable that may be
 * assigned later, and those that pass on what another module exports, since that one is loaded when it is first used.
 * Exported for its test.
 */
export function withValues(code) {
  const [text, lines] = EXPORTS.exec(code) ?? [];
  if (text === undefined || code.includes('$exportAll(')) return code;
  const values = lines.split('\n').map((line) => /^ {2}(\w+): \(\) => (\w+),?$/.exec(line)?.slice(1));
  const isFixed = (one) => one !== undefined && !new RegExp(`^(?:let|var) ${one[1]}\\b`, 'm').test(code);
  if (!values.every(isFixed)) return code;
  return `${code.replace(text, '')}
module.exports = {${values.map(([name, local]) => `${name}: ${local}`).join(', ')}, [$module]: true};
`;
}

/** Of a file of ours its path, of a package that one of ours imports its name, of what oclif requires the path. */
function nameIn(path, {importer, namespace, resolveDir}) {
  if (/node_modules[\\/]@oclif[\\/]core[\\/]/.test(importer)) return pathIn(required(path, importer)?.path);
  if (namespace === NAMESPACE ? importer.startsWith('node_modules/') : importer.includes('node_modules'))
    return undefined;
  return path.startsWith('.') ? pathIn(join(resolveDir, path)) : path;
}

const pathIn = (file) => file && relative(root, file).split(sep).join('/');

/** Node or the launcher loads each part once. */
const OTHER = 'other-part:';
export const asCalls = (code) =>
  code.replaceAll(/\brequire\("other-part:(\w+):([^"]+)"\)/g, 'require("./$1.cjs").take("$2")');

const isInCommonJs = ({importer, namespace}) => namespace === 'file' && importer.includes('node_modules');

/** What a require() of a package names, which may be another file than an import of it; esbuild is told to take the latter. */
function required(path, importer) {
  try {
    return {path: createRequire(importer).resolve(path)};
  } catch {
    return undefined; // an optional one that is not installed
  }
}

const found = (file) =>
  isModule(file)
    ? {path: `${relative(root, file).split(sep).join('/')}${SUFFIX}`, namespace: NAMESPACE}
    : {path: file, namespace: 'file'};

/** Exported for its test. */
export async function asCommonJs(source, loader) {
  const {code} = await transform(source, {
    loader,
    sourcefile: 'module.mts', // Node's rules for what a default import is
    format: 'cjs',
    target: 'node20',
    supported: {'dynamic-import': false}, // becomes require(): a script that runs from V8's code cache cannot import()
    define: {'import.meta.url': '__importMeta.url'},
    legalComments: 'inline',
  });
  return sharedHelpers(code);
}

/** Node's rules: the extension, otherwise the nearest package.json. */
function isModule(path) {
  if (/\.m[jt]s$/.test(path)) return true;
  return /\.[jt]s$/.test(path) && typeOf(dirname(path)) === 'module';
}

const types = new Map();

function typeOf(folder) {
  if (!types.has(folder)) types.set(folder, ownType(folder) ?? typeOf(dirname(folder)));
  return types.get(folder);
}

function ownType(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).type ?? 'commonjs';
  } catch (error) {
    if (error.code !== 'ENOENT') throw error;
    return folder === dirname(folder) ? 'commonjs' : undefined;
  }
}

/**
 * What esbuild writes into each module, once, for the head of the bundle. A module of this form is its own namespace;
 * everything else gets one when it is imported.
 */
export const HELPERS = `
const $module = Symbol.for('remit module');
const $copy = (to, from, except) => {
  for (const name of Object.getOwnPropertyNames(from))
    if (name !== except && !Object.hasOwn(to, name))
      Object.defineProperty(to, name, {get: () => from[name], enumerable: true});
  return to;
};
const $export = (to, getters) => {
  to[$module] = true;
  Object.defineProperty(to, '__esModule', {value: true});
  for (const name in getters) Object.defineProperty(to, name, {get: getters[name], enumerable: true});
};
const $exportAll = (to, from) => $copy(to, from, 'default');
const $import = (from) =>
  from[$module] ? from : Object.create(from, {default: {value: from, enumerable: true}});
`;

const OWN_HELPER =
  /^var __(?:create|defProp|getOwnPropDesc|getOwnPropNames|getProtoOf|hasOwnProp|export|copyProps|reExport|toESM|toCommonJS) = [^]*?;\n(?=[^\s})])/;

function sharedHelpers(code) {
  let text = code;
  while (OWN_HELPER.test(text)) text = text.replace(OWN_HELPER, '');
  return text
    .replace(/^__export\(\w+_exports, /m, '$$export(exports, ')
    .replace(/^module\.exports = __toCommonJS\(\w+_exports\);$/m, '')
    .replaceAll(/^__reExport\(\w+_exports, (.*), module\.exports\);$/gm, '$$exportAll(exports, $1);')
    .replaceAll(/\b__toESM\((require\("[^"]*"\)), 1\)/g, '$$import($1)');
}
