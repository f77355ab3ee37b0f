/**
 * Long lists by the built command, beside a bare loop of `node:http` and `JSON.parse` over the same pages.
 *
 *   npm run long:lists                              pages that cost the service next to nothing
 *   npm run long:lists -- --sandbox                 the sandbox as the service, its store filled with payouts
 *   npm run long:lists -- --records 10000,100000 --forms ndjson,csv
 *
 * For each form: the peak of memory at each length; and at the last one the time, its ratio to the bare loops just before
 * and after it, and the time per page of the last tenth against the first (without --sandbox). Fails if memory grows, if
 * pages become slower, or, with --sandbox, if the command has less than 0.8 of the speed of the bare loop. JSON and YAML
 * hold the whole list: their memory may grow, by a limited amount for each record, and their time is only shown.
 */
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, openSync, readFileSync, rmSync} from 'node:fs';
import {devNull, tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const BIN = here('../../bin/run.cjs');
const FORMS: Readonly<Record<string, readonly string[]>> = {
  ndjson: ['--all', '-o', 'ndjson'],
  csv: ['--all', '-o', 'csv'],
  table: ['--all', '-o', 'table'],
  id: ['--all', '-o', 'id'],
  summary: ['--summary', '-o', 'json'],
  json: ['--all', '-o', 'json'],
  yaml: ['--all', '-o', 'yaml'],
};
/** Nothing of these is printed before the list is complete. */
const HELD = ['json', 'yaml'];
const MOST_BYTES_HELD = 1000; // of a record with 550 bytes
/** A heap grows until it is worth collecting; what is beyond grows with the list. */
const MOST_GROWTH_MB = 40;
const FLAT = 1.5;
const LEAST_RATIO = 0.8;

const {values} = parseArgs({
  options: {
    records: {type: 'string', default: '10000,100000,1000000'},
    forms: {type: 'string', default: Object.keys(FORMS).join(',')},
    sandbox: {type: 'boolean', default: false},
  },
});
const lengths = values.records.split(',').map(Number);
const forms = values.forms.split(',');
const home = mkdtempSync(join(tmpdir(), 'remit-lists-'));
const peakFile = join(home, 'peak');

interface Service {
  base: string;
  key: string;
  process: ChildProcess;
}

async function serve(records: number): Promise<Service> {
  const words = values.sandbox
    ? [here('list-sandbox.ts'), join(home, `${records}.db`), String(records)]
    : [here('list-server.ts'), String(records)];
  const child = spawn(process.execPath, ['--import', './bin/typescript.mjs', ...words], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [line] = (await once(createInterface({input: child.stdout}), 'line')) as [string];
  if (!values.sandbox)
    return {base: `http://127.0.0.1:${line}`, key: 'test_0123456789abcdef', process: child};
  const {base_url: base, test_key: key} = JSON.parse(line) as {base_url: string; test_key: string};
  return {base, key, process: child};
}

/** Runs Node, and returns its seconds and what it printed, if that is kept. */
async function run(argv: readonly string[], service: Service, keeps: boolean) {
  const env = {
    ...process.env,
    REMIT_STATE_DIR: join(home, 'state'),
    REMIT_CONFIG_DIR: join(home, 'config'),
    REMIT_API_KEY: service.key,
    REMIT_BASE_URL: service.base,
    REMIT_BENCH_PEAK: peakFile,
  };
  const began = performance.now();
  const child = spawn(process.execPath, argv, {
    env,
    stdio: ['ignore', keeps ? 'pipe' : openSync(devNull, 'w'), 'inherit'],
  });
  let stdout = '';
  child.stdout?.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${argv.join(' ')} ended with ${code}`);
  return {seconds: (performance.now() - began) / 1000, stdout};
}

/** Seconds in its loop: starting Node is not part of it. */
async function bare(service: Service, records: number): Promise<number> {
  const {stdout} = await run([here('list-bare.mjs'), service.base, service.key], service, true);
  const {records: read, ms} = JSON.parse(stdout) as {records: number; ms: number};
  if (read !== records) throw new Error(`the bare loop read ${read} of ${records} records`);
  return ms / 1000;
}

async function list(service: Service, form: string): Promise<{seconds: number; peakMb: number}> {
  const words = ['payouts', 'list', ...(FORMS[form] ?? []), '--quiet'];
  const {seconds} = await run(['--require', here('list-peak.cjs'), BIN, ...words], service, false);
  return {seconds, peakMb: Number(readFileSync(peakFile, 'utf8')) / 1024};
}

/** The last tenth of the pages against the first one. */
async function slowdown({base}: Service): Promise<number> {
  const tenths = (await (await fetch(`${base}/tenths`)).json()) as number[];
  const [first = 1, , , , , , , , beforeLast = 0, last = 0] = tenths;
  return (last - beforeLast) / first;
}

const say = (line: string) => process.stdout.write(`${line}\n`);
const results = new Map<string, {peaks: number[]; rest: string}>(
  forms.map((form) => [form, {peaks: [], rest: ''}]),
);
const faults: string[] = [];
try {
  for (const [at, records] of lengths.entries()) {
    const service = await serve(records);
    const isLast = at === lengths.length - 1;
    let before = isLast ? await bare(service, records) : 0;
    for (const form of forms) {
      const result = results.get(form)!;
      const {seconds, peakMb} = await list(service, form);
      result.peaks.push(peakMb);
      if (!isLast) continue;
      const tenth = values.sandbox ? undefined : await slowdown(service);
      const after = await bare(service, records);
      const ratio = (before + after) / 2 / seconds;
      before = after;
      result.rest =
        `${seconds.toFixed(1).padStart(6)} s  ${ratio.toFixed(2)} of a bare loop (${after.toFixed(1)} s)` +
        (tenth === undefined ? '' : `  last tenth x${tenth.toFixed(2)}`);
      if (tenth !== undefined && tenth > FLAT) faults.push(`${form}: pages become slower`);
      if (values.sandbox && ratio < LEAST_RATIO && !HELD.includes(form))
        faults.push(`${form}: ${ratio.toFixed(2)} of a bare loop`);
    }
    service.process.stdin?.end();
    await once(service.process, 'exit');
  }
} finally {
  rmSync(home, {recursive: true, force: true});
}
say(
  `${lengths.join(', ')} records by ${values.sandbox ? 'the sandbox' : 'made-up pages'}, Node ${process.version}`,
);
for (const [form, {peaks, rest}] of results) {
  say(`${form.padEnd(8)} peak ${peaks.map((mb) => `${mb.toFixed(0)} MB`).join(', ')}  ${rest}`);
  const held = HELD.includes(form) ? (lengths.at(-1)! * MOST_BYTES_HELD) / 1_048_576 : 0;
  if (peaks.at(-1)! - peaks[0]! > MOST_GROWTH_MB + held) faults.push(`${form}: memory grows`);
}
for (const fault of faults) say(`not met: ${fault}`);
if (faults.length > 0) process.exitCode = 1;
