import type {Sending, Speed} from '../../../src/batch/speed/speed.ts';

/*
 * Controllers to compare with, written from the public descriptions of their algorithms with their published defaults:
 * Netflix concurrency-limits (AIMDLimit), Vector's adaptive request concurrency, the client rate limiter of the AWS SDKs'
 * adaptive retry mode behind a fixed number of workers, and that number alone.
 */

/** +1 for each success while at least half of the limit is used, x 0.9 for each refusal or an answer slower than 5 s. */
export class NetflixAimd implements Speed {
  #limit = 10;

  limit(): number {
    return this.#limit;
  }

  succeeded(now: number, sending: Sending): void {
    if (now - sending.at > 5000) this.#lower();
    else if (sending.inFlight * 2 >= this.#limit) this.#limit = Math.min(200, this.#limit + 1);
  }

  refused(): void {
    this.#lower();
  }

  #lower(): void {
    this.#limit = Math.max(1, Math.min(this.#limit - 1, Math.floor(this.#limit * 0.9)));
  }

  sent(): void {}
  earliest(now: number): number {
    return now;
  }
  answered(): void {}
  failed(): void {}
  tooMany(): void {}
  admitsNewRows(): boolean {
    return true;
  }
}

/**
 * Once per mean round trip: +1 when the limit was reached and the latency is not above its moving average, x 0.9 after
 * a refusal or when the latency is above the average by more than 2.5 deviations.
 */
export class VectorArc implements Speed {
  #limit = 1;
  #mean: number | undefined;
  #variance = 0;
  #sum = 0;
  #count = 0;
  #nextUpdate = 0;
  #refused = false;
  #reached = false;

  limit(): number {
    return this.#limit;
  }

  sent(_now: number, inFlight: number): void {
    if (inFlight >= this.#limit) this.#reached = true;
  }

  succeeded(now: number, sending: Sending): void {
    this.#sum += now - sending.at;
    this.#count++;
    this.#adjust(now);
  }

  refused(now: number): void {
    this.#refused = true;
    this.#adjust(now);
  }

  #adjust(now: number): void {
    const current = this.#count === 0 ? undefined : this.#sum / this.#count;
    if (this.#mean === undefined) {
      if (current === undefined) return;
      this.#mean = current;
      this.#nextUpdate = now + current;
      return;
    }
    if (now < this.#nextUpdate) return;
    const threshold = Math.sqrt(this.#variance) * 2.5;
    if (
      this.#limit < 200 &&
      this.#reached &&
      !this.#refused &&
      current !== undefined &&
      current <= this.#mean
    )
      this.#limit++;
    else if (this.#limit > 1 && (this.#refused || (current ?? 0) >= this.#mean + threshold))
      this.#limit = Math.max(1, Math.floor(this.#limit * 0.9));
    if (current !== undefined) {
      const difference = current - this.#mean;
      this.#mean += 0.4 * difference;
      this.#variance = 0.6 * (this.#variance + 0.4 * difference * difference);
    }
    this.#nextUpdate = now + this.#mean;
    this.#sum = this.#count = 0;
    this.#refused = this.#reached = false;
  }

  earliest(now: number): number {
    return now;
  }
  answered(): void {}
  failed(): void {}
  tooMany(): void {}
  admitsNewRows(): boolean {
    return true;
  }
}

/** A token bucket whose rate falls to 0.7 at a refusal and comes back along a cubic; 64 workers use it. Times in seconds. */
export class AwsCubic implements Speed {
  #enabled = false;
  #measured = 0;
  #count = 0;
  #slot = 0;
  #rate = 0.5;
  #capacity = 1;
  #tokens = 0;
  #filledAt = 0;
  #lastMax = 0;
  #lastThrottle = 0;
  #window = 0;

  earliest(now: number): number {
    if (!this.#enabled) return now;
    this.#refill(now / 1000);
    if (this.#tokens >= 1) return now;
    return now + Math.ceil(((1 - this.#tokens) / this.#rate) * 1e6) / 1000; // whole microseconds, or it never gets there
  }

  sent(): void {
    if (this.#enabled) this.#tokens--;
  }

  succeeded(now: number): void {
    const t = now / 1000;
    this.#measure(t);
    this.#window = Math.cbrt((this.#lastMax * 0.3) / 0.4);
    this.#setRate(0.4 * (t - this.#lastThrottle - this.#window) ** 3 + this.#lastMax, t);
  }

  refused(now: number): void {
    const t = now / 1000;
    this.#measure(t);
    const used = this.#enabled ? Math.min(this.#measured, this.#rate) : this.#measured;
    this.#lastMax = used;
    this.#lastThrottle = t;
    this.#enabled = true;
    this.#setRate(used * 0.7, t);
  }

  #measure(t: number): void {
    const slot = Math.floor(t * 2) / 2;
    this.#count++;
    if (slot <= this.#slot) return;
    this.#measured = (this.#count / (slot - this.#slot)) * 0.8 + this.#measured * 0.2;
    this.#count = 0;
    this.#slot = slot;
  }

  #setRate(rate: number, t: number): void {
    this.#refill(t);
    this.#rate = Math.max(0.5, Math.min(rate, 2 * this.#measured));
    this.#capacity = Math.max(1, this.#rate);
    this.#tokens = Math.min(this.#tokens, this.#capacity);
  }

  #refill(t: number): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + (t - this.#filledAt) * this.#rate);
    this.#filledAt = t;
  }

  answered(): void {}
  failed(): void {}
  tooMany(): void {}
  admitsNewRows(): boolean {
    return true;
  }
  limit(): number {
    return 64;
  }
}
