/** A binary heap of (time, kind, value) in typed arrays; events of one time come in the order in which they were put in. */
export class EventQueue {
  size = 0;
  #times = new Float64Array(1024);
  #orders = new Float64Array(1024);
  #kinds = new Uint8Array(1024);
  #values = new Float64Array(1024);
  #next = 0;

  /** Of the next event, Infinity when there is none. */
  get time(): number {
    return this.size === 0 ? Infinity : this.#times[0]!;
  }

  get kind(): number {
    return this.#kinds[0]!;
  }

  get value(): number {
    return this.#values[0]!;
  }

  push(time: number, kind: number, value: number): void {
    if (this.size === this.#times.length) this.#grow();
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#times[parent]! <= time) break;
      this.#move(parent, at);
      at = parent;
    }
    this.#put(at, time, this.#next++, kind, value);
  }

  /** Drops the next event. */
  pop(): void {
    const last = --this.size;
    const [time, order] = [this.#times[last]!, this.#orders[last]!];
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= last) break;
      if (child + 1 < last && this.#isBefore(child + 1, this.#times[child]!, this.#orders[child]!)) child++;
      if (!this.#isBefore(child, time, order)) break;
      this.#move(child, at);
      at = child;
    }
    this.#put(at, time, order, this.#kinds[last]!, this.#values[last]!);
  }

  #isBefore(at: number, time: number, order: number): boolean {
    return this.#times[at]! < time || (this.#times[at] === time && this.#orders[at]! < order);
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#times[from]!, this.#orders[from]!, this.#kinds[from]!, this.#values[from]!);
  }

  #put(at: number, time: number, order: number, kind: number, value: number): void {
    this.#times[at] = time;
    this.#orders[at] = order;
    this.#kinds[at] = kind;
    this.#values[at] = value;
  }

  #grow(): void {
    const larger = (old: Float64Array) => {
      const array = new Float64Array(this.size * 2);
      array.set(old);
      return array;
    };
    this.#times = larger(this.#times);
    this.#orders = larger(this.#orders);
    this.#values = larger(this.#values);
    const kinds = new Uint8Array(this.size * 2);
    kinds.set(this.#kinds);
    this.#kinds = kinds;
  }
}
