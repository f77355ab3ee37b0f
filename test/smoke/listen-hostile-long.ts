import {endure, MOST_MB} from './hostile-clients.ts';

// npm run hostile:listen
console.log('attack                               good  slowest  memory');
const all = await endure(
  {share: Number(process.argv[2] ?? 1), ms: Number(process.argv[3] ?? 15_000)},
  ({attack, good, slowestMs, grownMb}) =>
    console.log(
      `${attack.padEnd(35)} ${String(good).padStart(5)}  ${String(slowestMs).padStart(4)} ms  +${grownMb.toFixed(0)} MB of ${MOST_MB}`,
    ),
);
if (all.some(({grownMb}) => grownMb > MOST_MB)) process.exitCode = 1;
