import {closeSync, constants, fstatSync, openSync, readSync, statSync, type Stats} from 'node:fs';
import {dirname} from 'node:path';
import {RemitError} from '../errors.ts';

/** Far above any configuration, but too small to be noticeable. */
export const MOST_BYTES = 1024 * 1024;

/**
 * The text of a small regular file. A pipe, a device or an endless file is refused, not waited for.
 * @throws Error with Node's `code`, or without one if it is not such a file
 */
export function readSmallFile(path: string): {text: string; stats: Stats} {
  // Without O_NONBLOCK, opening a pipe that has no writer waits forever.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return {text: readAll(descriptor).toString('utf8'), stats};
  } finally {
    closeSync(descriptor);
  }
}

function readAll(descriptor: number): Buffer {
  const pieces: Buffer[] = [];
  for (let length = 0; ;) {
    const piece = Buffer.allocUnsafe(65_536);
    const bytes = readSync(descriptor, piece, 0, piece.length, null);
    if (bytes === 0) return Buffer.concat(pieces);
    length += bytes;
    if (length > MOST_BYTES) throw new Error(`it is larger than ${MOST_BYTES} bytes`);
    pieces.push(piece.subarray(0, bytes));
  }
}

/**
 * Refuses a file if another user could have written it or its folder, like ssh does. It must belong to us or to root,
 * and neither its group nor others may write to it. Windows has no such modes.
 * @param isSecret the file may hold a key or a secret, so the hint takes away the right to read it as well
 * @throws RemitError STATE naming the problem and the command that corrects it
 */
export function refuseForeign(path: string, stats: Stats, what: string, isSecret = false): void {
  const folder = dirname(path);
  const problem = foreign(stats);
  if (problem !== undefined) throw refused(what, path, problem, isSecret);
  const folderProblem = foreign(statSync(folder));
  if (folderProblem !== undefined) throw refused(`the folder of ${what}`, folder, folderProblem);
}

/**
 * Refuses a file of a secret that others can read. A file of root may be readable by our group: root decided so.
 * @throws RemitError STATE
 */
export function refuseReadable(path: string, stats: Stats, what: string): void {
  const us = process.geteuid?.();
  const readers = stats.uid === us ? 0o044 : 0o004;
  if (us !== undefined && (stats.mode & readers) !== 0) throw refused(what, path, 'readable');
}

/** Whether a file belongs to another user; root's belongs to everyone. */
export function isOfAnother({uid}: Stats): boolean {
  const us = process.geteuid?.();
  return us !== undefined && uid !== us && uid !== 0;
}

type Problem = 'owner' | 'writable' | 'readable';

function foreign(stats: Stats): Problem | undefined {
  if (process.geteuid === undefined) return undefined;
  if (isOfAnother(stats)) return 'owner';
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0; // like /tmp: users cannot replace the files of others
  return (stats.mode & 0o022) !== 0 && !isSticky ? 'writable' : undefined;
}

function refused(what: string, path: string, problem: Problem, isSecret = false): RemitError {
  const {message, hint} = WORDS[problem](path, isSecret);
  return new RemitError('STATE', `refused to use ${what}: ${message}`, {hint});
}

type Words = (path: string, isSecret: boolean) => {message: string; hint: string};

const WORDS: Readonly<Record<Problem, Words>> = {
  owner: (path) => ({
    message: `${path} belongs to another user`,
    hint: 'use a file of your own, or change its owner',
  }),
  writable: (path, isSecret) => ({
    message: `other users can change ${path}`,
    hint: `chmod ${isSecret ? '600' : 'go-w'} ${shellQuote(path)}`,
  }),
  readable: (path) => ({
    message: `other users can read ${path}`,
    hint: `chmod 600 ${shellQuote(path)}`,
  }),
};

/** A warning about a key file that other users can read. */
export function exposure(path: string, what: string): string | undefined {
  const us = process.geteuid?.();
  const stats = statSync(path, {throwIfNoEntry: false});
  if (us === undefined || stats === undefined || stats.uid !== us || (stats.mode & 0o044) === 0)
    return undefined;
  return `other users can read ${what}, which holds a key: chmod 600 ${shellQuote(path)}`;
}

const shellQuote = (path: string): string =>
  /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
