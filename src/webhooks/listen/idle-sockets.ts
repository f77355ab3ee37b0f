import type {Socket} from 'node:net';

interface Check {
  /** Bytes that it had sent then. */
  bytes: number;
  turn: number;
}

/** Bounds the open connections: when there are too many, those that have been silent for long are closed. */
export class IdleSockets {
  readonly #most: number;
  /** Each with its last check; the one whose check is oldest comes first. */
  readonly #sockets = new Map<Socket, Check>();
  #turn = 0;
  #isPlanned = false;

  constructor(most: number) {
    this.#most = most;
  }

  /** A listener for the data of each socket would make Node copy all of it, so their byte counts are compared instead. */
  add(socket: Socket): void {
    this.#sockets.set(socket, {bytes: socket.bytesRead, turn: this.#turn});
    socket.on('close', () => this.#sockets.delete(socket));
    this.#plan();
  }

  /** Hundreds of connections are accepted in one turn; what they have sent is read in the next one. */
  #plan(): void {
    if (this.#isPlanned || this.#sockets.size <= this.#most) return;
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
    let checks = this.#sockets.size;
    for (const [socket, {bytes, turn}] of this.#sockets) {
      if (this.#sockets.size <= this.#most || checks === 0) return;
      checks -= 1;
      this.#sockets.delete(socket);
      const isNew = turn === this.#turn;
      if (socket.bytesRead === bytes && !isNew) socket.destroy();
      else this.#sockets.set(socket, {bytes: isNew ? bytes : socket.bytesRead, turn});
    }
  }
}
