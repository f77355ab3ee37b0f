import {RemitError} from '../errors.ts';

/** Bytes as SSH writes them (RFC 4251, section 5). Anything that does not fit is refused. */
export class SshReader {
  readonly #bytes: Buffer;
  readonly #what: string;
  #at = 0;

  constructor(bytes: Buffer, what: string) {
    this.#bytes = bytes;
    this.#what = what;
  }

  take(length: number): Buffer {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw notValid(this.#what, 'it is cut off');
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }

  uint32(): number {
    return this.take(4).readUInt32BE();
  }

  string(): Buffer {
    return this.take(this.uint32());
  }

  text(): string {
    return this.string().toString('latin1');
  }

  /** A positive whole number, in its only form. */
  number(): Buffer {
    const bytes = this.string();
    const [first = 0, second = 0] = bytes;
    const isPadded = first === 0 && second < 0x80;
    if (bytes.length === 0 || first > 0x7f || isPadded)
      throw notValid(this.#what, 'it has a malformed number');
    return first === 0 ? bytes.subarray(1) : bytes;
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw notValid(this.#what, 'it has bytes after its end');
  }
}

/** Text as SSH writes it: its length, then its bytes. */
export function sshString(bytes: Buffer | string): Buffer {
  const content = Buffer.from(bytes);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  return Buffer.concat([length, content]);
}

export const notValid = (what: string, why: string): RemitError =>
  new RemitError('GUARD_APPROVAL', `${what} is not valid: ${why}`);

/** Only the one form of base64 that these bytes have. */
export function fromBase64(text: string, what: string): Buffer {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw notValid(what, 'it is not base64');
  return bytes;
}
