import assert from 'node:assert/strict';
import {EventEmitter} from 'node:events';
import type {Socket} from 'node:net';
import {nextTurn} from '../../../src/clock.ts';
import {IdleSockets} from '../../../src/webhooks/http/idle-sockets.ts';

class FakeSocket extends EventEmitter {
  bytesRead = 0;
  destroyed = false;
  destroy(): void {
    this.destroyed = true;
    this.emit('close');
  }
}

describe('too many open connections', () => {
  let sockets: IdleSockets;
  const add = (): FakeSocket => {
    const socket = new FakeSocket();
    sockets.add(socket as unknown as Socket); // the parts that are used
    return socket;
  };
  const destroyed = async (all: readonly FakeSocket[]) => {
    for (let turns = 0; turns < 6; turns += 1) await nextTurn();
    return all.map((one) => one.destroyed);
  };

  beforeEach(() => (sockets = new IdleSockets(3)));

  it('close the oldest one that has sent nothing', async () => {
    const all = [add(), add(), add()];
    all[0]!.bytesRead = 10;
    all.push(add());
    assert.deepEqual(await destroyed(all), [false, true, false, false]);
  });

  it('close the oldest one when all have sent something', async () => {
    const all = [add(), add(), add()];
    all.push(add());
    for (const one of all) one.bytesRead = 10;
    assert.deepEqual(await destroyed(all), [true, false, false, false]);
  });

  it('forget those that were closed', async () => {
    const all = [add(), add(), add()];
    all[1]!.destroy();
    all.push(add());
    assert.deepEqual(await destroyed(all), [false, true, false, false]);
  });
});
