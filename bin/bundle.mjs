// The CLI as one CommonJS file. Commands and heavy packages are in it, but run only when they are first used.
import {createHash} from 'node:crypto';
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';
import {commandFiles, root} from './commands.mjs';
import {framesOf} from './frames.mjs';
import {lazyRequires} from './lazy-requires.mjs';
import {asCalls, HELPERS, modules, ownName, wantedBy} from './modules.mjs';

/** What oclif reads of package.json, inlined so that no start searches for it. */
export function inlinedPackage() {
  const {name, version, description, oclif} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {name, version, description, type: 'commonjs', oclif};
}

/**
 * The command in three parts, each of which names what it takes from the others: `remit.cjs` starts, and has what reading
 * one record or a list runs; `more.cjs` has the rest of the commands of one request, help, and the packages for them;
 * `rest.cjs` has everything else. The last two are loaded when something of them is first used.
 */
const REST = [
  /^src\/(batch|html|reconcile|sandbox|store|team|webhooks)\//,
  /^src\/contract\/openapi\//,
  /^src\/cli\/(batch|demo|doctor|reconcile|sandbox|team|webhooks)\//,
  /^src\/commands\/((payins|payouts)\/batch|sandbox|webhooks|demo|doctor|reconcile)/,
];
const START = [
  /^src\/[\w-]+\.ts$/,
  /^src\/(client\/(answers|reading|requests|transport)|contract\/(operations|origin)|json|money|output|profiles|sanitize)\//,
  /^src\/client\/(client|option-checks)\.ts$/,
  /^src\/(contract|service)\/[\w-]+\.ts$/,
  /^src\/cli\/(core|line|runtime)\//,
  /^src\/cli\/guard\/grants\.ts$/, // every command has a guard at its transport
  /^src\/cli\/(input\/(flags|global-flags|durations|times)|help\/answer-fields|resources\/(lists|reads))\.ts$/,
  /^src\/commands\/(whoami|[\w-]+\/(get|list))\.ts$/,
  /^src\/network\/(local|proxy)\.ts$/,
  /^@oclif\/core$/,
  /^node_modules\/@oclif\/core\/(package\.json|lib\/([\w-]+|config\/(config|index|util)|(errors|interfaces|parser|util)\/.*)\.js)$/,
];
/** In these, what few of the commands need. */
const NOT_AT_START = [
  /^src\/client\/transport\/pool-/,
  /^src\/(nearest\.ts$|output\/(pages\/|records\/(csv|yaml)))/,
  /^node_modules\/@oclif\/core\/lib\/(main|execute|performance|settings)\.js$/,
];
const MORE = [/^src\//, /^node_modules\//, /^(string-width|zod)$/];

const some = (patterns, name) => patterns.some((pattern) => pattern.test(name));

/** The part of a file of ours, of oclif or of what oclif requires, by its path; of another package by its name. */
function partOf(name) {
  if (some(REST, name)) return 'rest';
  if (some(START, name) && !some(NOT_AT_START, name)) return 'remit';
  return some(MORE, name) ? 'more' : 'rest';
}

/** What packages take of each other is only known once they are bundled, and most of it is taken from the start. */
const LAST_FIRST = ['rest', 'more', 'remit'];

/**
 * All parts, each with esbuild's record of what is in it and the legal comments of its files. Without `minify` each
 * module keeps its path as the name of its function, so that a test can see which of them ran.
 */
export async function bundle({minify = true} = {}) {
  const wanted = {remit: new Set(), more: new Set(), rest: new Set()};
  const entries = ['src/cli/core/start.ts', ...commandFiles().map(([, file]) => file)];
  await wantedBy(entries, {partOf, wanted});
  for (const entry of entries) if (partOf(entry) !== 'remit') wanted[partOf(entry)].add(entry);
  const made = {};
  for (;;) {
    const next = LAST_FIRST.find((part) => made[part]?.size !== wanted[part].size);
    if (next === undefined) return Object.keys(wanted).map((part) => made[part].bundled);
    const {size} = wanted[next]; // what others come to want of it later makes it necessary to bundle it again
    const text = next === 'remit' ? startText(wanted[next]) : tableText(wanted[next]);
    made[next] = {size, bundled: await bundlePart(next, text, {part: next, partOf, wanted}, minify)};
  }
}

async function bundlePart(name, contents, part, minify) {
  const file = `dist/${name}.cjs`;
  const result = await build({
    stdin: {contents, resolveDir: root, loader: 'ts', sourcefile: `${name}.ts`},
    absWorkingDir: root,
    bundle: true,
    outfile: file,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // A script that runs from V8's code cache has no way to import(); require it has.
    supported: {'dynamic-import': false},
    minify,
    lineLimit: 1000, // Node prints the line at which an error was thrown
    sourcemap: 'external', // for frames.mjs
    sourcesContent: false,
    legalComments: 'external', // for the file of licences
    metafile: true,
    external: ['node-sqlite3-wasm'], // finds its .wasm beside itself
    define: {'import.meta.url': '__importMeta.url'},
    banner: {
      js: `const __importMeta = {get url() { return require('node:url').pathToFileURL(__filename).href; }};${HELPERS}`,
    },
    plugins: [without, lazyRequires(), modules(part)],
    conditions: ['import'], // what an import statement names, although it is a require() by now,
    logLevel: 'warning',
    logOverride: {'import-is-undefined': 'error'},
  });
  const text = (extension) => result.outputFiles.find(({path}) => path.endsWith(extension))?.text ?? '';
  const finish = (code) => asAscii(asCalls(ownName(code)));
  return {
    file,
    metafile: JSON.parse(ownName(JSON.stringify(result.metafile))),
    code: finish(text('.cjs')),
    frames: () => framesOf({code: text('.cjs'), map: text('.map'), finish}),
    legal: text('.LEGAL.txt'),
  };
}

/**
 * A part as the launcher reads it: the key of its code cache, so that it need not hash the file at each start, then the
 * function that Node would make of a module. `require` can load the file as well.
 */
export function asFile(code) {
  const key = createHash('sha256').update(code).digest('hex').slice(0, 32);
  const start = `(f => this === globalThis ? f : f.call(this, exports, require, module, __filename, __dirname))`;
  return `//${key}\n${start}(function (exports, require, module, __filename, __dirname) {${code}\n});\n`;
}

/** The modules that other parts take. */
const tableText = (names) =>
  switchText(
    'export const take = (name)',
    [...names].sort().map((name) => {
      const isFile = /^(src|node_modules)\//.test(name);
      return [name, `require(${JSON.stringify(isFile ? `./${name}` : name)})`];
    }),
  );

/**
 * A table whose values are made when they are read. An object with a function for each entry would make all of these
 * functions at each start.
 */
const switchText = (head, entries) =>
  `${head} => {\n  switch (name) {\n${entries
    .map(([name, value]) => `    case ${JSON.stringify(name)}: return ${value};\n`)
    .join('')}  }\n};\n`;

/**
 * A file of its own, a hundredth of the bundle, that starts as fast as Node: what the completion scripts ask for values,
 * and what lays out help.
 */
export async function bundleAlone(entryPoint) {
  const {outputFiles} = await build({
    entryPoints: [entryPoint],
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    minify: true,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** esbuild escapes all but regular expressions; the launcher reads the bundle a byte a character. */
const asAscii = (code) =>
  code.replace(/[\u0080-\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** The entry: `start` for the launcher, and COMMANDS, whose classes load when they are asked for. */
function startText(wanted) {
  const files = commandFiles();
  return `
const {allHelp: allHelpWith, completionTree: completionTreeWith, manPages: manPagesWith, rootHelp: rootHelpWith, start: startWith} = require('./src/cli/core/start.ts');
const ids = ${JSON.stringify(files.map(([id]) => id))};
${switchText(
  'const command = (name)',
  files.map(([id, file]) => [id, `require(${JSON.stringify(`./${file}`)}).default`]),
)}
// oclif lists the commands; each class loads when it is read.
const LISTED = {enumerable: true, configurable: true};
export const COMMANDS = new Proxy({}, {
  get: (_, id) => command(id),
  ownKeys: () => ids,
  getOwnPropertyDescriptor: () => LISTED,
});
const pjson = ${JSON.stringify(inlinedPackage())};
export const start = (argv, root) => startWith(argv, {root, pjson, commands: COMMANDS});
export const allHelp = (root) => allHelpWith({root, pjson, commands: COMMANDS});
export const completionTree = (root) => completionTreeWith({root, pjson, commands: COMMANDS});
export const manPages = (root) => manPagesWith({root, pjson, commands: COMMANDS});
export const rootHelp = (root) => rootHelpWith({root, pjson, commands: COMMANDS});
${tableText(wanted)}
`;
}

/**
 * What packages reach for and we never use: whether this is WSL (5 ms of file reading for a name), the TypeScript
 * compiler for running from source (3.5 MB; bin/dev.js does that without it), the prompt that opens an editor (0.5 MB of
 * character sets), oclif's own DEBUG output (2 ms; --debug is ours), the PostgreSQL driver's two other ways to connect,
 * zod's messages in other languages (0.25 MB), conf's validation, migrations and folders by platform (0.2 MB), its handlers
 * of signals, which send each signal to the process once more, and oclif's check of the Node version, which bin/run.cjs
 * makes first.
 */
const without = {
  name: 'without',
  setup(plugin) {
    plugin.onResolve(
      {
        filter:
          /^(wsl-utils|typescript|@inquirer\/editor|debug|pg-native|pg-cloudflare|ajv\/dist\/2020\.js|ajv-formats|semver|when-exit|env-paths|debounce-fn|\.\.\/locales\/index\.js)$/,
      },
      ({path}) => ({
        path,
        namespace: 'without',
      }),
    );
    plugin.onLoad({filter: /.*/, namespace: 'without'}, () => ({contents: STUB, loader: 'js'}));
  },
};

/** Stands for all of them: a function that makes functions which do nothing. */
const STUB = `
module.exports = () => Object.assign(() => {}, {enabled: false});
module.exports.isWsl = false;
`;
