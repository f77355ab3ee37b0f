import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {systemClock} from '../../../src/clock.ts';
import {DeliveryLog} from '../../../src/webhooks/inspector/delivery-log.ts';
import {RecordFeed} from '../../../src/webhooks/inspector/record-feed.ts';
import type {RecordEntry} from '../../../src/webhooks/record/entry.ts';
import {RecordWriter} from '../../../src/webhooks/record/writer.ts';
import {delivery, forward, idOf, record} from '../record/deliveries.ts';

const add = (log: DeliveryLog, number: number, changes?: Parameters<typeof delivery>[1]) =>
  log.add({kind: 'delivery', delivery: delivery(number, changes)});
const ids = (log: DeliveryLog): string[] =>
  log.list(() => true, {limit: 10_000}).shown.map(({delivery}) => delivery.id);

describe("the inspector's log", () => {
  it('keeps the newest deliveries within its bounds, in any order of arrival', () => {
    const log = new DeliveryLog({deliveries: 3, bodyBytes: 1_000_000});
    for (const number of [2, 1, 4, 3, 3]) add(log, number);
    assert.deepEqual(ids(log), [4, 3, 2].map(idOf));
    assert.equal(log.get(idOf(1)), undefined);
    assert.equal(log.hasOlder, true);
  });

  it('drops old bodies when they are too large together, but never the newest', () => {
    const log = new DeliveryLog({deliveries: 100, bodyBytes: 1000});
    for (const number of [1, 2, 3]) add(log, number, {body: Buffer.alloc(400)});
    assert.deepEqual(ids(log), [idOf(3), idOf(2)]);
    add(log, 4, {body: Buffer.alloc(5000)});
    assert.deepEqual(ids(log), [idOf(4)]);
  });

  it('copies a body, so that the piece of the file that it was read with is not held', () => {
    const log = new DeliveryLog();
    const piece = Buffer.alloc(1_048_576);
    add(log, 1, {body: piece.subarray(0, 10)});
    const {buffer} = log.get(idOf(1))!.delivery.body;
    assert.notEqual(buffer, piece.buffer);
    assert.ok(buffer.byteLength < 100_000);
  });

  it('accepts a result that is read before its delivery, and reports both', () => {
    const log = new DeliveryLog();
    const changed: string[] = [];
    log.onChange = (id) => changed.push(id);
    log.add({kind: 'forward', forward: forward(1)});
    log.add({kind: 'forward', forward: forward(9)});
    assert.deepEqual(changed, []);
    add(log, 1, {targets: ['http://localhost:3000/']});
    assert.deepEqual(changed, [idOf(1), idOf(1)]);
    const {targets, forwards} = log.get(idOf(1))!;
    assert.deepEqual([targets.get('http://localhost:3000/')?.state, forwards.length], ['forwarded', 1]);
    assert.equal(log.size, 1);
  });

  it('limits the results of one delivery, and those without one', () => {
    const log = new DeliveryLog();
    add(log, 1);
    for (let attempt = 1; attempt <= 300; attempt += 1)
      log.add({kind: 'forward', forward: forward(1, {attempt})});
    assert.deepEqual(
      [log.get(idOf(1))!.forwards.length, log.get(idOf(1))!.forwards.at(-1)!.attempt],
      [200, 300],
    );
    for (let number = 2; number < 1102; number += 1) log.add({kind: 'forward', forward: forward(number)});
    for (const number of [2, 1101]) add(log, number);
    assert.deepEqual([log.get(idOf(2))!.forwards.length, log.get(idOf(1101))!.forwards.length], [0, 1]);
  });

  it('finds the deliveries of one event', () => {
    const log = new DeliveryLog();
    add(log, 1);
    add(log, 2, {eventId: 'e1'});
    add(log, 3, {eventId: null});
    assert.deepEqual(
      log.ofEvent('e1').map(({delivery: {id}}) => id),
      [idOf(1), idOf(2)],
    );
    assert.deepEqual(log.ofEvent(null), []);
  });
});

describe('the feed from the record', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'remit-feed-'))));
  afterEach(() => rmSync(folder, {recursive: true, force: true}));
  const entry = (number: number): RecordEntry => ({kind: 'delivery', delivery: delivery(number)});

  it('reads what is there, then what other processes add, until it is stopped', async () => {
    await record(folder, [entry(1)]);
    const log = new DeliveryLog();
    const feed = new RecordFeed(folder, log);
    feed.read();
    assert.deepEqual(ids(log), [idOf(1)]);
    const stopped = new AbortController();
    const following = feed.follow(systemClock, stopped.signal, (error) => assert.fail(error));
    const changed = new Promise<string>((resolve) => (log.onChange = resolve));
    const writer = new RecordWriter({folder, clock: systemClock});
    await writer.append(entry(2));
    assert.equal(await changed, idOf(2));
    await writer.close();
    stopped.abort();
    await following;
    assert.deepEqual(ids(log), [idOf(2), idOf(1)]);
    assert.equal(log.hasOlder, false);
  });

  it('skips old segments, and reports that there are older deliveries', async () => {
    for (const number of [1, 2, 3]) {
      await record(folder, [entry(number)]);
      await systemClock.sleep(2); // segments are named by the millisecond
    }
    const log = new DeliveryLog();
    new RecordFeed(folder, log, 700).read();
    assert.equal(log.hasOlder, true);
    assert.ok(log.size > 0 && log.size < 3);
    assert.ok(log.get(idOf(3)));
  });

  it('begins with a folder that does not exist yet', async () => {
    const log = new DeliveryLog();
    const feed = new RecordFeed(join(folder, 'later'), log);
    feed.read();
    await record(join(folder, 'later'), [entry(1)]);
    feed.read();
    assert.deepEqual(ids(log), [idOf(1)]);
  });
});
