import {setFlagsFromString} from 'node:v8';

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
