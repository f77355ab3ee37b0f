import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {isDeepStrictEqual} from 'node:util';

const DEPENDENCY_FIELDS = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies'];

function readJson(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return undefined; // absent or cut short: npm ci will say what it thinks of it
  }
}

const matches = (list, value) =>
  list === undefined ||
  list.includes(value) ||
  (list.length > 0 && list.every((item) => item.startsWith('!') && item !== `!${value}`));

/** A package meant for another system may be absent; one for a certain libc is left to npm's judgement. */
const wanted = (entry) =>
  !entry.link &&
  entry.libc === undefined &&
  matches(entry.os, process.platform) &&
  matches(entry.cpu, process.arch);

/**
 * True when node_modules holds what package-lock.json says, at its versions, for this system. npm writes down what it
 * installed in node_modules/.package-lock.json at the very end, so an install that was cut short does not count, and
 * neither does a change of package.json that is no change of dependencies.
 * @param part the part of that lock file which is needed, if that is not all of it
 */
export function isInstalled(root, part) {
  const manifest = readJson(join(root, 'package.json'));
  const lock = readJson(join(root, 'package-lock.json'));
  const installed = readJson(join(root, 'node_modules', '.package-lock.json'));
  if (!manifest?.name || !lock?.packages || !installed?.packages) return false;
  const locked = lock.packages[''] ?? {};
  if (!DEPENDENCY_FIELDS.every((field) => isDeepStrictEqual(manifest[field] ?? {}, locked[field] ?? {})))
    return false;
  return Object.entries((part ?? lock).packages).every(
    ([path, entry]) => path === '' || !wanted(entry) || installed.packages[path]?.version === entry.version,
  );
}
