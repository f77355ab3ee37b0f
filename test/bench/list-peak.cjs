// Loaded before the command: writes the peak of its memory, in KiB, to the file that REMIT_BENCH_PEAK names.
const {writeFileSync} = require('node:fs');
process.on('exit', () => writeFileSync(process.env.REMIT_BENCH_PEAK, String(process.resourceUsage().maxRSS)));
