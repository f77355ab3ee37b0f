// The CLI as one CommonJS file. Commands and heavy packages are in it, but run only when they are first used.
import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {build} from 'esbuild';
import {commandFiles, root} from './commands.mjs';
import {lazyRequires} from './lazy-requires.mjs';

/** What oclif reads of package.json, inlined so that no start searches for it. */
export function inlinedPackage() {
  const {name, version, description, oclif} = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return {name, version, description, type: 'commonjs', oclif};
}

/**
 * The bundle, esbuild's record of what is in it, and the legal comments of its files. Without `minify` each module keeps
 * its path as the name of its function, so that a test can see which of them ran.
 */
export async function bundle({minify = true} = {}) {
  const result = await build({
    stdin: {contents: entryText(), resolveDir: root, loader: 'ts', sourcefile: 'entry.ts'},
    absWorkingDir: root,
    bundle: true,
    outfile: 'dist/remit.cjs',
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // A script that runs from V8's code cache has no way to import(); require it has.
    supported: {'dynamic-import': false},
    minify,
    legalComments: 'external', // for the file of licences
    metafile: true,
    external: ['node-sqlite3-wasm'], // finds its .wasm beside itself
    define: {'import.meta.url': '__importMetaUrl'},
    banner: {js: 'const __importMetaUrl=require("node:url").pathToFileURL(__filename).href;'},
    plugins: [lazyRequires(), without],
    logLevel: 'warning',
  });
  const text = (extension) => result.outputFiles.find(({path}) => path.endsWith(extension))?.text ?? '';
  return {
    file: 'dist/remit.cjs',
    metafile: result.metafile,
    code: asAscii(text('.cjs')),
    legal: text('.LEGAL.txt'),
  };
}

/** What the completion scripts ask for values: a file of its own, a hundredth of the bundle, that starts as fast as Node. */
export async function bundleCompletion() {
  const {outputFiles} = await build({
    entryPoints: {complete: 'src/cli/completion/values.ts'},
    absWorkingDir: root,
    outdir: 'dist',
    outExtension: {'.js': '.cjs'},
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

/** The bundle's entry: `start` for the launcher, and COMMANDS, whose classes load when they are asked for. */
function entryText() {
  const lazy = commandFiles().map(
    ([id, file]) => `  ${JSON.stringify(id)}: () => require(${JSON.stringify(`./${file}`)}).default,`,
  );
  return `
import {manPages as manPagesWith, rootHelp as rootHelpWith, start as startWith} from './src/cli/core/start.ts';
export const COMMANDS = {};
const pjson = ${JSON.stringify(inlinedPackage())};
export const start = (argv, root) => startWith(argv, {root, pjson, commands: COMMANDS});
export const manPages = (root) => manPagesWith({root, pjson, commands: COMMANDS});
export const rootHelp = (root) => rootHelpWith({root, pjson, commands: COMMANDS});
const lazy = {
${lazy.join('\n')}
};
for (const id of Object.keys(lazy)) Object.defineProperty(COMMANDS, id, {enumerable: true, get: lazy[id]});
`;
}

/**
 * What packages reach for and we never use: whether this is WSL (5 ms of file reading for a name), the TypeScript
 * compiler for running from source (3.5 MB; bin/dev.js does that without it), the prompt that opens an editor (0.5 MB of
 * character sets), oclif's own DEBUG output (2 ms; --debug is ours), and the PostgreSQL driver's two other ways to connect.
 */
const without = {
  name: 'without',
  setup(plugin) {
    plugin.onResolve(
      {filter: /^(wsl-utils|typescript|@inquirer\/editor|debug|pg-native|pg-cloudflare)$/},
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
