import assert from 'node:assert/strict';
import {EventEmitter} from 'node:events';
import type {Socket} from 'node:net';
import {Connection} from '../../../src/webhooks/http/connection.ts';
import {LargeBodies} from '../../../src/webhooks/http/large-bodies.ts';

const LIMITS = {headMs: 500, requestMs: 1000, idleMs: 6000};
const REQUEST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

class FakeSocket extends EventEmitter {
  readonly written: string[] = [];
  destroyed = false;
  writableLength = 0;
  isPaused = () => false;
  pause = () => this;
  resume = () => this;
  write = (text: string) => this.written.push(text) > 0;
  destroy = () => void (this.destroyed = true);
  destroySoon = () => void (this.destroyed = true);
}

/** A connection whose requests are all answered with 200, and whose clock stands until the test moves it. */
function place() {
  const socket = new FakeSocket();
  const time = {ms: 100_000};
  const connection = new Connection(socket as unknown as Socket, {
    large: new LargeBodies({monotonic: () => time.ms}, {places: 1, maxBytes: 1_048_576}),
    ...{maxBodyBytes: 1_048_576, limits: LIMITS, nowMs: () => time.ms},
    elsewhere: () => undefined,
    refusal: () => undefined,
    onRequest: (one) => one.answer({status: 200}),
    answerText: ({status}) => `${status}`,
  });
  const send = (text: string) => socket.emit('data', Buffer.from(text));
  const expireAfter = (ms: number) => {
    time.ms += ms;
    connection.expire(time.ms);
  };
  return {socket, send, expireAfter};
}

describe('a connection', () => {
  it('is closed without an answer when it was idle too long after the last one', () => {
    const {socket, send, expireAfter} = place();
    send(REQUEST);
    expireAfter(LIMITS.idleMs);
    assert.equal(socket.destroyed, false);
    send(REQUEST);
    expireAfter(LIMITS.idleMs);
    assert.equal(socket.destroyed, false, 'each request begins the time again');
    expireAfter(1);
    assert.equal(socket.destroyed, true);
    assert.deepEqual(socket.written, ['200', '200']);
  });

  it('gets an answer if the headers of its first or a later request do not arrive in time', () => {
    for (const before of ['', REQUEST]) {
      const {socket, send, expireAfter} = place();
      if (before !== '') send(before);
      if (before !== '') expireAfter(LIMITS.idleMs);
      send('POST / HTTP/1.1\r\n');
      expireAfter(LIMITS.headMs);
      assert.equal(socket.destroyed, false, before);
      expireAfter(1);
      assert.equal(socket.destroyed, true, before);
      assert.equal(socket.written.at(-1), '408');
    }
  });

  it('gets an answer if the body does not arrive in time', () => {
    const {socket, send, expireAfter} = place();
    send(REQUEST.slice(0, -1));
    expireAfter(LIMITS.requestMs);
    assert.equal(socket.destroyed, false);
    expireAfter(1);
    assert.deepEqual([socket.destroyed, socket.written], [true, ['408']]);
  });
});
