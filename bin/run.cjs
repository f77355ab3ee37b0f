#!/usr/bin/env node
'use strict';
// Starts remit from its bundle, with V8's compiled code kept between runs: that halves the time to the first request.
// Whatever goes wrong with the cache, the command runs; it only starts slower.
const fs = require('node:fs');
const path = require('node:path');

const root = path.dirname(__dirname);
const dist = `${root}${path.sep}dist${path.sep}`; // path.join() would be compiled at each start
const argv = process.argv.slice(2);
const HEADER = 8; // bytes before V8's data in a cache file

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(`Error: remit needs Node 20.19 or newer; this is ${process.version}\n`);
  process.exit(1);
}

// The two things that people ask for most, without loading anything.
const asked = argv.length === 0 ? '--help' : argv.length === 1 ? argv[0] : '';
if (asked === '--version' || asked === '-v') {
  const {name, version} = JSON.parse(fs.readFileSync(`${root}${path.sep}package.json`, 'utf8'));
  print(Buffer.from(`${name}/${version} ${process.platform}-${process.arch} node-${process.version}\n`));
} else if (asked === '--help' || asked === '-h') {
  print(readDist('help.txt'));
} else if (argv[0] === '__complete') {
  complete();
} else if (!writtenHelp()) {
  void run();
}

// Without the stream of stdout, which takes Node 2 ms to make.
function print(bytes) {
  let written = 0;
  try {
    while (written < bytes.length) written += fs.writeSync(1, bytes, written);
  } catch (error) {
    if (error.code === 'EAGAIN')
      process.stdout.write(bytes.subarray(written)); // a full pipe that does not block
    else if (error.code !== 'EPIPE') {
      process.stderr.write(`Error: the output could not be written: ${error.message}\n`);
      process.exit(13);
    }
  }
}

// The help of a command or topic, from what the build wrote: these words and --help. Anything else is left to the tool,
// with whatever may be wrong with it.
function writtenHelp() {
  const asksHelp = argv.at(-1) === '--help' || argv.at(-1) === '-h';
  const words = asksHelp ? argv.slice(0, -1) : argv;
  if (words.length > 3 || !words.every((word) => /^[a-z][a-z-]*$/.test(word))) return false;
  const id = words.join(':');
  const ids = commandIds();
  const isCommand = ids.includes(id);
  const isTopic = ids.some((one) => one.startsWith(`${id}:`));
  if (isCommand ? !asksHelp : !isTopic) return false;
  const {form, layOut, placeOf} = readHelp(isCommand ? 'commands' : 'topics', id);
  const isTerminal = fs.fstatSync(1).isCharacterDevice() && process.stdout.isTTY === true;
  const place = placeOf(
    {isTTY: isTerminal, columns: isTerminal ? process.stdout.columns : undefined},
    process.env,
  );
  print(Buffer.from(layOut(form, place)));
  return true;
}

// The help of one command or topic before it is laid out, and what lays it out.
function readHelp(kind, id) {
  try {
    const [at, length] = JSON.parse(readDist('help-of-all.json'))[kind][id];
    const bytes = Buffer.alloc(length);
    const file = fs.openSync(`${dist}help-of-all.br`);
    fs.readSync(file, bytes, 0, length, at);
    fs.closeSync(file);
    const {layOut, placeOf} = require(`${dist}layout.cjs`);
    if (typeof placeOf !== 'function') throw new Error('dist/layout.cjs is incomplete');
    return {form: require('node:zlib').brotliDecompressSync(bytes).toString(), layOut, placeOf};
  } catch (error) {
    return refuse(damaged(error));
  }
}

function commandIds() {
  return readDist('commands.txt').toString('latin1').split('\n');
}

// A key press in a shell with completion: nothing of remit is loaded except what finds candidates.
function complete() {
  try {
    print(Buffer.from(require(`${dist}complete.cjs`).complete(argv.slice(1), `${dist}completion.json`)));
  } catch {
    // No candidates: a shell that completes is no place for an error.
  }
}

async function run() {
  const name = nameOf(argv);
  const parts = [];
  const bundle = load('remit.cjs', name, parts);
  if (typeof bundle.start !== 'function') return refuse(damaged(new Error('dist/remit.cjs is incomplete')));
  const {exitCode, id} = await bundle.start(argv, root);
  if (id !== undefined) for (const part of parts) if (isWorthKeeping(part, exitCode)) keep(part, exitCode);
  return process.exit(exitCode);
}

// The command that these words begin with, for the name of its caches: each command has its own, since V8 reads all of
// a cache at once.
function nameOf(words) {
  if (words.includes('--help') || words.includes('-h')) return 'help';
  const ids = commandIds();
  const end = words.findIndex((word) => word.startsWith('-'));
  const typed = words.slice(0, end === -1 ? 3 : Math.min(end, 3));
  for (let length = typed.length; length > 0; length -= 1) {
    const id = typed.slice(0, length).join(':');
    if (ids.includes(id)) return id.replaceAll(':', '.');
  }
  return 'other';
}

function readDist(name) {
  try {
    return fs.readFileSync(dist + name);
  } catch (error) {
    return refuse(fs.existsSync(dist) ? damaged(error) : `remit is not built: ${error.message}`);
  }
}

function damaged({message}) {
  return `this installation of remit is damaged: ${message}`;
}

function refuse(why) {
  return require('./refuse.cjs').refuse(why, root, argv);
}

// Runs one part of the bundle. Each requires the others when it needs them, and then the launcher loads those as well.
function load(part, name, parts) {
  const Module = module.constructor; // node:module loads more than this
  const vm = require('node:vm');
  const file = dist + part;
  const source = readDist(part).latin1Slice(); // the bundle is ASCII: half the memory and no decoding
  const cache = openCache(source, name);
  const own = new Module(file, null);
  own.filename = file;
  own.paths = Module._nodeModulePaths(path.dirname(file));
  Module._cache[file] = own; // oclif requires the bundle once more, for its commands
  const script = guarded(() => new vm.Script(source, {filename: file, cachedData: cache.code}), part);
  parts.push({part, own, script, cache});
  const requireFrom = (id) => {
    if (id !== './remit.cjs' && id !== './more.cjs' && id !== './rest.cjs') return own.require(id);
    return parts.find(({part}) => part === id.slice(2))?.own.exports ?? load(id.slice(2), name, parts);
  };
  requireFrom.resolve = (id, options) => Module.createRequire(file).resolve(id, options);
  guarded(
    () =>
      script.runInThisContext().call(own.exports, own.exports, requireFrom, own, file, path.dirname(file)),
    part,
  );
  own.loaded = true;
  return own.exports;
}

// Reports an error without its stack trace, which would show lines of the bundle.
function guarded(make, part) {
  try {
    return make();
  } catch (error) {
    return refuse(damaged(new Error(`dist/${part}: ${error.message}`)));
  }
}

// A cache without what a successful run needs is written again after the first such run.
const isWorthKeeping = ({script, cache}, exitCode) =>
  cache.code === undefined || script.cachedDataRejected || (!cache.complete && exitCode === 0);

// The cache file: CRC-32 of all that follows (4 bytes), 1 if it was written by a run that succeeded (1 byte), V8's data
// at an offset of 8. V8 does not check its data: with a flipped bit, the process aborts or runs something else. So each
// start computes the checksum of the bytes that V8 gets; and since V8 runs what it is given, a file or folder that another
// user could have written is not read, and not written either.
function openCache(source, name) {
  const cache = {file: undefined, complete: false, code: undefined};
  try {
    const folder = cacheFolder();
    if (folder === undefined) return cache;
    const key = source.slice(2, source.indexOf('\n')); // the build writes the hash of the code there
    const own = `${folder}${path.sep}remit`;
    const stats = fs.lstatSync(own, {throwIfNoEntry: false});
    if (stats !== undefined && !(stats.isDirectory() && isOurs(stats))) return cache;
    cache.file = `${own}${path.sep}code-${key}-${process.version}-${process.arch}-${name}.bin`;
    const bytes = readChecked(cache.file);
    cache.complete = bytes[4] === 1;
    cache.code = bytes.subarray(HEADER);
  } catch {
    // No cache, or none that can be used.
  }
  return cache;
}

// Undefined if it is not named by an absolute path: it would be in the working folder, or with an empty HOME in the root.
function cacheFolder() {
  const {XDG_CACHE_HOME, HOME} = process.env;
  const isOwn = XDG_CACHE_HOME !== undefined && XDG_CACHE_HOME !== '';
  const folder = isOwn ? XDG_CACHE_HOME : (HOME ?? require('node:os').homedir());
  if (!path.isAbsolute(folder)) return undefined;
  return isOwn ? folder : `${folder}${path.sep}.cache`;
}

function readChecked(file) {
  // A link would lead out of our folder; opening a pipe would wait for its writer.
  const descriptor = fs.openSync(
    file,
    fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0),
  );
  try {
    const stats = fs.fstatSync(descriptor);
    if (!stats.isFile() || !isOurs(stats)) throw new Error('not ours');
    const bytes = fs.readFileSync(descriptor);
    if (bytes.readUInt32LE(0) !== crc32(bytes.subarray(4))) throw new Error('damaged');
    return bytes;
  } finally {
    fs.closeSync(descriptor);
  }
}

// It belongs to us, and neither its group nor others can write to it. Windows has neither.
function isOurs({uid, mode}) {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0);
}

function keep({script, cache}, exitCode) {
  if (cache.file === undefined) return;
  try {
    const code = script.createCachedData();
    const bytes = Buffer.alloc(HEADER + code.length);
    bytes[4] = exitCode === 0 ? 1 : 0;
    code.copy(bytes, HEADER);
    bytes.writeUInt32LE(crc32(bytes.subarray(4)));
    const folder = path.dirname(cache.file);
    makeFolder(path.dirname(folder));
    makeFolder(folder);
    const temporary = `${cache.file}.${process.pid}`;
    const descriptor = fs.openSync(temporary, 'wx', 0o600);
    try {
      fs.writeFileSync(descriptor, bytes);
    } finally {
      fs.closeSync(descriptor);
    }
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
    const old = `${folder}${path.sep}${name}`;
    const longestMs = /\.\d+$/.test(name) ? 60_000 : 30 * 86_400_000;
    if (Date.now() - fs.statSync(old).ctimeMs > longestMs) fs.unlinkSync(old);
  }
}

// node:zlib takes 1 to 2 ms to load, longer than all the rest; the function that it calls takes 0.1. Node intends to
// remove the access to that function one day, and refuses it under its permission model.
function crc32(bytes) {
  const {noDeprecation} = process;
  try {
    process.noDeprecation = true; // with --pending-deprecation, a warning would be written to stderr
    return process.binding('zlib').crc32(bytes, 0);
  } catch {
    return require('node:zlib').crc32(bytes);
  } finally {
    process.noDeprecation = noDeprecation;
  }
}
