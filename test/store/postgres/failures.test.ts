import assert from 'node:assert/strict';
import {once} from 'node:events';
import {createServer, type Server, type Socket} from 'node:net';
import {TLSSocket} from 'node:tls';
import {portOf} from '../../../src/narrow.ts';
import type {RemitError} from '../../../src/errors.ts';
import {openPostgresStore} from '../../../src/store/postgres/postgres.ts';
import {postgresFailure} from '../../../src/store/postgres/failures.ts';
import {certify} from '../../network/authority.ts';

/** A message of the server: type, length, and text fields that end with a zero byte. */
function message(type: string, ...fields: string[]): Buffer {
  const body = Buffer.from(`${fields.join('\0')}\0`);
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeUInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const refusal = (code: string) =>
  message('E', 'SFATAL', 'VFATAL', `C${code}`, `Mthe words of ${code}\nand more`, '');

describe('a database that cannot be opened', () => {
  /** What the server does once it has received something. */
  let answer: (socket: Socket) => void;
  let server: Server;
  let address: string;
  const warned: string[] = [];
  const onWarning = (warning: Error) => warned.push(warning.message);

  before(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    address = `postgres://elm:hunter2hunter2@127.0.0.1:${portOf(server)}/d`;
    process.on('warning', onWarning);
  });
  after(() => {
    process.off('warning', onWarning);
    server.close();
  });

  const failureAt = async (parameters = '') => {
    let failure: RemitError | undefined;
    await assert.rejects(openPostgresStore(address + parameters, {migrations: []}), (error: RemitError) => {
      failure = error;
      return true;
    });
    assert.ok(failure);
    assert.deepEqual([failure.code, failure.exitCode], ['STATE', 13], failure.stack);
    const shown = address.replace('elm:hunter2hunter2@', '');
    assert.ok(failure.message.startsWith(`Could not open the database ${shown}, schema `), failure.message);
    assert.doesNotMatch(failure.message + (failure.hint ?? ''), /hunter2/);
    assert.ok(failure.hint);
    return failure;
  };

  for (const code of [
    '22023',
    '42704',
    '0A000',
    '08P01',
    '42601',
    '28000',
    '28P01',
    '3D000',
    'XX000',
    '57P03',
  ])
    it(`is an error of its own if the server refuses the connection with ${code}`, async () => {
      answer = (socket) => socket.end(refusal(code));
      const {message: text, details} = await failureAt();
      assert.equal(details?.['code'], code);
      assert.doesNotMatch(text, /and more/);
    });

  for (const [reply, says] of [
    ['N', /it does not offer TLS, which the sslmode of the address requires$/],
    ['HTTP/1.1 400 Bad Request\r\n\r\n', /what answers there is not PostgreSQL$/],
    ['E', /what answers there is not PostgreSQL$/],
    ['', /the connection was lost$/],
  ] as const)
    it(`is an error of its own if the answer to TLS is ${JSON.stringify(reply.slice(0, 8))}`, async () => {
      answer = (socket) => socket.end(reply);
      for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
        assert.match((await failureAt(`?sslmode=${mode}`)).message, says);
    });

  it('is an error of its own if the handshake fails', async () => {
    answer = (socket) => {
      socket.write('S');
      socket.once('data', () => socket.end('this is no TLS record at all'));
    };
    assert.match((await failureAt('?sslmode=require')).message, /the TLS handshake failed$/);
  });

  it('names the parameter for an authority that is not known', async () => {
    const {certificate: cert, key} = await certify({name: 'db', hosts: ['127.0.0.1']});
    answer = (socket) => {
      socket.write('S');
      new TLSSocket(socket, {isServer: true, cert, key}).on('error', () => undefined);
    };
    const {message: text, hint} = await failureAt('?sslmode=require');
    assert.match(text, /signed by an authority that this machine does not trust|self-signed/);
    assert.match(hint!, /sslrootcert=FILE/);
  });

  it('is asked of loopback, not of DNS, under every name of this machine', async () => {
    answer = (socket) => socket.end(refusal('22023'));
    const known = address;
    for (const host of ['localhost', 'localhost.', 'db.localhost', 'DB.Localhost']) {
      address = known.replace('127.0.0.1', host);
      await assert.rejects(openPostgresStore(address, {migrations: []}), /the words of 22023/, host);
    }
    address = known;
  });

  it('has no warning of the driver beside it', () => assert.deepEqual(warned, []));

  it('leaves an error in SQL of ours a bug, and no error of the server itself', () => {
    const failed = (code: string) => Object.assign(new Error('words'), {code});
    for (const code of ['42601', '22P02', '23502', '0A000'])
      assert.equal((postgresFailure(failed(code), 'read', 'd') as Error).name, 'Error', code);
    for (const code of ['08006', '53200', '57014', '58030', 'XX001'])
      assert.equal((postgresFailure(failed(code), 'read', 'd') as RemitError).code, 'STATE', code);
  });
});
