import assert from 'node:assert/strict';
import {once} from 'node:events';
import {type AddressInfo, createServer} from 'node:net';
import {RemitError} from '../../src/errors.ts';
import {listenOn} from '../../src/network/listening.ts';

const HOST = '127.0.0.1';
const codeOf = (code: string, message: RegExp) => (error: unknown) =>
  error instanceof RemitError &&
  error.code === code &&
  message.test(error.message) &&
  error.hint === 'the way out';

describe('a server that listens', () => {
  it('gets a free port, which a second one cannot have', async () => {
    const [first, second] = [createServer(), createServer()];
    await listenOn(first, {host: HOST, port: 0, hint: 'the way out'});
    const {port} = first.address() as AddressInfo;
    await assert.rejects(
      listenOn(second, {host: HOST, port, hint: 'the way out'}),
      codeOf('PORT_IN_USE', /^port \d+ of 127\.0\.0\.1 is in use$/),
    );
    first.emit('error', new Error('a connection could not be accepted')); // not fatal
    first.close();
    await once(first, 'close');
  });

  it("reports the system's message for another failure", async () => {
    const server = createServer();
    server.listen = () => {
      server.emit('error', Object.assign(new Error('listen EACCES'), {code: 'EACCES'}));
      return server;
    };
    await assert.rejects(
      listenOn(server, {host: HOST, port: 80, hint: 'the way out'}),
      codeOf('STATE', /^cannot listen on 127\.0\.0\.1:80: listen EACCES$/),
    );
  });
});
