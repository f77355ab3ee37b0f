import type {Socket} from 'node:net';

/** One open connection, and its last check. Connections form a ring in the order of their checks. */
interface Link {
  socket: Socket | undefined;
  /** Bytes received from it by then. */
  bytes: number;
  turn: number;
  before: Link;
  after: Link;
}

/**
 * Limits the open connections: if there are too many, those that have been silent for long are closed. A ring, not a
 * Map: at ten thousand connections per second, the old tables of a Map keep closed ones alive until a full garbage
 * collection.
 */
export class IdleSockets {
  readonly #most: number;
  /** The end of the list: it stands before the oldest socket and after the newest. */
  readonly #ends: Link;
  #size = 0;
  #turn = 0;
  #isPlanned = false;

  constructor(most: number) {
    this.#most = most;
    const ends = {socket: undefined, bytes: 0, turn: 0} as unknown as Link;
    ends.before = ends;
    ends.after = ends;
    this.#ends = ends;
  }

  /** A data listener on each socket would make Node copy all of its data, so byte counts are compared instead. */
  add(socket: Socket): void {
    const link = this.#append({socket, bytes: socket.bytesRead, turn: this.#turn});
    this.#size += 1;
    socket.on('close', () => this.#remove(link));
    this.#plan();
  }

  #append(check: Pick<Link, 'socket' | 'bytes' | 'turn'>, link = check as Link): Link {
    const ends = this.#ends;
    link.before = ends.before;
    link.after = ends;
    ends.before.after = link;
    ends.before = link;
    return link;
  }

  /** Has no links afterwards, so that it keeps nothing alive. */
  #unlink(link: Link): void {
    link.before.after = link.after;
    link.after.before = link.before;
    link.before = link;
    link.after = link;
  }

  #remove(link: Link): void {
    if (link.socket === undefined) return;
    link.socket = undefined;
    this.#unlink(link);
    this.#size -= 1;
  }

  /** Hundreds of connections are accepted in one turn; their data is read in the next one. */
  #plan(): void {
    if (this.#isPlanned || this.#size <= this.#most) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#turn += 1;
      setImmediate(() => {
        this.#isPlanned = false;
        this.#closeSome();
        this.#plan();
      });
    });
  }

  /** Closes those that have sent nothing since their last check; the others, and new ones, move to the end. */
  #closeSome(): void {
    for (let checks = this.#size; checks > 0 && this.#size > this.#most; checks -= 1) {
      const link = this.#ends.after;
      const socket = link.socket!; // there are more than enough
      const isNew = link.turn === this.#turn;
      if (socket.bytesRead === link.bytes && !isNew) {
        this.#remove(link);
        socket.destroy();
        continue;
      }
      if (!isNew) link.bytes = socket.bytesRead;
      link.turn = this.#turn;
      this.#unlink(link);
      this.#append(link, link);
    }
  }
}
