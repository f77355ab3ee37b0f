const LF = 0x0a;
const CR = 0x0d;
const SIZE_LINE = /^([0-9a-fA-F]{1,8})[ \t]*(;.*)?$/;
/** Maximum size of one line with a chunk size, and of all trailers together. */
const MOST_LINE_BYTES = 4096;

type State = 'size' | 'data' | 'data_cr' | 'data_lf' | 'trailers' | 'done' | 'bad';

/** Decodes a chunked body (RFC 9112, section 7.1). Extensions and trailers are ignored. */
export class ChunkedBody {
  #state: State = 'size';
  /** Bytes of the chunk that are still to come. */
  #left = 0;
  #line = '';
  #trailerBytes = 0;

  get isDone(): boolean {
    return this.#state === 'done';
  }
  get isBad(): boolean {
    return this.#state === 'bad';
  }

  /**
   * Reads up to the end of the body, or of these bytes, or until `onPiece` returns false.
   * @returns how many were read
   */
  read(bytes: Buffer, onPiece: (piece: Buffer) => boolean): number {
    let at = 0;
    while (at < bytes.length && this.#state !== 'done' && this.#state !== 'bad') {
      if (this.#state === 'data') {
        const piece = bytes.subarray(at, at + this.#left);
        at += piece.length;
        this.#left -= piece.length;
        if (this.#left === 0) this.#state = 'data_cr';
        if (!onPiece(piece)) return at;
      } else if (this.#state === 'data_cr' || this.#state === 'data_lf') {
        const isFirst = this.#state === 'data_cr';
        if (bytes[at] !== (isFirst ? CR : LF)) this.#state = 'bad';
        else this.#state = isFirst ? 'data_lf' : 'size';
        at += 1;
      } else at = this.#readLine(bytes, at);
    }
    return at;
  }

  #readLine(bytes: Buffer, from: number): number {
    const found = bytes.indexOf(LF, from);
    const end = found === -1 ? bytes.length : found;
    if (this.#line.length + end - from > MOST_LINE_BYTES) {
      this.#state = 'bad';
      return end;
    }
    this.#line += bytes.toString('latin1', from, end);
    if (found === -1) return end;
    const line = this.#line;
    this.#line = '';
    if (!line.endsWith('\r')) this.#state = 'bad';
    else if (this.#state === 'size') this.#readSize(line.slice(0, -1));
    else this.#readTrailer(line.slice(0, -1));
    return end + 1;
  }

  #readSize(line: string): void {
    const [, digits] = SIZE_LINE.exec(line) ?? [];
    if (digits === undefined) this.#state = 'bad';
    else {
      this.#left = Number.parseInt(digits, 16);
      this.#state = this.#left === 0 ? 'trailers' : 'data';
    }
  }

  #readTrailer(line: string): void {
    this.#trailerBytes += line.length;
    if (line === '') this.#state = 'done';
    else if (this.#trailerBytes > MOST_LINE_BYTES) this.#state = 'bad';
  }
}
