import {ForwardedSpeed} from './forward.ts';

/** A speed with a bound of this machine on what is in flight, found when no socket could be opened. */
export class CappedSpeed extends ForwardedSpeed {
  #most = Infinity;

  /** That many at a time were too many here. */
  tooMany(inFlight: number): void {
    this.#most = Math.max(1, Math.min(this.#most, inFlight - 1));
  }

  override limit(): number {
    return Math.min(super.limit(), this.#most);
  }
}
