/**
 * What a batch costs over the least that its requests cost:
 *
 *   npm run bench:batch                                  300,000 rows, 3 rounds, then latency, then memory
 *   npm run bench:batch -- --part direct --rows 50000    one part of it, shorter; `--part service` for another
 *
 * `direct`: rows a second and CPU a row of a run with journal and registry on the disk, against a bare undici loop that
 * derives the same keys and parses the same replies, the same number in flight; undici's `request` is what counts, its
 * lower-level `dispatch` is shown beside it. `service`: a run with a service file that maps all that a batch sends and
 * reads, against one without, both at the same server. `latency`: a service that takes 50 ms;
 * the speed that is found against 1,024 in flight from the start. Sides run interleaved against one server process, and
 * what counts is the median of the ratios within a round. `memory`: the command itself, 100,000 rows and a million.
 */
import {type ChildProcess, execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {
  closeSync,
  cpSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs, promisify} from 'node:util';
import type {Measured, SideOptions} from './batch-side.ts';
import {bundle} from './bundle.ts';
import {writePayouts} from './payout-rows.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin', 'run.cjs');
const PARTS = ['direct', 'service', 'latency', 'memory'];
const LATENCY_MS = 50;
const IN_FLIGHT = 64;
const MOST_IN_FLIGHT = 1024;
const GOAL = {direct: 0.8, service: 0.9, latency: 0.95, peakMb: 200, growthMb: 30};

const {values} = parseArgs({
  options: {
    part: {type: 'string', multiple: true, default: PARTS},
    rows: {type: 'string', default: '300000'},
    'latency-rows': {type: 'string', default: '300000'},
    rounds: {type: 'string', default: '3'},
    'in-flight': {type: 'string', default: String(IN_FLIGHT)},
    'memory-rows': {type: 'string', multiple: true, default: ['100000', '1000000']},
    staged: {type: 'boolean', default: false}, // memory: both phases instead of one request a row
  },
});
const unknown = values.part.filter((part) => !PARTS.includes(part));
if (unknown.length > 0) throw new Error(`no part ${unknown.join(', ')}: it is one of ${PARTS.join(', ')}`);

const folder = mkdtempSync(join(tmpdir(), 'remit-bench-batch-'));
const say = (line: string) => process.stdout.write(`${line}\n`);
let missed = 0;

const [sideProgram, serviceProgram] = [await bundle('batch-side.ts'), await bundle('batch-service.ts')];

async function withService<T>(latencyMs: number, work: (baseUrl: string) => Promise<T>): Promise<T> {
  const service = spawn(process.execPath, [serviceProgram, String(latencyMs)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [port] = (await once(service.stdout, 'data')) as [Buffer];
  try {
    return await work(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    service.kill();
  }
}

async function side(what: 'bare' | 'dispatch' | 'plan' | 'run', options: SideOptions): Promise<Measured> {
  const {stdout} = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=4096', sideProgram, what, JSON.stringify(options)],
    {maxBuffer: 10_000_000},
  );
  return JSON.parse(stdout.trim().split('\n').at(-1)!) as Measured;
}

/** A planned batch that nothing was sent of, to be copied for each run. */
async function planned(rows: number): Promise<{file: string; fresh: () => string}> {
  const home = join(folder, `rows-${rows}`);
  const file = join(home, 'payouts.csv');
  mkdirSync(home, {recursive: true});
  writePayouts(file, rows);
  const plan = join(home, 'state');
  const {wholeSeconds} = await side('plan', {baseUrl: '', file, stateDir: plan, rows, inFlight: 0});
  say(`planned ${rows} rows in ${wholeSeconds.toFixed(1)} s (${Math.round(rows / wholeSeconds)} rows/s)`);
  let copies = 0;
  const fresh = () => {
    rmSync(join(home, `copy-${copies}`), {recursive: true, force: true});
    const copy = join(home, `copy-${++copies}`);
    cpSync(plan, copy, {recursive: true});
    syncFiles(copy); // as a plan is when its command ends; else its writing would fall into the run
    return copy;
  };
  return {file, fresh};
}

function syncFiles(home: string): void {
  for (const entry of readdirSync(home, {recursive: true, withFileTypes: true})) {
    if (!entry.isFile()) continue;
    const file = openSync(join(entry.parentPath, entry.name), 'r');
    fsyncSync(file);
    closeSync(file);
  }
}

const median = (numbers: number[]) => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};
const perSecond = ({rows, seconds}: Measured) => rows / seconds;
const wholePerSecond = ({rows, wholeSeconds}: Measured) => rows / wholeSeconds;
const cpuMicros = ({rows, cpuSeconds}: Measured) => (cpuSeconds / rows) * 1e6;

function line(name: string, measured: Measured): string {
  const rate = `${Math.round(perSecond(measured))} rows/s`.padStart(14);
  return `  ${name.padEnd(16)}${rate}, ${cpuMicros(measured).toFixed(1)} us CPU a row, peak ${measured.peakMb.toFixed(0)} MB`;
}

function judge(text: string, isKept: boolean): void {
  if (!isKept) missed++;
  say(`${text}: ${isKept ? 'kept' : 'MISSED'}`);
}

async function direct(rows: number, rounds: number, inFlight: number): Promise<void> {
  say(`\nDirect, ${rows} rows, ${inFlight} in flight, against a bare loop`);
  const {file, fresh} = await planned(rows);
  const speed: number[] = [];
  const whole: number[] = [];
  const cpu: number[] = [];
  const lowest: number[] = [];
  await withService(0, async (baseUrl) => {
    const options = {baseUrl, file, rows, inFlight};
    await side('bare', {...options, rows: 20_000, stateDir: ''}); // the server compiles what it serves
    for (let round = 0; round < rounds; round++) {
      // Whoever goes second meets another server and another disk cache: they take turns.
      const sides =
        round % 2 === 0 ? (['bare', 'dispatch', 'run'] as const) : (['run', 'bare', 'dispatch'] as const);
      const found = new Map<string, Measured>();
      for (const name of sides) found.set(name, await side(name, {...options, stateDir: fresh()}));
      const [bare, dispatch, run] = [found.get('bare')!, found.get('dispatch')!, found.get('run')!];
      say(line('bare request', bare));
      say(line('bare dispatch', dispatch));
      say(line('remit', run));
      speed.push(perSecond(run) / perSecond(bare));
      whole.push(wholePerSecond(run) / perSecond(bare));
      lowest.push(perSecond(run) / perSecond(dispatch));
      cpu.push(cpuMicros(bare) / cpuMicros(run));
    }
  });
  say(`  rows a second with the writing of the results, remit / bare: ${median(whole).toFixed(2)}`);
  say(`  rows a second, remit / bare dispatch: ${median(lowest).toFixed(2)}`);
  say(`  CPU a row, bare / remit: ${median(cpu).toFixed(2)}`);
  judge(
    `  rows a second, remit / bare: ${median(speed).toFixed(2)} (goal ${GOAL.direct})`,
    median(speed) >= GOAL.direct,
  );
}

async function service(rows: number, rounds: number, inFlight: number): Promise<void> {
  say(`\nWith a service file, ${rows} rows, ${inFlight} in flight, against a run without one`);
  const {file, fresh} = await planned(rows);
  const speed: number[] = [];
  const cpu: number[] = [];
  await withService(0, async (baseUrl) => {
    const options = {baseUrl, file, rows, inFlight};
    await side('bare', {...options, rows: 20_000, stateDir: ''}); // the server compiles what it serves
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [false, true] : [true, false];
      const found = new Map<boolean, Measured>();
      for (const differs of order)
        found.set(differs, await side('run', {...options, differs, stateDir: fresh()}));
      const [plain, mapped] = [found.get(false)!, found.get(true)!];
      say(line('no service file', plain));
      say(line('service file', mapped));
      speed.push(perSecond(mapped) / perSecond(plain));
      cpu.push(cpuMicros(plain) / cpuMicros(mapped));
    }
  });
  say(`  CPU a row, without / with: ${median(cpu).toFixed(2)}`);
  judge(
    `  rows a second, with / without: ${median(speed).toFixed(2)} (goal ${GOAL.service})`,
    median(speed) >= GOAL.service,
  );
}

async function latency(rows: number, rounds: number): Promise<void> {
  say(`\nA service of ${LATENCY_MS} ms, ${rows} rows`);
  const {file, fresh} = await planned(rows);
  const ratios: number[] = [];
  await withService(LATENCY_MS, async (baseUrl) => {
    const options = {baseUrl, file, rows, inFlight: MOST_IN_FLIGHT};
    for (let round = 0; round < rounds; round++) {
      const order = round % 2 === 0 ? [false, true] : [true, false];
      const found = new Map<boolean, Measured>();
      for (const findsSpeed of order)
        found.set(findsSpeed, await side('run', {...options, findsSpeed, stateDir: fresh()}));
      say(line(`${MOST_IN_FLIGHT} in flight`, found.get(false)!));
      say(line('speed found', found.get(true)!));
      ratios.push(perSecond(found.get(true)!) / perSecond(found.get(false)!));
    }
    say(line('bare, 1024', await side('bare', {...options, stateDir: ''})));
  });
  judge(
    `  speed found / ${MOST_IN_FLIGHT} in flight: ${median(ratios).toFixed(2)} (goal ${GOAL.latency})`,
    median(ratios) >= GOAL.latency,
  );
}

/** The most memory that a process ever held, in MB, as long as it lives; undefined where the system does not tell. */
function peakOf(child: ChildProcess): number | undefined {
  try {
    const found = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')); // none once it has ended
    return found === null ? undefined : Number(found[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** Plans and runs by the command itself; its peak in MB. */
async function command(baseUrl: string, rows: number): Promise<number> {
  const home = join(folder, `memory-${rows}`);
  mkdirSync(home);
  const file = join(home, 'payouts.csv');
  writePayouts(file, rows);
  const totalMinor = (BigInt(rows) * (20_001n + BigInt(rows))) / 2n; // of 10,001 and each a cent more
  const total = `${totalMinor / 100n}.${String(totalMinor % 100n).padStart(2, '0')}`;
  const argv = ['payouts', 'batch', 'run', file, '--batch-id', 'memory', '-o', 'json', '--quiet'];
  argv.push('--confirm-total', `USD=${total}`, '--confirm-count', String(rows));
  if (!values.staged) argv.push('--direct');
  const env = {...process.env};
  delete env.NODE_EXTRA_CA_CERTS; // Node 20 reads those certificates at every start
  const began = performance.now();
  const child = spawn(process.execPath, [BIN, ...argv], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      ...env,
      REMIT_API_KEY: 'test_bench_key_0123456789',
      REMIT_BASE_URL: baseUrl,
      REMIT_STATE_DIR: join(home, 'state'),
      REMIT_CONFIG_DIR: join(home, 'config'),
    },
  });
  let peak = 0;
  const watch = setInterval(() => (peak = Math.max(peak, peakOf(child) ?? 0)), 50);
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const [code] = (await once(child, 'exit')) as [number | null];
  clearInterval(watch);
  if (code !== 0) throw new Error(`the run of ${rows} rows ended with ${code}: ${stdout}`);
  const {accepted, posts} = JSON.parse(stdout) as {accepted: number; posts: number};
  const seconds = (performance.now() - began) / 1000;
  say(
    `  ${rows} rows: accepted ${accepted}, ${posts} POSTs, ${seconds.toFixed(0)} s, peak ${peak.toFixed(0)} MB`,
  );
  return peak;
}

async function memory(sizes: number[]): Promise<void> {
  say(`\nMemory of \`payouts batch run${values.staged ? '' : ' --direct'}\`, Node ${process.versions.node}`);
  const peaks: number[] = [];
  await withService(0, async (baseUrl) => {
    for (const rows of sizes) peaks.push(await command(baseUrl, rows));
  });
  const growth = Math.max(...peaks) - peaks[0]!;
  judge(`  growth: ${growth.toFixed(0)} MB (goal: below ${GOAL.growthMb})`, growth < GOAL.growthMb);
  judge(
    `  peak: ${Math.max(...peaks).toFixed(0)} MB (goal: below ${GOAL.peakMb})`,
    Math.max(...peaks) < GOAL.peakMb,
  );
}

try {
  const rounds = Number(values.rounds);
  if (values.part.includes('direct')) await direct(Number(values.rows), rounds, Number(values['in-flight']));
  if (values.part.includes('service'))
    await service(Number(values.rows), rounds, Number(values['in-flight']));
  if (values.part.includes('latency')) await latency(Number(values['latency-rows']), rounds);
  if (values.part.includes('memory')) await memory(values['memory-rows'].map(Number));
} finally {
  rmSync(folder, {recursive: true, force: true});
  for (const program of [sideProgram, serviceProgram]) rmSync(program, {force: true});
}
process.exitCode = missed === 0 ? 0 : 1;
