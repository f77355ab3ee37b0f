// Installs what the lock file says when that has not been done, and with --build also builds when dist is older than the sources.
// Only Node and npm are needed: this file imports nothing from node_modules.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, readFileSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

function hashOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) hash.update(path).update('\0').update(readFileSync(join(root, path))).update('\0');
  return hash.digest('hex');
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath.slice(root.length), entry.name))
    .sort();
}

function runOnce({what, stamp, hash, command, args}) {
  const stampFile = join(root, stamp);
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === hash) return;
  process.stderr.write(`${what}…\n`);
  const windows = process.platform === 'win32'; // npm is a .cmd there, which only a shell starts
  const result = spawnSync(command, args, {cwd: root, stdio: ['ignore', 2, 2], shell: windows});
  if (result.status !== 0) {
    process.stderr.write(`${what} failed: ${command} ${args.join(' ')} (${result.error?.message ?? `exit ${result.status}`})\n`);
    process.exit(1);
  }
  writeFileSync(stampFile, hash);
}

runOnce({
  what: 'Installing packages',
  stamp: 'node_modules/.remit-installed',
  hash: hashOf(['package.json', 'package-lock.json']),
  command: 'npm',
  args: ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
});

if (process.argv.includes('--build')) {
  runOnce({
    what: 'Building',
    stamp: 'dist/.remit-built',
    hash: hashOf([...filesUnder('src'), 'bin/build.mjs', 'bin/run.cjs', 'package.json']),
    command: process.execPath,
    args: ['bin/build.mjs'],
  });
}
