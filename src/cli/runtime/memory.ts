import {getHeapSpaceStatistics, setFlagsFromString} from 'node:v8';

/** Old objects may grow by this percentage before V8 collects them. */
const GROWTH_PERCENT = 20;

/**
 * Keeps the memory of a long run constant. By default V8 lets garbage double the heap before it collects. A batch
 * needs only a few megabytes whatever its size, and earlier collections do not slow it down. For commands that read
 * whole files or serve requests for hours.
 */
export function keepHeapSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  setFlagsFromString('--semi-space-growth-factor=1'); // otherwise large results, or a flood of requests, would grow the young generation to 48 MB
}

/** V8 gives a process at most two halves of 16 MB each, and starts with 1 MB. */
const YOUNG_BYTES = 2 * 4 * 1_048_576;
const PIECE_LENGTH = 4096;
/** Pieces kept at the same time: more than the young generation holds before it grows. */
const MOST_HELD = 128;
/** A V8 whose young generation does not grow in this way is left unchanged. */
const MOST_PIECES = 512;

/**
 * A process with thousands of short tasks per second calls it after `keepHeapSmall`. With a young generation of 1
 * MB, most of the work in progress survives each collection and is copied; with 4 MB, collections cost a third as
 * much. V8 grows the young generation only if much survives, so this makes much survive, once. Helper threads for so
 * small a heap cost more than they save.
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
