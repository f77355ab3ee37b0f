import {Slots} from './slots.ts';

/** One body that is being received. */
export interface OpenBody {
  /** Adds to its size, and returns it. */
  grow(bytes: number): number;
  /** It has arrived: it is not cut any more, and counts until it is closed. */
  complete(): void;
  /** Safe to call twice. */
  close(): void;
}

interface Body {
  size: number;
  cut: () => void;
  isOpen: boolean;
  isComplete: boolean;
}

/** Smaller ones are not cut: deliveries of the service are below 1 KB. */
const SMALL_BYTES = 16_384;

/** Bounds the bytes of all bodies under way: when there are too many, the largest unfinished one is cut. */
export class BodyBudget {
  readonly #most: number;
  readonly #bodies = new Slots<Body>();
  #total = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  open(cut: () => void): OpenBody {
    const body: Body = {size: 0, cut, isOpen: true, isComplete: false};
    const at = this.#bodies.add(body);
    return {
      grow: (bytes) => {
        if (!body.isOpen) return body.size;
        body.size += bytes;
        this.#total += bytes;
        if (this.#total > this.#most) this.#cutLargest();
        return body.size;
      },
      complete: () => void (body.isComplete = true),
      close: () => this.#close(at, body),
    };
  }

  #close(at: number, body: Body): void {
    if (!this.#bodies.remove(at, body)) return;
    body.isOpen = false;
    this.#total -= body.size;
  }

  #cutLargest(): void {
    let largest: [at: number, body: Body] | undefined;
    for (const one of this.#bodies) {
      const {size, isComplete} = one[1];
      if (!isComplete && size > (largest?.[1].size ?? SMALL_BYTES)) largest = one;
    }
    if (largest === undefined) return;
    this.#close(...largest);
    largest[1].cut();
  }
}
