import assert from 'node:assert/strict';
import {LineQueue} from '../../../../src/cli/webhooks/listen/line-queue.ts';

describe('lines for a reader that stalls', () => {
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  function place() {
    const written: string[][] = [];
    let read: (() => void) | undefined;
    const queue = new LineQueue<string>({
      write: (lines) => {
        written.push([...lines]);
        return new Promise<void>((resolve) => (read = resolve));
      },
      gap: (lines) => `gap ${lines}`,
      bytesOf: (line) => line.length,
      bounds: {lines: 3, bytes: 10},
    });
    return {queue, written, read: () => read!()};
  }

  it('wait within bounds; the next ones are not even made, and a line says how many', async () => {
    const {queue, written, read} = place();
    queue.push(() => 'a');
    queue.flush();
    for (const line of ['b', 'c', 'd']) queue.push(() => line);
    for (let count = 0; count < 2; count += 1) queue.push(() => assert.fail('there is no room'));
    queue.flush();
    assert.deepEqual(written, [['a']]);
    read();
    await turn();
    assert.deepEqual(written, [['a'], ['b', 'c', 'd', 'gap 2']]);
    queue.push(() => '0123456789');
    queue.push(() => assert.fail('there is no room'));
    read();
    await turn();
    assert.deepEqual(written.at(-1), ['0123456789', 'gap 1']);
  });

  it('are written at the end, whether they are read or not', () => {
    const {queue, written} = place();
    queue.push(() => 'a');
    queue.flush();
    queue.push(() => 'b');
    queue.end('last');
    assert.deepEqual(written, [['a'], ['b', 'last']]);
  });
});
