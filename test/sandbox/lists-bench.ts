// Pages of long lists, wherever they lie: `npm run bench:lists`. With REMIT_TEST_STORE=postgres, on PostgreSQL.
import {measureLists} from './handlers/lists.ts';
import {onPostgres} from './test-store.ts';

/** A page may take so much longer than the first one; what is beyond is not flat. */
const FLAT = 2;

const started = performance.now();
const lengths = {payouts: 100_000, lines: 1_000_000, rounds: 41};
const times = await measureLists(lengths);
const say = (line: string) => process.stdout.write(`${line}\n`);
say(
  `100 a page, of ${lengths.payouts} payouts and ${lengths.lines} lines on ${onPostgres ? 'PostgreSQL' : 'SQLite'}: median of ${lengths.rounds}`,
);
let worst = 0;
for (const {list, order, flat, startMs, middleMs, endMs} of times) {
  const [middle, end] = [middleMs / startMs, endMs / startMs];
  if (flat) worst = Math.max(worst, middle, end);
  say(
    `${list.padEnd(48)} ${order.padEnd(4)} start ${startMs.toFixed(2)} ms  middle x${middle.toFixed(2)}  end x${end.toFixed(2)}${flat ? '' : '  (reads past younger records)'}`,
  );
}
say(
  `slowest page against the first of its list: x${worst.toFixed(2)}, after ${Math.round((performance.now() - started) / 1000)} s`,
);
if (worst > FLAT) process.exitCode = 1;
