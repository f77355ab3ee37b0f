import {type AddressInfo, connect, createServer, type Server, type Socket} from 'node:net';

/** What happens to a piece of data: it passes, late or not; the connection breaks before or after it; or all is silent. */
export type ProxyFate = 'pass' | 'late' | 'break-before' | 'break-after' | 'silent';

/** A network between runners and the database, which a test makes worse. */
export class HostileProxy {
  fate: (toServer: boolean, data: Buffer) => ProxyFate = () => 'pass';
  lateMs = 2000;
  target: () => {path: string} | {port: number; host: string};
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: HostileProxy['target']) {
    this.target = target;
    this.#server = createServer((client) => this.#accept(client));
  }

  static async open(target: HostileProxy['target']): Promise<HostileProxy> {
    const proxy = new HostileProxy(target);
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  #accept(client: Socket): void {
    const target = this.target();
    const server = 'path' in target ? connect(target.path) : connect(target.port, target.host);
    let isSilent = false;
    const both = [client, server];
    for (const socket of both) {
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        for (const other of both) other.destroy();
      });
    }
    const pass = (from: Socket, to: Socket) => {
      let before = Promise.resolve();
      from.on('data', (data) => {
        before = before.then(async () => {
          if (isSilent) return;
          const fate = this.fate(to === server, data);
          if (fate === 'silent') isSilent = true;
          if (fate === 'silent') return;
          if (fate === 'late') await new Promise((resolve) => setTimeout(resolve, this.lateMs));
          if (fate !== 'break-before') to.write(data);
          if (fate === 'break-after') await new Promise((resolve) => setTimeout(resolve, 30)); // until it has arrived
          if (fate === 'break-after' || fate === 'break-before') for (const socket of both) socket.destroy();
        });
      });
    };
    pass(client, server);
    pass(server, client);
  }

  /** Breaks every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
