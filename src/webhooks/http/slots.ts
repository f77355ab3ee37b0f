/**
 * A set for values that are added and removed thousands of times a second. A Set replaces its table all the time;
 * each old table references the next one, and as soon as one of them is in V8's old space, everything that was ever
 * in them stays until the next full collection.
 */
export class Slots<T> {
  readonly #slots: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#slots.length - this.#free.length;
  }

  /** Returns the slot, for `remove`. */
  add(value: T): number {
    const at = this.#free.pop() ?? this.#slots.length;
    this.#slots[at] = value;
    return at;
  }

  /** Whether it was there. Slots are reused, so the value is compared. */
  remove(at: number, value: T): boolean {
    if (this.#slots[at] !== value) return false;
    this.#slots[at] = undefined;
    this.#free.push(at);
    return true;
  }

  /** The values in no particular order; they may be removed during iteration. */
  *[Symbol.iterator](): Generator<[at: number, value: T]> {
    for (const [at, value] of this.#slots.entries()) if (value !== undefined) yield [at, value];
  }
}
