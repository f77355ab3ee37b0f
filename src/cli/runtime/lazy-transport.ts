import type {Transport} from '../../client/transport/transport.ts';

/** A transport that is opened with its first request: a command that sends nothing loads no HTTP. */
export function lazyTransport(open: () => Promise<Transport>): Transport {
  let opened: Promise<Transport> | undefined;
  return {
    async send(request) {
      opened ??= open();
      return (await opened).send(request);
    },
    async close() {
      if (opened !== undefined) await (await opened).close();
    },
  };
}
