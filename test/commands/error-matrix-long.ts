/**
 * Every command that sends something against every answer, in as many processes as there are cores.
 *
 *   npm run long:errors                                       all parts, about 6 minutes on two cores
 *   npm run long:errors -- --part batch --part probe          some of them
 *   npm run long:errors -- --only 'resume: POST'              cases whose name contains this
 *
 * Goes on after a failure. The last lines give the number of cases and the names of those that failed; exits 1 if any did.
 */
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {availableParallelism, tmpdir} from 'node:os';
import {join} from 'node:path';
import {parseArgs} from 'node:util';
import type {Tried} from './error-matrix/cases.ts';

const FOLDER = 'test/commands/error-matrix';
interface Part {
  file: string;
  /** Of the tests in its file. */
  grep?: string;
  /** Processes among which its cases are split. */
  slices: number;
}
/** The longest first, so that no core is left with one at the end. */
const PARTS: Readonly<Record<string, Part>> = {
  batch: {file: `${FOLDER}/batch.sweep.test.ts`, slices: 12},
  resolve: {file: `${FOLDER}/batch-resolve.sweep.test.ts`, slices: 4},
  probe: {file: `${FOLDER}/other-writes.sweep.test.ts`, grep: 'doctor --probe-writes', slices: 4},
  writes: {file: 'test/commands/error-matrix.sweep.test.ts', slices: 2},
  receivers: {file: `${FOLDER}/other-writes.sweep.test.ts`, grep: 'answer of a receiver', slices: 2},
  register: {file: `${FOLDER}/register.sweep.test.ts`, slices: 2},
  rotation: {file: `${FOLDER}/endpoints.sweep.test.ts`, slices: 1},
  sandbox: {file: `${FOLDER}/sandbox.sweep.test.ts`, slices: 1},
};

const {values} = parseArgs({
  options: {
    part: {type: 'string', multiple: true, default: Object.keys(PARTS)},
    only: {type: 'string', default: ''},
    jobs: {type: 'string', default: String(availableParallelism())},
  },
});

interface Job extends Part {
  name: string;
  slice: number;
}
const jobs: Job[] = values.part.flatMap((name) => {
  const part = PARTS[name];
  if (part === undefined) throw new Error(`no part ${name}; parts: ${Object.keys(PARTS).join(', ')}`);
  return Array.from({length: part.slices}, (_, slice) => ({...part, name, slice}));
});

const folder = mkdtempSync(join(tmpdir(), 'remit-matrix-'));
const failed: string[] = [];
let tried = 0;

/** Runs one process, and adds what it tried to the counts. */
async function run({name, slice, slices, file, grep}: Job): Promise<void> {
  const label = slices === 1 ? name : `${name} ${slice + 1}/${slices}`;
  const counts = join(folder, `${name}-${slice}`);
  const began = performance.now();
  const words = ['node_modules/mocha/bin/mocha.js', file, ...(grep === undefined ? [] : ['--grep', grep])];
  const mocha = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...{REMIT_MATRIX: 'long', REMIT_MATRIX_SLICE: `${slice}/${slices}`},
      ...{REMIT_MATRIX_ONLY: values.only, REMIT_MATRIX_COUNTS: counts},
    },
  });
  let printed = '';
  for (const stream of [mocha.stdout, mocha.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed += text));
  const [code] = (await once(mocha, 'close')) as [number | null];
  const found = countsIn(counts);
  const sum = found.reduce((total, one) => total + one.tried, 0);
  const cases = found.flatMap((one) => one.failed);
  // A failure outside the cases, or a process that died: mocha's own text says which.
  if (code !== 0 && cases.length === 0) failed.push(`${label}: exit code ${code}`);
  failed.push(...cases);
  tried += sum;
  const seconds = (performance.now() - began) / 1000;
  say(`${label}: ${sum} cases, ${cases.length} failed, ${seconds.toFixed(0)} s`);
  if (code !== 0) say(printed);
}

const countsIn = (path: string): Tried[] => {
  try {
    const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Tried);
  } catch {
    return []; // it ended before the first table
  }
};
const say = (line: string) => process.stdout.write(`${line}\n`);

const began = performance.now();
try {
  const worker = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) await run(job);
  };
  await Promise.all(Array.from({length: Number(values.jobs)}, worker));
} finally {
  rmSync(folder, {recursive: true, force: true});
}
for (const name of failed) say(`failed: ${name}`);
if (tried === 0) say('no case has this name');
say(`${tried} cases, ${failed.length} failed, ${((performance.now() - began) / 1000).toFixed(0)} s`);
if (failed.length > 0 || tried === 0) process.exitCode = 1;
