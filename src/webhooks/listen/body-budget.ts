/** One body that is being received. */
export interface OpenBody {
  /** Adds to its size, and returns it. */
  grow(bytes: number): number;
  /** Safe to call twice. */
  close(): void;
}

/** Bounds the bytes of all bodies under way: when there are too many, the largest unfinished one is cut. */
export class BodyBudget {
  readonly #most: number;
  readonly #bodies = new Set<{size: number; cut: () => void}>();
  #total = 0;

  constructor(mostBytes: number) {
    this.#most = mostBytes;
  }

  open(cut: () => void): OpenBody {
    const body = {size: 0, cut};
    this.#bodies.add(body);
    const close = () => {
      if (this.#bodies.delete(body)) this.#total -= body.size;
    };
    return {
      grow: (bytes) => {
        if (!this.#bodies.has(body)) return body.size;
        body.size += bytes;
        this.#total += bytes;
        if (this.#total > this.#most) this.#cutLargest();
        return body.size;
      },
      close,
    };
  }

  #cutLargest(): void {
    let largest: {size: number; cut: () => void} | undefined;
    for (const body of this.#bodies) if (largest === undefined || body.size > largest.size) largest = body;
    if (largest === undefined) return;
    this.#bodies.delete(largest);
    this.#total -= largest.size;
    largest.cut();
  }
}
