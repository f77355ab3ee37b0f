/**
 * A map that drops its oldest entries: it keeps at least the last half of `most`, and at most `most`. Whole
 * generations are dropped, because repeatedly removing the first entry of a large Map takes time in proportion to its
 * size.
 */
export class RecentMap<K, V> {
  readonly #half: number;
  #recent = new Map<K, V>();
  #older = new Map<K, V>();

  constructor(most: number) {
    this.#half = Math.max(1, Math.floor(most / 2));
  }

  get(key: K): V | undefined {
    return this.#recent.get(key) ?? this.#older.get(key);
  }

  set(key: K, value: V): void {
    if (this.#recent.size >= this.#half && !this.#recent.has(key)) {
      this.#older = this.#recent;
      this.#recent = new Map();
    }
    this.#recent.set(key, value);
  }

  delete(key: K): void {
    this.#recent.delete(key);
    this.#older.delete(key);
  }
}
