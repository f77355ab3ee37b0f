import {ForwardedSpeed} from './forward.ts';

/** A speed with an upper bound of this machine on requests in flight, found when no socket could be opened. */
export class CappedSpeed extends ForwardedSpeed {
  #most = Infinity;

  /** This many requests at a time were too many for this machine. */
  tooMany(inFlight: number): void {
    this.#most = Math.max(1, Math.min(this.#most, inFlight - 1));
  }

  override limit(): number {
    return Math.min(super.limit(), this.#most);
  }
}
