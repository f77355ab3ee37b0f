/**
 * What a match costs over a bare sort and merge of the same data:
 *
 *   npm run bench:reconcile                     100,000 payments by 100,000 lines
 *   npm run bench:reconcile -- --rows 1000000   a million by a million; repeat --rows to see memory beside size
 *   npm run bench:reconcile -- --text none      lines without a text: amounts and days only
 *   npm run bench:reconcile -- --part statements --rows 300000   statement files of 300,000 lines, in each --format
 *
 * `bare` keeps both sides as arrays, sorts them by token and merges them: what has to be done at least, with everything
 * in memory. `book` adds them to a book, durably, and matches them. Each side is a process of its own, for its memory.
 */
import {execFileSync} from 'node:child_process';
import {mkdtempSync, rmSync, statSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {keepHeapSmall} from '../../src/cli/runtime/memory.ts';
import {Book} from '../../src/reconcile/book/book.ts';
import type {BankLine} from '../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../src/reconcile/model/payment.ts';
import {bankingDay} from '../../src/sandbox/time/banking-days.ts';
import {STATEMENT_FORMATS} from '../../src/reconcile/statement/file/statement.ts';
import {line, OPTIONS, payment, READ, SCOPE} from '../reconcile/harness.ts';
import {readLargeStatement} from './statement-files.ts';

/** Processor time, which a busy machine does not change much. */
interface Side {
  loadSeconds: number;
  matchSeconds: number;
  peakMb: number;
  matched: number;
  fileMb: number;
}

const TEXTS = ['id', 'trace', 'none'];
const {values} = parseArgs({
  options: {
    rows: {type: 'string', multiple: true, default: ['100000']},
    text: {type: 'string', default: 'id'},
    side: {type: 'string'},
    part: {type: 'string', default: 'match'},
    format: {type: 'string', multiple: true},
  },
});
if (!TEXTS.includes(values.text)) throw new Error(`--text is one of ${TEXTS.join(', ')}`);

const days = Array.from({length: 20}, (_, n) => bankingDay('2026-03-02', n));
const hex = (n: number, length: number) => n.toString(16).padStart(length, '0');
/** In no order, as ids are. */
const mixed = (n: number) => Math.imul(n + 1, 0x9e3779b1) >>> 0;
const idOf = (n: number) => `${hex(mixed(n), 8)}-${hex(n & 0xffff, 4)}-4000-8000-${hex(mixed(n + 7), 12)}`;
const traceOf = (n: number) => String(mixed(n)).padStart(15, '0');
const amountOf = (n: number) => -BigInt(100 + (mixed(n) % 5_000_000));

function* payments(rows: number): Generator<ExpectedPayment> {
  for (let n = 0; n < rows; n += 1)
    yield payment(0, {
      ...{key: idOf(n), recordId: idOf(n), amount: amountOf(n), day: days[n % 17]!, traces: [traceOf(n)]},
      ...{row: {batch: 'march', reference: `row ${n}`, namespace: 'default'}, groups: ['march']},
    });
}

function* lines(rows: number): Generator<BankLine> {
  for (let i = 0; i < rows; i += 1) {
    const n = (i * 7919) % rows; // the bank's order is another one
    const id = `bank-${hex(mixed(i + 3), 8)}-${i}`;
    const text = {id: `PAYOUT ${idOf(n)} BY ACH`, trace: `ACH CREDIT ${traceOf(n)} PAYROLL`, none: ''}[
      values.text
    ];
    yield line(id, {
      id,
      amount: amountOf(n),
      bookingDay: days[(n % 17) + 1]!,
      ...(text === '' ? {} : {text}),
    });
  }
}

const cpuSeconds = () => {
  const {user, system} = process.cpuUsage();
  return (user + system) / 1e6;
};
const seconds = (since: number) => cpuSeconds() - since;
const peakMb = () => process.resourceUsage().maxRSS / 1024;

async function bookSide(rows: number): Promise<Side> {
  keepHeapSmall(); // as the command does
  const folder = mkdtempSync(join(tmpdir(), 'remit-bench-reconcile-'));
  try {
    const book = await Book.open(folder, SCOPE, {write: true});
    const start = cpuSeconds();
    book.addPayments(payments(rows));
    book.addLines(lines(rows), READ);
    const loadSeconds = seconds(start);
    const match = cpuSeconds();
    const {perCurrency} = book.match(OPTIONS);
    const matchSeconds = seconds(match);
    await book.close();
    const fileMb = statSync(join(folder, 'reconcile.sqlite')).size / 1e6;
    return {loadSeconds, matchSeconds, peakMb: peakMb(), matched: perCurrency[0]!.matched.count, fileMb};
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}

function bareSide(rows: number): Side {
  const start = cpuSeconds();
  const token = (id: string, trace: string) => (values.text === 'trace' ? trace : id.replaceAll('-', ''));
  const left = [...payments(rows)].map((each) => ({
    token: token(each.key, each.traces[0]!),
    amount: each.amount,
  }));
  const right = [...lines(rows)].map((each) => ({
    token: (each.texts[0]?.text.split(' ').find((word) => /\d{4}/.test(word)) ?? '').replaceAll('-', ''),
    amount: each.amount,
  }));
  const loadSeconds = seconds(start);
  const match = cpuSeconds();
  const byToken = (a: {token: string}, b: {token: string}) =>
    a.token < b.token ? -1 : a.token > b.token ? 1 : 0;
  left.sort(byToken);
  right.sort(byToken);
  let matched = 0;
  for (let l = 0, r = 0; l < left.length && r < right.length;) {
    const [a, b] = [left[l]!, right[r]!];
    if (a.token === b.token && a.amount === b.amount) matched += 1;
    if (a.token <= b.token) l += 1;
    else r += 1;
  }
  return {loadSeconds, matchSeconds: seconds(match), peakMb: peakMb(), matched, fileMb: 0};
}

/** A process of its own, for its memory. */
const inProcess = (...args: readonly string[]): string =>
  execFileSync(
    process.execPath,
    [
      '--import',
      './bin/typescript.mjs',
      '--max-old-space-size=8192',
      fileURLToPath(import.meta.url),
      ...args,
    ],
    {encoding: 'utf8', cwd: fileURLToPath(new URL('../..', import.meta.url))},
  );

if (values.side !== undefined) {
  const rows = Number(values.rows[0]);
  const format = STATEMENT_FORMATS.find((each) => each === values.side);
  if (format !== undefined) process.stdout.write(await readLargeStatement(format, rows));
  else process.stdout.write(JSON.stringify(values.side === 'bare' ? bareSide(rows) : await bookSide(rows)));
} else if (values.part === 'statements')
  for (const format of values.format ?? STATEMENT_FORMATS)
    for (const rows of values.rows) process.stdout.write(inProcess('--side', format, '--rows', rows));
else
  for (const rows of values.rows) {
    const run = (side: string): Side =>
      JSON.parse(inProcess('--side', side, '--rows', rows, '--text', values.text)) as Side;
    const sides = {bare: run('bare'), book: run('book')};
    for (const [name, {loadSeconds, matchSeconds, peakMb: peak, matched, fileMb}] of Object.entries(sides))
      process.stdout.write(
        `${rows} by ${rows}, ${name}: read ${loadSeconds.toFixed(1)} s, match ${matchSeconds.toFixed(1)} s (processor time), ` +
          `${matched} matched, peak ${peak.toFixed(0)} MB${fileMb > 0 ? `, file ${fileMb.toFixed(0)} MB` : ''}\n`,
      );
    const whole = ({loadSeconds, matchSeconds}: Side) => loadSeconds + matchSeconds;
    process.stdout.write(
      `${rows} by ${rows}: ${(whole(sides.book) / whole(sides.bare)).toFixed(1)} times the bare sort and merge; ` +
        `the match alone ${(sides.book.matchSeconds / sides.bare.matchSeconds).toFixed(1)} times\n`,
    );
  }
