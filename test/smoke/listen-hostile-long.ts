import {endure} from './hostile-clients.ts';

// npm run hostile:listen
console.log('attack                               good  slowest  memory');
const all = await endure(
  {share: Number(process.argv[2] ?? 1), ms: Number(process.argv[3] ?? 15_000)},
  ({attack, good, slowestMs, grownMb, mostMb}) =>
    console.log(
      `${attack.padEnd(35)} ${String(good).padStart(5)}  ${String(slowestMs).padStart(4)} ms  +${grownMb.toFixed(0)} MB of ${mostMb}`,
    ),
);
if (all.some(({grownMb, mostMb}) => grownMb > mostMb)) process.exitCode = 1;
