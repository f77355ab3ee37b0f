import {getHeapSpaceStatistics, setFlagsFromString} from 'node:v8';

/** Old objects may grow by this share before V8 collects them. */
const GROWTH_PERCENT = 20;

/**
 * Keeps the memory of a long run flat. V8 lets garbage double the heap before it looks; a batch holds a few megabytes
 * whatever its size, and is no slower for being looked at sooner. For commands that go through whole files or take requests for hours.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--semi-space-growth-factor=1'); // large results, or a flood of requests, would blow that space up to 48 MB
}

/** V8 gives a process two halves of 16 MB each at the most, and starts with 1 MB. */
const YOUNG_BYTES = 2 * 4 * 1_048_576;
const PIECE_LENGTH = 4096;
/** Pieces that are held at a time: more than the space holds before it grows. */
const MOST_HELD = 128;
/** A V8 that does not grow the space so is left as it is. */
const MOST_PIECES = 512;

/**
 * For a process that handles thousands of short tasks a second, after `keepHeapSmall`. In a young space of 1 MB most of what is under
 * way survives each collection, and is copied; with 4 MB the collections cost a third. V8 grows the space only when much survives, so
 * this makes much survive, once. Threads that help with so little cost more than they save.
 */
export function enlargeYoungSpace(): void {
  setFlagsFromString('--no-parallel-scavenge');
  setFlagsFromString('--semi-space-growth-factor=2');
  let held: unknown[] = [];
  for (let pieces = 0; pieces < MOST_PIECES && youngBytes() < YOUNG_BYTES; pieces += 1) {
    held.push(new Array(PIECE_LENGTH).fill(pieces));
    if (held.length > MOST_HELD) held = held.slice(-MOST_HELD / 2);
  }
  setFlagsFromString('--semi-space-growth-factor=1');
}

const youngBytes = (): number =>
  getHeapSpaceStatistics().find(({space_name: name}) => name === 'new_space')?.space_size ?? YOUNG_BYTES;
