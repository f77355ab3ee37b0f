import assert from 'node:assert/strict';
import {KnownEvents} from '../../../src/webhooks/listen/known-events.ts';
import {EventTable, setKey} from '../../../src/webhooks/listen/event-table.ts';
import {DELIVERY_ID, deliveryIds} from '../../../src/webhooks/delivery/delivery.ts';

const BODY = Buffer.from('{}');
const NOW_MS = Date.UTC(2026, 0, 1);
const newId = deliveryIds();
const idOf = () => newId(NOW_MS);

describe('ids of deliveries', () => {
  it('sort by time, also within a millisecond, and differ at their end', () => {
    const next = deliveryIds(0xffff_fffe);
    const ids = [NOW_MS, NOW_MS, NOW_MS + 1, NOW_MS, NOW_MS + 5].map(next);
    assert.deepEqual([...ids].sort(), ids);
    for (const id of ids) assert.match(id, DELIVERY_ID);
    assert.deepEqual(
      ids.map((id) => id.slice(-8)),
      ['ffffffff', '00000000', '00000001', '00000002', '00000003'],
    );
  });
});

describe('events that a listener knows', () => {
  it('are counted by their id, and the same bytes are a duplicate of the first delivery', () => {
    const known = new KnownEvents([]);
    const [first, second, third] = [idOf(), idOf(), idOf()];
    assert.deepEqual(known.arrive('e1', BODY, first), {attempt: 1, duplicateOf: null, forwarded: 0});
    assert.deepEqual(known.arrive('e1', BODY, second), {attempt: 2, duplicateOf: first, forwarded: 0});
    assert.deepEqual(known.arrive('e1', Buffer.from('{"a":1}'), third), {
      ...{attempt: 3, duplicateOf: null, forwarded: 0},
    });
    assert.deepEqual(known.arrive('e2', BODY, idOf()), {attempt: 1, duplicateOf: null, forwarded: 0});
  });

  it('are unknown again if their delivery could not be stored', () => {
    const known = new KnownEvents([]);
    const [first, second] = [idOf(), idOf()];
    known.arrive('e1', BODY, first);
    known.forget('e1', first);
    known.forget('e1', first);
    known.forget('e2', first);
    assert.deepEqual(known.arrive('e1', BODY, second), {attempt: 1, duplicateOf: null, forwarded: 0});
    known.arrive('e1', BODY, first);
    known.forget('e1', first);
    assert.equal(known.arrive('e1', BODY, idOf()).duplicateOf, second, 'a later copy was forgotten');
    assert.equal(known.arrive('e1', BODY, idOf()).attempt, 3);
  });

  it('keep the targets that have them, each on its own', () => {
    const targets = Array.from({length: 33}, (_, index) => `http://localhost:${3000 + index}/`);
    const known = new KnownEvents(targets);
    known.arrive('e1', BODY, idOf());
    for (const target of [targets[0]!, targets[31]!, targets[32]!, 'http://localhost:1/'])
      known.forwarded('e1', target);
    known.forwarded('e2', targets[1]!);
    const again = known.arrive('e1', BODY, idOf());
    const had = targets.filter((target) => known.hasForwarded(again, target));
    assert.deepEqual(had, [targets[0], targets[31]], 'the 33rd gets duplicates as well');
    const other = known.arrive('e1', Buffer.from('[]'), idOf());
    assert.ok(!known.hasForwarded(other, targets[0]!), 'other bytes have to be forwarded');
  });

  it('are forgotten by halves, the oldest first, and start from nothing when they return', () => {
    const known = new KnownEvents(['http://localhost:3000/'], 2000);
    const ids = Array.from({length: 5000}, (_, number) => `019b76da-a800-7000-8000-${number}`);
    for (const id of ids) {
      assert.equal(known.arrive(id, BODY, idOf()).attempt, 1, id);
      known.forwarded(id, 'http://localhost:3000/');
    }
    for (const id of ids.slice(-1000)) assert.equal(known.arrive(id, BODY, idOf()).attempt, 2, id);
    const old = known.arrive(ids[0]!, BODY, idOf());
    assert.deepEqual(old, {attempt: 1, duplicateOf: null, forwarded: 0});
  });
});

describe('the table of events', () => {
  it('finds every event it contains, even with many collisions, and no other', () => {
    const table = new EventTable(100);
    const keys = Array.from({length: 100}, (_, number) => ({low: 2 * number + 1, high: number % 3}));
    const slots = keys.map((key) => table.add(key));
    assert.equal(new Set(slots).size, 100);
    assert.deepEqual(
      keys.map((key) => table.find(key)),
      slots,
    );
    assert.equal(table.find({low: 1, high: 1}), -1);
    assert.equal(table.size, 100);
    table.clear();
    assert.equal(table.find(keys[0]!), -1);
    assert.equal(table.size, 0);
  });

  it('distinguishes ids that differ in any one character', () => {
    const key = {low: 0, high: 0};
    const base = '019b76da-a800-7000-8235-80d251bba0e9';
    const ids = [base, ...Array.from(base, (_, at) => `${base.slice(0, at)}é${base.slice(at + 1)}`)];
    const found = ids.map((id) => {
      setKey(key, id);
      return `${key.low} ${key.high}`;
    });
    assert.equal(new Set(found).size, ids.length);
  });
});
