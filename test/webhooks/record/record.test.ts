import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import {open} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {anyCharacter} from '../../sanitize/any-character.ts';
import {systemClock} from '../../../src/clock.ts';
import {RemitError} from '../../../src/errors.ts';
import type {RecordEntry} from '../../../src/webhooks/record/entry.ts';
import {decodeEntry, encodeEntry} from '../../../src/webhooks/record/entry.ts';
import {decodeFrames, encodeFrame} from '../../../src/webhooks/record/frame.ts';
import {pruneBehind, pruneRecord} from '../../../src/webhooks/record/prune.ts';
import {readAllEntries, RecordReader} from '../../../src/webhooks/record/reader.ts';
import {listSegments} from '../../../src/webhooks/record/segments.ts';
import {collect, isWaiting} from '../../../src/webhooks/record/state.ts';
import {RecordWriter, segmentBytesIn, type SegmentFile} from '../../../src/webhooks/record/writer.ts';
import {delivery, forward, idOf, record} from './deliveries.ts';

const arrived = (number: number, changes = {}): RecordEntry => ({
  kind: 'delivery',
  delivery: delivery(number, changes),
});
const forwarded = (number: number, changes = {}): RecordEntry => ({
  kind: 'forward',
  forward: forward(number, changes),
});
const ids = (folder: string) =>
  [...readAllEntries(folder)].map((entry) =>
    entry.kind === 'delivery' ? entry.delivery.id : entry.forward.delivery,
  );

describe('the record of deliveries', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'remit-record-'))));
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  const segmentFiles = () =>
    readdirSync(folder)
      .sort()
      .map((name) => join(folder, name));

  it('returns what was written, byte for byte', async () => {
    const bytes = Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0x00, 0x0d, 0x0a]);
    const headers = [
      ['X-A', '1'],
      ['x-a', 'é\u0001'],
    ] as const;
    await record(folder, [arrived(1, {body: bytes, headers}), forwarded(1)]);
    assert.deepEqual([...readAllEntries(folder)], [arrived(1, {body: bytes, headers}), forwarded(1)]);
  });

  it('is durable when append resolves, and syncs once for all that arrive together', async () => {
    let syncs = 0;
    const writer = new RecordWriter({
      folder,
      clock: systemClock,
      openFile: async (path) => {
        const file = await open(path, 'wx');
        const counted: SegmentFile = {
          write: (...bytes) => writeSync(file.fd, ...bytes),
          truncate: file.truncate.bind(file),
          fd: file.fd,
          close: file.close.bind(file),
          datasync: async () => {
            syncs += 1;
            await file.datasync();
          },
        };
        return counted;
      },
    });
    await Promise.all(Array.from({length: 100}, (_, number) => writer.append(arrived(number))));
    assert.equal(syncs, 1);
    assert.equal(ids(folder).length, 100, 'readable before it is closed');
    await writer.close();
  });

  it('is read up to the first torn frame, wherever the file was cut', async () => {
    await record(folder, [arrived(1), arrived(2), arrived(3)]);
    const [file] = segmentFiles();
    const whole = readFileSync(file!);
    const sizes = [1, 2, 3].map((number) => ids(folder).slice(0, number).length);
    assert.deepEqual(sizes, [1, 2, 3]);
    fc.assert(
      fc.property(fc.nat({max: whole.length}), (length) => {
        writeFileSync(file!, whole.subarray(0, length));
        const found = ids(folder);
        assert.deepEqual(found, [idOf(1), idOf(2), idOf(3)].slice(0, found.length));
        const complete = decodeFrames(whole.subarray(0, length));
        assert.equal(found.length, complete.frames.length);
      }),
    );
  });

  it('skips damaged entries, and counts them', async () => {
    await record(folder, [arrived(1), arrived(2), arrived(3)]);
    const [file] = segmentFiles();
    const bytes = readFileSync(file!);
    bytes[bytes.indexOf('"e2"') + 1]! ^= 0x01;
    writeFileSync(file!, bytes);
    const reader = new RecordReader(folder);
    const found = [...reader.more()].map((entry) => entry.kind === 'delivery' && entry.delivery.id);
    assert.deepEqual(found, [idOf(1), idOf(3)]);
    assert.equal(reader.damaged, 1);
  });

  it('never accepts other bytes as a frame', () => {
    fc.assert(
      fc.property(fc.uint8Array({maxLength: 200}), fc.uint8Array({maxLength: 50}), (before, body) => {
        const frame = encodeFrame('{"a":1}', body);
        const decoded = decodeFrames(Buffer.concat([frame, before]));
        assert.deepEqual(decoded.frames[0], {meta: {a: 1}, body: Buffer.from(body)});
        assert.equal(decoded.frames.length, 1);
      }),
    );
  });

  it('keeps the whole delivery, whatever its texts contain', () => {
    const text = fc.oneof(
      fc.string({unit: anyCharacter}),
      fc.constantFrom('', '"', '\\', '\u2028', '\ud800', 'é'),
    );
    const maybe = fc.option(text);
    fc.assert(
      fc.property(
        fc.record({path: text, secret: maybe, eventId: maybe, eventType: maybe, duplicateOf: maybe}),
        fc.record({attempt: fc.nat(), receivedAtMs: fc.nat(), filtered: fc.boolean()}),
        fc.record({bodyBytes: fc.nat()}, {requiredKeys: []}),
        fc.array(fc.tuple(text, text)),
        fc.array(text),
        (texts, values, cut, headers, targets) => {
          const entry = {
            kind: 'delivery',
            delivery: {...delivery(1), ...texts, ...values, ...cut, headers, targets},
          } as const;
          const [frame] = decodeFrames(encodeEntry(entry)).frames;
          assert.deepEqual(decodeEntry(frame!), entry);
        },
      ),
      {numRuns: 40},
    );
  });

  it('removes what a full disk cut off, and continues in a new file when there is space', async () => {
    let room = true;
    const full = Object.assign(new Error('no space'), {code: 'ENOSPC'});
    const writer = new RecordWriter({
      folder,
      clock: systemClock,
      openFile: async (path) => {
        const file = await open(path, 'wx');
        return {
          truncate: file.truncate.bind(file),
          fd: file.fd,
          close: file.close.bind(file),
          datasync: file.datasync.bind(file),
          write: (bytes, offset, length, at) => {
            if (room) return writeSync(file.fd, bytes, offset, length, at);
            writeSync(file.fd, bytes, offset, length >> 1, at);
            throw full;
          },
        };
      },
    });
    await writer.append(arrived(1));
    room = false;
    await assert.rejects(
      writer.append(arrived(2)),
      (error) =>
        error instanceof RemitError && error.code === 'STATE' && /no space is left/.test(error.message),
    );
    assert.deepEqual(ids(folder), [idOf(1)]);
    room = true;
    await writer.append(arrived(3));
    await writer.close();
    assert.deepEqual(ids(folder), [idOf(1), idOf(3)]);
  });

  it('writes to a new file if its own was pruned in the meantime', async () => {
    const writer = new RecordWriter({folder, clock: systemClock});
    await writer.append(arrived(1));
    for (const file of segmentFiles()) rmSync(file);
    await writer.append(arrived(2));
    await writer.close();
    assert.deepEqual(ids(folder), [idOf(2)]);
  });

  it('can be followed while it is written', async () => {
    const writer = new RecordWriter({folder, clock: systemClock, segmentBytes: 300});
    await writer.append(arrived(1));
    const stop = new AbortController();
    const seen: string[] = [];
    const clock = {
      ...systemClock,
      sleep: async () => {
        if (seen.length === 4) stop.abort();
        else await writer.append(arrived(seen.length + 1));
      },
    };
    for await (const entry of new RecordReader(folder).follow(clock, stop.signal))
      if (entry.kind === 'delivery') seen.push(entry.delivery.id);
    assert.deepEqual(seen, [1, 2, 3, 4].map(idOf));
    await writer.close();
  });

  it('continues after a frame that was half written at the last read', async () => {
    const frame = encodeEntry(arrived(2));
    await record(folder, [arrived(1)]);
    const [file] = segmentFiles();
    const reader = new RecordReader(folder);
    const more = () => [...reader.more()].length;
    assert.equal(more(), 1);
    appendFileSync(file!, frame.subarray(0, 20));
    assert.equal(more(), 0);
    appendFileSync(file!, frame.subarray(20));
    assert.equal(more(), 1);
    truncateSync(file!, 0);
    assert.equal(more(), 0);
  });

  it('shows the state of each delivery at its targets', async () => {
    const target = 'http://localhost:3000/';
    const targets = [target];
    await record(folder, [
      ...[1, 2, 3, 4].map((number) => arrived(number, {targets})),
      forwarded(1),
      forwarded(2, {status: 500}),
      forwarded(3, {status: 500}),
      forwarded(3, {status: null, error: 'connection refused', attempt: 2, gaveUp: true}),
      forwarded(99),
    ]);
    const found = collect(readAllEntries(folder));
    const states = [...found.values()].map((one) => [
      one.targets.get(target)!.state,
      one.targets.get(target)!.attempts,
    ]);
    assert.deepEqual(states, [
      ['forwarded', 1],
      ['waiting', 1],
      ['dead', 2],
      ['waiting', 0],
    ]);
    assert.deepEqual([...found.values()].map(isWaiting), [false, true, false, true]);
  });

  it('is pruned by size and age, oldest first, but never what waits to be forwarded', async () => {
    const targets = ['http://localhost:3000/'];
    for (const number of [1, 2, 3, 4]) {
      await record(folder, [arrived(number, number === 2 ? {targets} : {})]);
      await new Promise((resolve) => setTimeout(resolve, 2)); // names of segments hold the time
    }
    const sizes = listSegments(folder).map(({bytes}) => bytes);
    const bounds = {maxBytes: sizes[3]!, maxAgeMs: Number.POSITIVE_INFINITY};
    const pruned = pruneRecord(folder, Date.now(), bounds);
    assert.deepEqual([pruned.segments, pruned.deliveries, pruned.waiting], [2, 2, 1]);
    assert.deepEqual(ids(folder), [idOf(2), idOf(4)]);
    await record(folder, [forwarded(2)]);
    const nowMs = Date.now() + 2000;
    assert.equal(pruneRecord(folder, nowMs, {maxBytes: Infinity, maxAgeMs: 60_000}).segments, 0);
    assert.equal(pruneRecord(folder, nowMs, {maxBytes: Infinity, maxAgeMs: 1000}).segments, 3);
    assert.deepEqual(ids(folder), []);
  });

  for (const maxBytes of [100_000, 1_000_000, 3_000_000])
    it(`never takes more than its limit of ${maxBytes} bytes, and keeps the newest`, async () => {
      const writer = new RecordWriter({
        ...{folder, clock: systemClock, segmentBytes: segmentBytesIn(maxBytes)},
        onSegment: (bytes) => {
          const bounds = {maxBytes: Math.max(0, maxBytes - bytes), maxAgeMs: Infinity};
          pruneBehind(folder, Date.now(), bounds, new Map());
        },
      });
      let largest = 0;
      for (let number = 1; number <= 400; number += 1) {
        const body = Buffer.alloc(number % 50 === 0 ? 60_000 : (number * 977) % 20_000);
        await writer.append(arrived(number, {body}));
        largest = Math.max(
          largest,
          listSegments(folder).reduce((sum, {bytes}) => sum + bytes, 0),
        );
      }
      await writer.close();
      assert.ok(largest <= maxBytes, `${largest} bytes`);
      assert.ok(largest > maxBytes * 0.6, `${largest} bytes`);
      assert.equal(ids(folder).at(-1), idOf(400));
    });

  for (const [what, maxBytes, bodyBytes] of [
    ['large', 2_000_000, 900_000],
    ['small', 200_000, 15_000],
  ] as const)
    it(`takes at most its limit, and one segment that waits, with ${what} entries that arrive together`, async () => {
      const waiting = new Map<string, unknown>();
      const lost: string[] = [];
      let largest = 0;
      const size = () => listSegments(folder).reduce((sum, {bytes}) => sum + bytes, 0);
      const writer = new RecordWriter({
        ...{folder, clock: systemClock, segmentBytes: segmentBytesIn(maxBytes)},
        onSegment: (bytes) => {
          pruneBehind(
            folder,
            Date.now(),
            {maxBytes: Math.max(0, maxBytes - bytes), maxAgeMs: Infinity},
            waiting,
          );
          largest = Math.max(largest, size());
        },
      });
      const write = (number: number) =>
        new Promise<void>((resolve) =>
          writer.write(arrived(number, {body: Buffer.alloc(bodyBytes)}), (failure) => {
            if (failure !== undefined) lost.push(String(failure));
            if (number === 1) waiting.set(idOf(1), []);
            resolve();
          }),
        );
      await Promise.all(Array.from({length: 24}, (_, number) => write(number + 1)));
      await writer.close();
      const most = maxBytes + Math.max(segmentBytesIn(maxBytes), bodyBytes + 1000);
      assert.ok(Math.max(largest, size()) <= most, `${largest} and ${size()} bytes`);
      const kept = ids(folder);
      assert.deepEqual([lost, kept[0], kept.at(-1)], [[], idOf(1), idOf(24)]);
      assert.deepEqual(kept, kept.toSorted());
    });

  it('rejects only the rest of a group whose disk is full in its second segment', async () => {
    let segments = 0;
    const writer = new RecordWriter({
      ...{folder, clock: systemClock, segmentBytes: 1000},
      openFile: async (path) => {
        segments += 1;
        if (segments === 2) throw Object.assign(new Error('no space'), {code: 'ENOSPC'});
        const file = await open(path, 'wx');
        return {
          fd: file.fd,
          write: (...bytes) => writeSync(file.fd, ...bytes),
          datasync: () => file.datasync(),
          truncate: (length) => file.truncate(length),
          close: () => file.close(),
        };
      },
    });
    const all = await Promise.allSettled(
      [1, 2, 3].map((number) => writer.append(arrived(number, {body: Buffer.alloc(800)}))),
    );
    await writer.close();
    assert.deepEqual(
      all.map(({status}) => status),
      ['fulfilled', 'rejected', 'rejected'],
    );
    assert.deepEqual(ids(folder), [idOf(1)]);
  });

  it('is pruned by a listener with what the listener knows', async () => {
    for (const number of [1, 2, 3]) {
      await record(folder, [arrived(number)]);
      await new Promise((resolve) => setTimeout(resolve, 2)); // names of segments hold the time
    }
    const bounds = {maxBytes: listSegments(folder)[2]!.bytes, maxAgeMs: Number.POSITIVE_INFINITY};
    pruneBehind(folder, Date.now(), bounds, new Map([[idOf(1), []]]));
    assert.deepEqual(ids(folder), [idOf(1), idOf(3)]);
    pruneBehind(folder, Date.now(), bounds, new Map());
    assert.deepEqual(ids(folder), [idOf(3)]);
  });

  it('keeps a segment with a waiting delivery, and skips one that another process removed', async () => {
    await record(folder, [arrived(1), arrived(2)]);
    const bounds = {maxBytes: 0, maxAgeMs: Number.POSITIVE_INFINITY};
    pruneBehind(folder, Date.now(), bounds, new Map([[idOf(2), []]]));
    assert.deepEqual(ids(folder), [idOf(1), idOf(2)]);
    const [file] = segmentFiles();
    pruneBehind(folder, Date.now(), bounds, {
      size: 1,
      has: () => {
        rmSync(file!, {force: true});
        return false;
      },
    });
    assert.deepEqual(segmentFiles(), []);
  });
});
