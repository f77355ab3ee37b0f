/** Seeded randomness: one stream for each question, so that leaving one out does not change the others. */
export class Dice {
  #state: number;

  constructor(seed: number, stream: string) {
    let state = (seed ^ 0x9e3779b9) >>> 0;
    for (let i = 0; i < stream.length; i++) state = Math.imul(state ^ stream.charCodeAt(i), 0x01000193) >>> 0;
    // Seeds that are neighbours must not give streams that are.
    state = Math.imul(state ^ (state >>> 16), 0x85ebca6b) >>> 0;
    state ^= Math.floor(seed / 0x100000000) >>> 0;
    this.#state = Math.imul(state ^ (state >>> 13), 0xc2b2ae35) >>> 0;
  }

  /** Uniform in [0, 1): mulberry32. */
  readonly next = (): number => {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };

  chance(share: number): boolean {
    return this.next() < share;
  }

  /** Draws only where it could come true, so that worlds without it stay the same. */
  chanceOf(share: number): boolean {
    return share > 0 && this.chance(share);
  }

  /** Whole, from 0 to below `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  between(low: number, high: number): number {
    return low + this.next() * (high - low);
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]!;
  }

  /** By weight. */
  draw<T extends string>(weights: Readonly<Record<T, number>>): T {
    const names = Object.keys(weights) as T[]; // keys of the record itself
    let at = this.next() * names.reduce((sum, name) => sum + weights[name], 0);
    for (const name of names) if ((at -= weights[name]) < 0) return name;
    return names.at(-1)!;
  }

  /** In place. */
  shuffle<T>(items: T[]): T[] {
    for (let i = items.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [items[i], items[j]] = [items[j]!, items[i]!];
    }
    return items;
  }
}
