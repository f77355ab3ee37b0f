import type {Server} from 'node:net';
import {RemitError} from '../errors.ts';

/** Resolves once the server listens. @throws RemitError PORT_IN_USE, or STATE with what the system reported */
export function listenOn(server: Server, {host, port, hint}: {host: string; port: number; hint: string}) {
  return new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      const elsewhere = error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND';
      const why = elsewhere ? 'this machine does not have this address' : error.message;
      reject(
        new RemitError(
          taken ? 'PORT_IN_USE' : 'STATE',
          taken ? `port ${port} of ${host} is in use` : `cannot listen on ${host}:${port}: ${why}`,
          {hint: elsewhere ? 'choose an address of this machine, such as 127.0.0.1' : hint, cause: error},
        ),
      );
    });
    server.listen(port, host, () => {
      server.removeAllListeners('error').on('error', () => undefined);
      resolve();
    });
  });
}
