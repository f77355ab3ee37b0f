/**
 * `npm run walk [FOLDER]`: how many files of `src` work on one task, in this project or in another checkout of it that
 * has its packages. A file counts if one of its functions runs that does not run in `remit --version` already.
 */
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import type {AddressInfo} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pathToFileURL} from 'node:url';
import {must} from '../../src/narrow.ts';
import {ROOT} from './tree.ts';

const root = process.argv[2] ?? ROOT;
const home = mkdtempSync(join(tmpdir(), 'remit-walk-'));
const port = await freePort();
let runs = 0;

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port: free} = server.address() as AddressInfo;
  server.close();
  return free;
}

interface Started {
  child: ChildProcess;
  /** Where the process notes which functions ran, once it has ended. */
  coverage: string;
}

function start(words: readonly string[]): Started {
  const coverage = join(home, `run-${++runs}`);
  mkdirSync(coverage);
  const child = spawn(process.execPath, [join(root, 'bin', 'dev.js'), ...words], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env['PATH'],
      HOME: home,
      NODE_V8_COVERAGE: coverage,
    },
  });
  return {child, coverage};
}

/** Runs a command to its end; what it printed, and the functions that ran, by file. */
async function run(words: readonly string[]): Promise<{stdout: string; ran: Set<string>}> {
  const {child, coverage} = start(words);
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`remit ${words.join(' ')} ended with ${code}: ${stderr}`);
  return {stdout, ran: functionsIn(coverage)};
}

interface Coverage {
  result: {
    url: string;
    functions: {functionName: string; ranges: {startOffset: number; endOffset: number; count: number}[]}[];
  }[];
}

function functionsIn(coverage: string): Set<string> {
  const sources = pathToFileURL(join(root, 'src')).href;
  const found = new Set<string>();
  for (const name of readdirSync(coverage)) {
    const {result} = JSON.parse(readFileSync(join(coverage, name), 'utf8')) as Coverage;
    for (const {url, functions} of result) {
      if (!url.startsWith(`${sources}/`)) continue;
      for (const {functionName, ranges} of functions) {
        const [whole] = ranges;
        if (whole === undefined || whole.count === 0 || (functionName === '' && whole.startOffset === 0))
          continue;
        found.add(`${url.slice(sources.length + 1)}#${functionName}#${whole.startOffset}`);
      }
    }
  }
  return found;
}

/** Files with a function that the task alone needs. */
const filesOf = (ran: ReadonlySet<string>, atStart: ReadonlySet<string>): Set<string> =>
  new Set([...ran].filter((one) => !atStart.has(one)).map((one) => one.slice(0, one.indexOf('#'))));

function show(task: string, files: ReadonlySet<string>): void {
  const rooms = new Map<string, number>();
  for (const file of files) {
    const room = file.split('/', 1)[0] ?? file;
    rooms.set(room, (rooms.get(room) ?? 0) + 1);
  }
  const parts = [...rooms].sort(([, a], [, b]) => b - a).map(([room, count]) => `${room} ${count}`);
  process.stdout.write(`${task.padEnd(32)}${String(files.size).padStart(4)}  ${parts.join(', ')}\n`);
}

async function untilListening({child}: Started): Promise<void> {
  for await (const chunk of child.stdout ?? []) if (String(chunk).includes('127.0.0.1')) return;
  throw new Error('the sandbox did not start');
}

const inSandbox = (line: string) => run([...line.split(' '), '-p', 'sandbox', '--json', '--yes']);

/** What a listener does in four seconds in which it gets a delivery, or none. */
async function listener(payload: string | undefined): Promise<Set<string>> {
  const to = await freePort();
  const secret = join(home, 'secret');
  writeFileSync(secret, 'whsec_0123456789abcdef0123456789abcdef\n', {mode: 0o600});
  const listening = run([
    'webhooks',
    'listen',
    '--port',
    String(to),
    '--secret-from',
    secret,
    '--timeout',
    '4s',
  ]);
  if (payload !== undefined) {
    await new Promise((done) => setTimeout(done, 2000));
    const body = join(home, 'body.json');
    writeFileSync(body, payload);
    await run(['webhooks', 'send', String(to), `@${body}`, '--secret-from', secret]);
  }
  return (await listening).ran;
}

try {
  const {ran: atStart} = await run(['--version']);
  const sandbox = start(['sandbox', 'start', '--port', String(port)]);
  await untilListening(sandbox);
  try {
    await inSandbox('sandbox seed --payees 1');
    const {stdout} = await inSandbox('payees list --limit 1 --fields id');
    const payee = must(/[0-9a-f]{8}-[0-9a-f-]{27}/.exec(stdout)?.[0], 'the payee');
    const {ran: created} = await inSandbox(`payouts create --payee ${payee} --amount 10.00 --currency USD`);
    show('payouts create', filesOf(created, atStart));
    const file = join(home, 'one.csv');
    writeFileSync(file, `reference,payee_id,amount,currency_code\nINV-2,${payee},20.00,USD\n`);
    const {ran: paid} = await inSandbox(
      `payouts batch run ${file} --confirm-total USD=20.00 --confirm-count 1`,
    );
    show('payouts batch run, one row', filesOf(paid, atStart));
  } finally {
    sandbox.child.kill('SIGTERM');
    await once(sandbox.child, 'close');
  }
  const payload = '{"event_id":"evt_1","event_type":"payout.settled","data":{"payout_id":"p_1"}}';
  show('one delivery to a listener', filesOf(await listener(payload), await listener(undefined)));
} finally {
  rmSync(home, {recursive: true, force: true});
}
