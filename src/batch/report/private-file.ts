import {createHash} from 'node:crypto';
import {
  closeSync,
  constants,
  fsyncSync,
  lstatSync,
  openSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';

const CHUNK = 64 * 1024;

/** A CSV that is not visible until it is complete. */
export class CsvFile {
  readonly #path: string;
  readonly #draft: string;
  readonly #fd: number;
  readonly #hash = createHash('sha256');
  #buffer = '';
  #open = true;

  constructor(path: string) {
    refuseLink(path);
    this.#path = path;
    this.#draft = `${path}.${process.pid}.part`;
    this.#fd = whileWriting(path, () => openPrivate(this.#draft));
  }

  line(cells: readonly string[], delimiter: string): void {
    this.#buffer += `${cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter)}\r\n`;
    if (this.#buffer.length > CHUNK) this.#flush();
  }

  /** The hash of all lines until now. */
  sha256(): string {
    this.#flush();
    return this.#hash.copy().digest('hex');
  }

  publish(): void {
    this.#flush();
    whileWriting(this.#path, () => {
      fsyncSync(this.#fd);
      this.#close();
      refuseLink(this.#path);
      renameSync(this.#draft, this.#path);
    });
  }

  discard(): void {
    whileWriting(this.#path, () => {
      this.#close();
      rmSync(this.#draft, {force: true});
    });
  }

  #flush(): void {
    whileWriting(this.#path, () => writeFileSync(this.#fd, this.#buffer)); // all of it: a full disk may accept only a part
    this.#hash.update(this.#buffer);
    this.#buffer = '';
  }

  #close(): void {
    if (this.#open) closeSync(this.#fd);
    this.#open = false;
  }
}

/** Mode 0600, by rename, never through a link. */
export function writePrivately(path: string, text: string): void {
  refuseLink(path);
  whileWriting(path, () => {
    const draft = `${path}.${process.pid}.part`;
    const fd = openPrivate(draft);
    writeFileSync(fd, text);
    fsyncSync(fd);
    closeSync(fd);
    renameSync(draft, path);
  });
}

const openPrivate = (draft: string): number => {
  rmSync(draft, {force: true}); // left by a dead process with the same id
  return openSync(
    draft,
    constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
    0o600,
  );
};

/** @throws RemitError STATE */
export function refuseLink(path: string): void {
  if (lstatSync(path, {throwIfNoEntry: false})?.isSymbolicLink())
    throw new RemitError('STATE', `${path} is a symbolic link; results are not written through one`, {
      hint: 'remove the link, or name another folder with --out',
    });
}

/** @throws RemitError STATE naming the file */
export function whileWriting<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof RemitError) throw cause;
    throw new RemitError('STATE', `cannot write ${path}: ${messageOf(cause)}`, {cause});
  }
}
