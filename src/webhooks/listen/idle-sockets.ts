import type {Socket} from 'node:net';

/** Bounds the open connections: when there are too many, one that has been silent for long is closed. */
export class IdleSockets {
  readonly #most: number;
  /** Each with the bytes it had sent when it was last checked; the one whose check is oldest comes first. */
  readonly #sockets = new Map<Socket, number>();

  constructor(most: number) {
    this.#most = most;
  }

  /** A listener for the data of each socket would make Node copy all of it, so their byte counts are compared instead. */
  add(socket: Socket): void {
    if (this.#sockets.size >= this.#most) this.#closeOne();
    this.#sockets.set(socket, socket.bytesRead);
    socket.on('close', () => this.#sockets.delete(socket));
  }

  /** Closes the first socket that has sent nothing since its last check; those that have sent something move to the end. */
  #closeOne(): void {
    for (const [socket, before] of this.#sockets) {
      this.#sockets.delete(socket);
      if (socket.bytesRead === before) return void socket.destroy();
      this.#sockets.set(socket, socket.bytesRead);
    }
  }
}
