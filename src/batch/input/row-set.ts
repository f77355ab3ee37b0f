/** A set of row numbers. It uses one bit for each row up to the largest, and no memory while it is empty. */
export class RowSet {
  #bits = new Uint8Array(0);

  add(n: number): void {
    const byte = n >>> 3;
    if (byte >= this.#bits.length) {
      const larger = new Uint8Array(2 * byte + 64);
      larger.set(this.#bits);
      this.#bits = larger;
    }
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (n & 7));
  }

  has(n: number): boolean {
    return ((this.#bits[n >>> 3] ?? 0) & (1 << (n & 7))) !== 0;
  }
}
