/**
 * The main job at its full size, once: a CSV, a plan, a run on a local sandbox and the report.
 *
 *   npm run long:million                           a million rows
 *   npm run long:million -- --rows 20000 --direct
 *
 * Each step is the command itself. Prints what each took, and checks that every row was paid once.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, openSync, rmSync, writeSync, closeSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {createInterface} from 'node:readline';
import {parseArgs} from 'node:util';

const BIN = fileURLToPath(new URL('../../bin/run.cjs', import.meta.url));
const PAYEES = 200;
const CENTS = 10_000;

const {values} = parseArgs({
  options: {rows: {type: 'string', default: '1000000'}, direct: {type: 'boolean', default: false}},
});
const rows = Number(values.rows);
const home = mkdtempSync(join(tmpdir(), 'remit-million-'));
const env = {
  ...process.env,
  REMIT_STATE_DIR: join(home, 'state'),
  REMIT_CONFIG_DIR: join(home, 'config'),
};

async function remit<T>(...argv: string[]): Promise<{answer: T; seconds: number}> {
  const began = performance.now();
  const child = spawn(process.execPath, [BIN, ...argv, '-o', 'json', '--quiet'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`remit ${argv.join(' ')} ended with ${code}: ${stdout}`);
  return {answer: JSON.parse(stdout) as T, seconds: (performance.now() - began) / 1000};
}

const say = (what: string, seconds: number, more = '') =>
  process.stdout.write(`${what.padEnd(8)} ${seconds.toFixed(1).padStart(8)} s${more}\n`);

function writeCsv(file: string, payees: readonly string[]): void {
  const fd = openSync(file, 'w');
  let text = 'reference,payee_id,amount,currency_code\n';
  for (let n = 1; n <= rows; n++) {
    const cents = CENTS + n;
    text += `INV-${n},${payees[n % payees.length]},${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')},USD\n`;
    if (text.length > 1_000_000 || n === rows) {
      writeSync(fd, text);
      text = '';
    }
  }
  closeSync(fd);
}

interface Summary {
  accepted: number;
  planned: number;
  posts: number;
  state: string;
  totals: Record<string, {planned: string; accepted: string}>;
}

const sandbox = spawn(
  process.execPath,
  [BIN, 'sandbox', 'start', '--port', '0', '--balance', '10000000000000.00', '-o', 'ndjson'],
  {env, stdio: ['ignore', 'pipe', 'inherit']},
);
sandbox.stdout.setMaxListeners(20);
const lines = createInterface({input: sandbox.stdout}); // one a request: read, so that the sandbox is never held up
const [ready] = (await once(lines, 'line')) as [string];
if ((JSON.parse(ready) as {type: string}).type !== 'ready') throw new Error(ready);
try {
  await remit('profiles', 'use', 'sandbox');
  const seeded = await remit<{kind: string; id: string}[]>('sandbox', 'seed', '--payees', String(PAYEES));
  const payees = seeded.answer.map(({id}) => id);
  const file = join(home, 'payouts.csv');
  writeCsv(file, payees);
  const minor = (BigInt(rows) * BigInt(2 * CENTS + 1 + rows)) / 2n;
  const total = `${minor / 100n}.${String(minor % 100n).padStart(2, '0')}`;
  const plan = await remit('payouts', 'batch', 'plan', file, '--batch-id', 'million');
  say('plan', plan.seconds, `, ${Math.round(rows / plan.seconds)} rows/s`);
  const confirm = ['--confirm-total', `USD=${total}`, '--confirm-count', String(rows)];
  const path = values.direct ? ['--direct'] : [];
  const run = await remit<Summary>('payouts', 'batch', 'run', 'million', ...confirm, ...path);
  say('run', run.seconds, `, ${Math.round(rows / run.seconds)} rows/s, ${run.answer.posts} POSTs`);
  const again = await remit<Summary>('payouts', 'batch', 'resume', 'million');
  say('resume', again.seconds, `, ${again.answer.posts} POSTs`);
  const report = await remit<Summary>('payouts', 'batch', 'report', 'million');
  say('report', report.seconds);
  const status = await remit<{audit: object}>('sandbox', 'status', '--audit');
  say('audit', status.seconds, `, ${JSON.stringify(status.answer.audit)}`);
  const {accepted, planned, state, totals} = report.answer;
  process.stdout.write(`${state}: accepted ${accepted} of ${planned}, ${JSON.stringify(totals)}\n`);
  if (accepted !== rows || totals['USD']?.accepted !== total || again.answer.posts !== 0)
    process.exitCode = 1;
} finally {
  sandbox.kill('SIGTERM');
  await once(sandbox, 'exit');
  rmSync(home, {recursive: true, force: true});
}
