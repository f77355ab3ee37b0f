import {existsSync, statfsSync} from 'node:fs';
import {dirname} from 'node:path';
import {RemitError} from '../../errors.ts';
import {codeOf, messageOf} from '../../narrow.ts';
import {shellWord} from '../../shell-word.ts';

/** With less free space, a folder counts as full: no commit fits. */
const FULL_BELOW_BYTES = 64 * 1024;

const DISK_FULL = 'no space is left on its disk';
const DISK_FULL_HINT = 'free some disk space, then run the same command again';
const ownerHint = (file: string): string =>
  `check who owns the file and its folder: ls -la ${shellWord(dirname(file))}`;

/** What to do; some hints name the folder of the file. */
type Hint = string | ((file: string) => string);
const hintFor = (hint: Hint, file: string): string => (typeof hint === 'string' ? hint : hint(file));

/** errno -> what happened and what to do; the caller names the file. */
const BY_ERRNO: Readonly<Record<string, {what: string; hint: Hint}>> = {
  EACCES: {what: 'permission denied', hint: ownerHint},
  EPERM: {what: 'permission denied', hint: ownerHint},
  EROFS: {what: 'the file system is read-only', hint: 'name a file or folder elsewhere'},
  ENOSPC: {what: DISK_FULL, hint: DISK_FULL_HINT},
  EDQUOT: {what: 'the disk quota is used up', hint: DISK_FULL_HINT},
  EFBIG: {what: 'the file would become larger than this file system allows', hint: DISK_FULL_HINT},
  EISDIR: {what: 'it is a folder', hint: 'name a file, or move the folder'},
  ENOTDIR: {what: 'a part of its path is a file', hint: 'name a folder that exists'},
  ENOENT: {what: 'it does not exist', hint: 'check the path'},
  EMFILE: {what: 'this process has too many files open', hint: 'raise the limit: ulimit -n 4096'},
  EIO: {what: 'the disk reported an error', hint: 'check the disk; the write was not confirmed'},
};

/** A failed file operation as a RemitError; `action` is a verb ("write"), `file` its object. */
export function fileFailure(error: unknown, action: string, file: string): RemitError {
  if (error instanceof RemitError) return error;
  const code = codeOf(error) ?? '';
  const known = BY_ERRNO[code];
  const hasNoFolder = code === 'ENOENT' && action === 'write' && !existsSync(dirname(file));
  const what = hasNoFolder ? 'its folder does not exist' : (known?.what ?? messageOf(error));
  return new RemitError('STATE', `Could not ${action} ${file}: ${what}`, {
    hint: known === undefined ? undefined : hintFor(known.hint, file),
    details: {file, ...(code === '' ? {} : {errno: code})},
    cause: error,
  });
}

/** The meaning of SQLite's own messages. Both drivers give these texts, only one gives codes. */
const BY_MESSAGE: readonly {
  pattern: RegExp;
  code: 'STATE' | 'STATE_DAMAGED' | 'LOCKED';
  what: string;
  hint: Hint;
}[] = [
  {
    pattern: /file is not a database|file is encrypted/,
    code: 'STATE_DAMAGED',
    what: 'it is not a remit database, or its beginning was overwritten',
    hint: 'restore the file from a backup, or move it to start with an empty one',
  },
  {
    pattern: /malformed/,
    code: 'STATE_DAMAGED',
    what: 'its contents are damaged',
    hint: 'keep a copy of the file for inspection, then restore it from a backup',
  },
  {pattern: /disk is full/, code: 'STATE', what: DISK_FULL, hint: DISK_FULL_HINT},
  {
    pattern: /readonly database/,
    code: 'STATE',
    what: 'it is not writable',
    hint: ownerHint,
  },
  {
    pattern: /unable to open database|could not open the database/i,
    code: 'STATE',
    what: 'it cannot be opened',
    hint: ownerHint,
  },
  {
    pattern: /database (table )?is locked/,
    code: 'LOCKED',
    what: 'another program has it open',
    hint: 'close the other program (for example a database browser), then run the same command again',
  },
  {
    pattern: /disk I\/O error/,
    code: 'STATE',
    what: 'the disk reported an error',
    hint: 'check the disk; the write was not confirmed',
  },
];

/** An error of the disk or file as a RemitError; an error in SQL or a violated constraint is returned unchanged. */
export function sqliteFailure(error: unknown, action: string, file: string): unknown {
  if (error instanceof RemitError || !(error instanceof Error)) return error;
  const known = BY_MESSAGE.find(({pattern}) => pattern.test(error.message));
  if (known === undefined) return error;
  // The WASM driver turns every errno into "disk I/O error", including a full disk.
  const full = known.what !== DISK_FULL && /I\/O/.test(error.message) && isDiskFull(file);
  const {code, what, hint} = full ? {code: 'STATE' as const, what: DISK_FULL, hint: DISK_FULL_HINT} : known;
  return new RemitError(code, `Could not ${action} ${file}: ${what}`, {
    ...{hint: hintFor(hint, file), details: {file}, cause: error},
  });
}

function isDiskFull(file: string): boolean {
  try {
    const {bavail, bsize} = statfsSync(dirname(file));
    return bavail * bsize < FULL_BELOW_BYTES;
  } catch {
    return false; // only the wording depends on it
  }
}
