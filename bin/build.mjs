// Builds dist/: the CLI as one CommonJS bundle and its first page of help, the library as ES modules with types; and
// .oclif.manifest.json.
// Only what the sources say goes in: a second build gives the same bytes.
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {mkdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {bundle, inlinedPackage} from './bundle.mjs';
import {root} from './commands.mjs';
import {manifestText} from './manifest.mjs';

const require = createRequire(import.meta.url);
const dist = join(root, 'dist');

async function buildCli() {
  const {code, licences} = await bundle();
  // The launcher keys V8's code cache with this line, so that it need not hash the bundle at each start.
  const key = createHash('sha256').update(code).digest('hex').slice(0, 32);
  writeAtomic(join(dist, 'remit.cjs'), `//${key}\n${code}`);
  writeAtomic(join(dist, 'THIRD-PARTY-LICENCES.txt'), licences);
}

/** What package.json exports, each with its declarations. */
const LIBRARY = ['client/index.ts', 'webhooks/index.ts'];

/** ES modules in dist/lib; the webhook library as CommonJS as well, in dist/cjs, with declarations of that format. */
async function buildLibrary() {
  await compile('lib', LIBRARY, {});
  await compile('cjs', ['webhooks/index.ts'], {
    module: 'commonjs',
    moduleResolution: 'bundler',
    verbatimModuleSyntax: false,
  });
  writeFileSync(join(dist, 'cjs', 'package.json'), '{"type": "commonjs"}\n');
}

async function compile(name, files, options) {
  rmSync(join(dist, name), {recursive: true, force: true});
  const cache = join(root, 'node_modules', '.cache', `remit-build-${name}`);
  mkdirSync(cache, {recursive: true});
  const project = join(cache, 'tsconfig.json');
  const config = {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      outDir: join(dist, name),
      rootDir: join(root, 'src'),
      types: ['node'],
      ...options,
    },
    files: files.map((file) => join(root, 'src', file)),
    include: [],
  };
  writeFileSync(project, JSON.stringify(config));
  await run(process.execPath, [require.resolve('typescript/bin/tsc'), '-p', project]);
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
  (error) => error, // told at the end: the command can be used without the library
);
try {
  await buildCli();
} catch (error) {
  process.stderr.write(`the command could not be built: ${error.message}\n`);
  process.exit(1);
}
writeAtomic(join(root, '.oclif.manifest.json'), await manifestText({root, pjson: inlinedPackage()}));
writeAtomic(join(dist, 'help.txt'), await require(join(dist, 'remit.cjs')).rootHelp(root));
const failed = await library;
if (failed !== undefined) {
  process.stderr.write(`the library could not be built: ${failed.message}\n`);
  process.exit(1);
}
