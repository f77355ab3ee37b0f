import type {Socket} from 'node:net';

/** Bounds the open connections: when there are too many, the one that has been silent longest is closed. */
export class IdleSockets {
  readonly #most: number;
  /** In order of their last byte, oldest first. */
  readonly #sockets = new Set<Socket>();

  constructor(most: number) {
    this.#most = most;
  }

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', () => this.#touch(socket));
    if (this.#sockets.size <= this.#most) return;
    const [silent] = this.#sockets;
    this.#sockets.delete(silent!); // there is one: the newest at least
    silent!.destroy();
  }

  #touch(socket: Socket): void {
    if (this.#sockets.delete(socket)) this.#sockets.add(socket);
  }
}
