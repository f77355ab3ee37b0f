// Installs what the lock file says when that has not been done, and with --build also builds when dist is older than
// the sources; with --rebuild it builds in any case. With --demo, it installs and builds no more than the command needs,
// without the library, if no package is there yet, and runs the demo. Runs before the scripts that a fresh clone begins with, and before those that run the built tool:
// it imports nothing from node_modules and needs nothing but Node and npm. When nothing is missing it takes 0.06 s of
// processor time, and with --build, which hashes the sources, 0.08 s.
import {spawnSync} from 'node:child_process';
import {createHash} from 'node:crypto';
import {existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {commandPart} from './setup/command-part.mjs';
import {isInstalled} from './setup/installed.mjs';
import {npmCommand} from './setup/npm.mjs';
import {underLock} from './setup/lock.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const OUTPUTS = [
  ...[
    'dist/remit.cjs',
    'dist/more.cjs',
    'dist/rest.cjs',
    'dist/commands.txt',
    'dist/complete.cjs',
    'dist/completion.json',
    'dist/layout.cjs',
  ],
  ...['dist/help.txt', 'dist/help-of-all.br', 'dist/help-of-all.json'],
  '.oclif.manifest.json',
];
const BUILD_STAMP = 'dist/.remit-built';
const asks = (flag) => process.argv.includes(flag);

/** Ends the run with a reason that a newcomer can act on; everything goes to stderr, so stdout stays the script's. */
function fail(message) {
  process.stderr.write(`setup: ${message}\n`);
  process.exit(1);
}

function requireNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19))
    fail(`Node ${process.versions.node} is too old: remit needs 20.19 or newer (https://nodejs.org).`);
}

function run({what, command, args, env, otherwise, cwd = root}) {
  process.stderr.write(`${what}…\n`);
  const result = spawnSync(command, args, {cwd, env, stdio: ['ignore', 2, 2]});
  if (result.status === 0) return;
  if (result.error?.code === 'ENOENT')
    fail(`${command} was not found on the PATH; it comes with Node (https://nodejs.org).`);
  const how = result.error
    ? result.error.message
    : result.signal
      ? `killed by ${result.signal}`
      : `exit ${result.status}`;
  fail(`${what.toLowerCase()} failed (${how}). ${otherwise}`);
}

function installPackages(cwd) {
  // A user's `omit=dev` or NODE_ENV=production would leave out the build's tools: they are asked for by name.
  const args = [
    'ci',
    '--include=dev',
    '--include=optional',
    '--ignore-scripts',
    '--prefer-offline', // the lock file names each version: nothing in npm's cache can be too old
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  run({
    what: 'Installing packages',
    ...npmCommand(args),
    cwd,
    otherwise: 'The lines above say why; run the same command again once that is fixed.',
  });
}

function install() {
  rmSync(partFolder, {recursive: true, force: true}); // of a set-up that was killed
  installPackages(root);
  if (!isInstalled(root))
    fail('npm ci ended well, but packages of package-lock.json are missing in node_modules.');
}

/** npm installs what a lock file says into the folder that it is in; a folder beside node_modules is on the same disk. */
const partFolder = join(root, '.setup');

function installPart(part) {
  rmSync(partFolder, {recursive: true, force: true}); // of a set-up that was killed
  mkdirSync(partFolder);
  writeFileSync(join(partFolder, 'package.json'), JSON.stringify(part.manifest));
  writeFileSync(join(partFolder, 'package-lock.json'), JSON.stringify(part.lock));
  installPackages(partFolder);
  renameSync(join(partFolder, 'node_modules'), join(root, 'node_modules'));
  rmSync(partFolder, {recursive: true, force: true});
  if (!isInstalled(root, part.lock))
    fail('npm ci ended well, but packages of the command are missing in node_modules.');
}

/** All packages, or in a clone without any, for the demo, those of the command. */
function ensureInstalled() {
  if (isInstalled(root)) return;
  if (!asks('--demo')) return install();
  const part = commandPart(root, readLock());
  if (isInstalled(root, part.lock)) return;
  if (existsSync(join(root, 'node_modules'))) install();
  else installPart(part);
}

const readLock = () => JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));

function filesUnder(folder) {
  return readdirSync(join(root, folder), {recursive: true, withFileTypes: true})
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length))
    .sort();
}

/** Everything that the bundle is made of: sources, build scripts, and the packages that are bundled with them. */
function hashOfSources() {
  const hash = createHash('sha256');
  for (const path of [...filesUnder('src'), ...filesUnder('bin'), 'package.json', 'package-lock.json'])
    hash
      .update(path)
      .update('\0')
      .update(readFileSync(join(root, path)))
      .update('\0');
  return hash.digest('hex');
}

/** The command alone can be built with a part of the packages. */
const isForCommand = () => asks('--demo') && !isInstalled(root);

function isBuilt(hash) {
  const stamp = join(root, BUILD_STAMP);
  if (!OUTPUTS.every((path) => existsSync(join(root, path))) || !existsSync(stamp)) return false;
  const built = readFileSync(stamp, 'utf8');
  return built === hash || (isForCommand() && built === ofCommand(hash));
}

const ofCommand = (hash) => `${hash} the command alone`;

function ensureBuilt() {
  const hash = hashOfSources();
  if (isBuilt(hash) && !asks('--rebuild')) return;
  rmSync(join(root, BUILD_STAMP), {force: true}); // a build that is killed leaves none
  run({
    what: 'Building',
    command: process.execPath,
    args: [join('bin', 'build.mjs'), ...(isForCommand() ? ['--command'] : [])],
    env: process.env,
    otherwise: 'The lines above say why.',
  });
  writeFileSync(join(root, BUILD_STAMP), isForCommand() ? ofCommand(hash) : hash);
}

const wantsBuild = () => asks('--build') || asks('--rebuild') || asks('--demo');
const isReady = () => isInstalled(root) && !asks('--rebuild') && (!wantsBuild() || isBuilt(hashOfSources()));

/** What follows `--demo` goes to the demo: `npm run demo -- --rows 200`. */
function runDemo() {
  const given = process.argv.slice(process.argv.indexOf('--demo') + 1);
  const {status, signal} = spawnSync(process.execPath, [join('bin', 'run.cjs'), 'demo', ...given], {
    cwd: root,
    stdio: 'inherit',
  });
  process.exitCode = status ?? (signal === 'SIGINT' ? 130 : 1);
}

requireNode();
if (isReady()) {
  if (asks('--demo')) runDemo();
} else
  await underLock(root, () => {
    ensureInstalled();
    if (wantsBuild()) ensureBuilt();
    // Another script would install what is missing, and take away the packages that the demo uses: it waits.
    if (asks('--demo')) runDemo();
  });
