import {Socket, type SocketConnectOpts} from 'node:net';
import {lookupLocally} from '../../network/local.ts';

/** A socket for the driver, whose own would ask DNS for `localhost`. */
export class LocalSocket extends Socket {
  /** The driver calls it with port and host, or with the path of a Unix socket. */
  override connect(target: SocketConnectOpts | number | string, host?: unknown): this {
    if (typeof target === 'number' && typeof host === 'string')
      return super.connect({port: target, host, lookup: lookupLocally});
    return typeof target === 'object' ? super.connect(target) : super.connect(String(target));
  }
}
