import {syncBuiltinESMExports} from 'node:module';
import v8 from 'node:v8';

// Tests run much code a few times each. To optimize it as early as V8 11 does takes a sixth of their processor time. Later
// versions do not have this flag.
if (process.versions.v8.startsWith('11.')) v8.setFlagsFromString('--interrupt-budget=528000');

// Commands that read whole files keep the heap of their process small. In tests, hundreds of commands share one process, with
// what their modules need, and these flags would make V8 collect all of it again and again.
const KEEP_HEAP_SMALL = /^--(?:heap-growing-percent|semi-space-growth-factor|no-parallel-scavenge)\b/;
const {setFlagsFromString} = v8;
v8.setFlagsFromString = (flags) => {
  if (!KEEP_HEAP_SMALL.test(flags)) setFlagsFromString(flags);
};
syncBuiltinESMExports();
