#!/usr/bin/env node
'use strict';
// Starts remit from its bundle, with V8's compiled code kept between runs: that halves the time to the first request.
// Whatever goes wrong with the cache, the command runs; it only starts slower.
const fs = require('node:fs');
const path = require('node:path');

const root = path.join(__dirname, '..');
const argv = process.argv.slice(2);

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Error: remit needs Node 20.19 or newer; this is ${process.version}\n`);
  process.exit(1);
}

// The two things that people ask for most, without loading anything.
const asked = argv.length === 0 ? '--help' : argv.length === 1 ? argv[0] : '';
if (asked === '--version' || asked === '-v') {
  const {name, version} = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  process.stdout.write(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`);
} else if (asked === '--help' || asked === '-h') {
  process.stdout.write(fs.readFileSync(path.join(root, 'dist', 'help.txt')));
} else if (argv[0] === '__complete') {
  complete();
} else {
  void run();
}

// A key press in a shell with completion: nothing of remit is loaded except what finds values on this machine.
function complete() {
  try {
    process.stdout.write(require(path.join(root, 'dist', 'complete.cjs')).complete(argv.slice(1)));
  } catch {
    // No values. Whatever is wrong, the next command reports it.
  }
}

async function run() {
  const file = path.join(root, 'dist', 'remit.cjs');
  const source = readBundle(file);
  const cache = openCache(source);
  const {exports: bundle, script} = load(file, source, cache.code);
  const {exitCode, id} = await bundle.start(argv, root);
  if (id !== undefined && (script.cachedDataRejected || !cache.ids.includes(id))) keep(cache, script, id);
  process.exit(exitCode);
}

function readBundle(file) {
  try {
    return fs.readFileSync(file, 'latin1'); // the bundle is ASCII: half the memory and no decoding
  } catch (error) {
    process.stderr.write(`Error: remit is not built: ${error.message}\nHint: npm run build\n`);
    process.exit(13);
  }
}

function load(file, source, cachedData) {
  const Module = require('node:module');
  const vm = require('node:vm');
  const module = new Module(file, null);
  module.filename = file;
  module.paths = Module._nodeModulePaths(path.dirname(file));
  Module._cache[file] = module; // oclif requires the bundle once more, for its commands
  const script = new vm.Script(Module.wrap(source), {filename: file, cachedData});
  const requireFrom = Module.createRequire(file);
  script
    .runInThisContext()
    .call(module.exports, module.exports, requireFrom, module, file, path.dirname(file));
  module.loaded = true;
  return {exports: module.exports, script};
}

// The cache file: CRC-32 of all that follows (4 bytes), length of the list (2 bytes), ids of the commands whose code
// it holds (JSON), V8's data. V8 aborts the process on data with a flipped bit, so nothing unchecked may reach it; and it
// runs what it is given, so a file or folder that another user could have written is not read, and not written either.
function openCache(source) {
  const cache = {file: undefined, ids: [], code: undefined};
  try {
    const folder =
      process.env.XDG_CACHE_HOME || path.join(process.env.HOME || require('node:os').homedir(), '.cache');
    if (!path.isAbsolute(folder)) return cache;
    const key = source.slice(2, source.indexOf('\n')); // the build writes the hash of the code there
    const own = path.join(folder, 'remit');
    const stats = fs.lstatSync(own, {throwIfNoEntry: false});
    if (stats !== undefined && !(stats.isDirectory() && isOurs(stats))) return cache;
    cache.file = path.join(own, `code-${key}-${process.version}-${process.arch}.bin`);
    const bytes = readOurs(cache.file);
    if (bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) return cache;
    const end = 6 + bytes.readUInt16LE(4);
    cache.ids = JSON.parse(bytes.toString('utf8', 6, end));
    cache.code = bytes.subarray(end);
  } catch {
    // No cache, or none that can be used.
  }
  return cache;
}

function readOurs(file) {
  // A link would lead out of our folder; opening a pipe would wait for its writer.
  const descriptor = fs.openSync(
    file,
    fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0),
  );
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile() || !isOurs(stats)) throw new Error('not ours');
    return fs.readFileSync(descriptor);
  } finally {
    fs.closeSync(descriptor);
  }
}

// It belongs to us, and neither its group nor others can write to it. Windows has neither.
function isOurs({uid, mode}) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

// Written after a command whose code the cache does not hold yet; V8 keeps what it had from the cache as well.
function keep(cache, script, id) {
  if (cache.file === undefined) return;
  try {
    const ids = Buffer.from(JSON.stringify([...(script.cachedDataRejected ? [] : cache.ids), id]));
    const length = Buffer.alloc(2);
    length.writeUInt16LE(ids.length);
    const body = Buffer.concat([length, ids, script.createCachedData()]);
    const checksum = Buffer.alloc(4);
    checksum.writeUInt32LE(crc32(body));
    const folder = path.dirname(cache.file);
    makeFolder(path.dirname(folder));
    makeFolder(folder);
    const temporary = `${cache.file}.${process.pid}`;
    fs.writeFileSync(temporary, Buffer.concat([checksum, body]), {mode: 0o600, flag: 'wx'});
    fs.renameSync(temporary, cache.file);
    dropOld(folder, path.basename(cache.file));
  } catch {
    // A read-only home, a full disk: the next start is as slow as this one.
  }
}

// Two plain steps instead of one recursive one, which loops for ever on some paths on Node 20.
function makeFolder(folder) {
  try {
    fs.mkdirSync(folder, {mode: 0o700});
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
}

// Caches of versions that have not been used for a month, and drafts of processes that were killed.
function dropOld(folder, current) {
  for (const name of fs.readdirSync(folder)) {
    if (!name.startsWith('code-') || name === current) continue;
    const old = path.join(folder, name);
    const longestMs = /\.\d+$/.test(name) ? 60_000 : 30 * 86_400_000;
    if (Date.now() - fs.statSync(old).mtimeMs > longestMs) fs.unlinkSync(old);
  }
}

function crc32(bytes) {
  return require('node:zlib').crc32(bytes);
}
