import {createHash} from 'node:crypto';
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {codeOf} from '../narrow.ts';
import {fileFailure} from '../store/files/failures.ts';
import {makeFolder, syncFolder} from '../store/files/folder.ts';
import {readDocument, type SignedDocument} from './document.ts';

/** An approval of a million rows has about 90 MB. */
const LARGEST_BYTES = 400 * 1024 * 1024;

/** Approvals beside the journal of a batch. Files are added and never changed. */
export const approvalsFolder = (batchFolder: string): string => join(batchFolder, 'approvals');

/** The name of an approval is the hash of its text. */
const nameOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 32);

/** Adds an approval to a batch; durable when it returns. Adding it again changes nothing. */
export function keepDocument(batchFolder: string, text: string): string {
  const folder = approvalsFolder(batchFolder);
  const name = nameOf(text);
  const path = join(folder, `${name}.json`);
  makeFolder(folder);
  try {
    const file = openSync(path, 'wx', 0o600);
    try {
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    syncFolder(folder);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw fileFailure(error, 'write', path);
  }
  return name;
}

/** Makes the approvals of one folder those of another one, which had some of them or none. */
export function replaceDocuments(from: string, to: string): void {
  rmSync(approvalsFolder(to), {recursive: true, force: true});
  for (const {text} of documentTexts(from)) keepDocument(to, text);
}

/**
 * Reads the approvals of a batch. A file that is not exactly as it was added refuses all of them: it was changed by
 * someone who can write here.
 * @throws RemitError GUARD_APPROVAL
 */
export const readDocuments = (batchFolder: string): NamedDocument[] =>
  documentTexts(batchFolder).map(({path, text}) => namedDocument(text, path));

/** An approval with its name. */
export type NamedDocument = SignedDocument & {name: string};

export const namedDocument = (text: string, what: string): NamedDocument => ({
  ...readDocument(text, what),
  name: nameOf(text),
});

/** The texts of the approvals of a batch. */
export function documentTexts(batchFolder: string): {path: string; text: string}[] {
  const folder = approvalsFolder(batchFolder);
  let names: string[];
  try {
    names = readdirSync(folder).sort();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw fileFailure(error, 'read', folder);
  }
  return names.map((file) => {
    const path = join(folder, file);
    const text = readApprovalFile(path, true);
    if (file !== `${nameOf(text)}.json`)
      throw new RemitError('GUARD_APPROVAL', `${path} is not valid: it was changed after it was added`, {
        hint: 'find out who changed it; remove it, and let the batch be approved again',
      });
    return {path, text};
  });
}

/**
 * The text of a file that holds an approval, a request or a policy.
 * @param isOurs it was written by remit, so that others must not be able to change it
 */
export function readApprovalFile(path: string, isOurs = false): string {
  try {
    const file = openSync(path, constants.O_RDONLY | (isOurs ? (constants.O_NOFOLLOW ?? 0) : 0));
    try {
      const stats = fstatSync(file);
      if (!stats.isFile() || stats.size > LARGEST_BYTES)
        throw new Error('it is not a file of the expected size');
      if (isOurs && process.platform !== 'win32' && (stats.mode & 0o022) !== 0)
        throw new Error(`other users can change it: chmod 600 ${path}`);
      return readFileSync(file, 'utf8');
    } finally {
      closeSync(file);
    }
  } catch (error) {
    throw fileFailure(error, 'read', path);
  }
}
