import type {LargeBodies, BodySlot} from './large-bodies.ts';

/** Deliveries of the service are below 1 KB. Bodies up to this size do not need a slot for large bodies. */
export const SMALL_BYTES = 16_384;

export interface BodyReaderOptions {
  large: LargeBodies;
  maxBytes: number;
  /** Called once, when the body outgrows `SMALL_BYTES`; false stops reading it. */
  mayBeLarge: () => boolean;
  /** The slot of the body was given to another one. */
  onCut: () => void;
}

/** `unwanted`: it need not be read further. `crowded`: too many large bodies at the same time. */
export type BodyStop = 'unwanted' | 'too_large' | 'crowded';

/**
 * Collects one body. It keeps at most one of Node's chunks: many small ones take far more memory than their bytes.
 */
export class BodyReader {
  readonly #options: BodyReaderOptions;
  #bytes: Buffer | undefined;
  #place: BodySlot | undefined;
  #size = 0;

  constructor(options: BodyReaderOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#size;
  }

  /** What has arrived. Unless it is a small body, it is overwritten once the reader is released. */
  get bytes(): Buffer {
    return this.#bytes?.subarray(0, Math.min(this.#size, this.#bytes.length)) ?? NO_BYTES;
  }

  /** Why to stop reading; undefined to continue. */
  add(chunk: Buffer): BodyStop | undefined {
    const start = this.#size;
    this.#size += chunk.length;
    const {large, maxBytes, mayBeLarge, onCut} = this.#options;
    if (this.#size <= SMALL_BYTES && this.#size <= maxBytes) {
      if (start === 0) this.#bytes = chunk;
      else this.#append(chunk, start);
      return undefined;
    }
    if (this.#size > maxBytes) return 'too_large';
    if (this.#place === undefined) {
      if (!mayBeLarge()) {
        this.#append(chunk.subarray(0, SMALL_BYTES - start), start);
        return 'unwanted';
      }
      this.#place = large.take(onCut);
      if (this.#place === undefined) return 'crowded';
      if (this.#bytes !== undefined) this.#place.buffer.set(this.#bytes.subarray(0, start));
      this.#bytes = this.#place.buffer;
    }
    this.#place.buffer.set(chunk, start);
    return undefined;
  }

  complete(): void {
    this.#place?.complete();
  }

  release(): void {
    this.#place?.release();
  }

  #append(chunk: Buffer, start: number): void {
    if (this.#bytes?.length !== SMALL_BYTES) {
      const room = Buffer.allocUnsafeSlow(SMALL_BYTES);
      if (this.#bytes !== undefined) room.set(this.#bytes);
      this.#bytes = room;
    }
    this.#bytes.set(chunk, start);
  }
}

const NO_BYTES = Buffer.alloc(0);
