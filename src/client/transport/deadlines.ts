/** How late a deadline may be noticed. */
const STEP_MS = 20;

/** An object with a deadline. */
export interface Timed {
  /** Monotonic time, in milliseconds. */
  dueAt: number;
  /** Maintained by `Deadlines`. */
  place: number;
  /** Called once `dueAt` has passed; must either remove itself or move `dueAt` forward. */
  onDue(): void;
}

/**
 * The deadlines of everything that is running. One timer checks all of them, because two or three Node timers per
 * request cost more than a batch's own bookkeeping.
 */
export class Deadlines {
  readonly #members: Timed[] = [];
  #timer: NodeJS.Timeout | undefined;

  add(member: Timed): void {
    member.place = this.#members.push(member) - 1;
    this.#timer ??= setInterval(() => this.look(performance.now()), STEP_MS).unref(); // the sockets keep the process alive
  }

  remove(member: Timed): void {
    const {place} = member;
    if (this.#members[place] !== member) return;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    this.#members[place] = last;
    last.place = place;
  }

  /** Runs at each tick of the timer. */
  look(now: number): void {
    // The loop runs from the end, because a removed entry is replaced by one that was already checked.
    for (let place = this.#members.length - 1; place >= 0; place--) {
      const member = this.#members[place];
      if (member !== undefined && member.dueAt <= now) member.onDue();
    }
    if (this.#members.length > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
