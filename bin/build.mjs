// Builds dist/: the CLI as one CommonJS bundle, the library as ES modules with types, and .oclif.manifest.json.
// Only what the sources say goes in: a second build gives the same bytes.
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {build} from 'esbuild';
import {commandFiles, root} from './commands.mjs';
import {lazyRequires} from './lazy-requires.mjs';
import {manifestText} from './manifest.mjs';

const require = createRequire(import.meta.url);
const pjson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const dist = join(root, 'dist');

/** What oclif reads of package.json, inlined so that no start searches for it. */
const {name, version, description, oclif} = pjson;
const inlined = {name, version, description, type: 'commonjs', oclif};

/** The bundle's entry: `start` for the launcher, and COMMANDS, whose classes load when they are asked for. */
function entryText() {
  const lazy = commandFiles().map(
    ([id, file]) => `  ${JSON.stringify(id)}: () => require(${JSON.stringify(`./${file}`)}).default,`,
  );
  return `
import {start as startWith} from './src/cli/start.ts';
export const start = (argv, root) => startWith({argv, root, pjson: ${JSON.stringify(inlined)}});
export const COMMANDS = {};
const lazy = {
${lazy.join('\n')}
};
for (const id of Object.keys(lazy)) Object.defineProperty(COMMANDS, id, {enumerable: true, get: lazy[id]});
`;
}

async function bundleCli() {
  const result = await build({
    stdin: {contents: entryText(), resolveDir: root, loader: 'ts', sourcefile: 'entry.ts'},
    absWorkingDir: root,
    outfile: join(dist, 'remit.cjs'),
    bundle: true,
    write: false,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    // A script that runs from V8's code cache has no way to import(); require it has.
    supported: {'dynamic-import': false},
    minify: true,
    keepNames: false,
    legalComments: 'none',
    metafile: true,
    // The WASM build of SQLite finds its .wasm beside itself, and the native PostgreSQL driver is an option: not ours to bundle.
    external: ['node-sqlite3-wasm'],
    define: {'import.meta.url': '__importMetaUrl'},
    banner: {js: 'const __importMetaUrl=require("node:url").pathToFileURL(__filename).href;'},
    plugins: [lazyRequires(), without],
    logLevel: 'warning',
  });
  const code = result.outputFiles[0].text;
  // The launcher keys V8's code cache with this line, so that it need not hash the bundle at each start.
  const key = createHash('sha256').update(code).digest('hex').slice(0, 32);
  writeAtomic(join(dist, 'remit.cjs'), `//${key}\n${code}`);
  if (process.argv.includes('--meta'))
    writeFileSync(join(dist, 'meta.json'), JSON.stringify(result.metafile));
}

/**
 * What packages reach for and we never use: whether this is WSL (5 ms of file reading for a name), the TypeScript
 * compiler for running from source (3.5 MB; bin/dev.js does that with tsx), and the prompt that opens an editor (0.5 MB
 * of character sets).
 */
const without = {
  name: 'without',
  setup(plugin) {
    plugin.onResolve({filter: /^(wsl-utils|typescript|@inquirer\/editor)$/}, ({path}) => ({path, namespace: 'without'}));
    plugin.onLoad({filter: /.*/, namespace: 'without'}, () => ({
      contents: 'module.exports = {isWsl: false}',
      loader: 'js',
    }));
  },
};

/** ES modules and declarations of what package.json exports, by the TypeScript compiler. */
function buildLibrary() {
  const out = join(dist, 'lib');
  rmSync(out, {recursive: true, force: true});
  const project = join(dist, 'tsconfig.lib.json');
  writeFileSync(
    project,
    JSON.stringify({
      extends: '../tsconfig.json',
      compilerOptions: {
        noEmit: false,
        declaration: true,
        outDir: 'lib',
        rootDir: '../src',
        types: ['node'],
        stripInternal: true,
      },
      files: ['../src/client/index.ts'],
      include: [],
    }),
  );
  return run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', project]);
}

function run(command, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {cwd: root, stdio: ['ignore', 2, 2]});
    child.on('error', reject);
    child.on('close', (code) =>
      code === 0 ? resolve() : reject(new Error(`${args.join(' ')} ended with ${code}`)),
    );
  });
}

function writeAtomic(path, text) {
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text);
  renameSync(temporary, path);
}

mkdirSync(dist, {recursive: true});
const library = buildLibrary().then(
  () => undefined,
  (error) => error,
);
await bundleCli();
writeAtomic(join(root, '.oclif.manifest.json'), await manifestText({root, pjson: inlined}));
const failed = await library;
if (failed !== undefined) {
  process.stderr.write(`the library could not be built: ${failed.message}\n`);
  process.exit(1);
}
