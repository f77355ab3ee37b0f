import {spawn} from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {SourceFile} from '../repo/tree.ts';
import {instrument, type Coverage} from './coverage.ts';
import type {Mutation} from './sites.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Not copied: they are large, and no mutation touches them. */
const LINKED = ['node_modules', 'dist'];
const LEFT_OUT = [...LINKED, '.git'];
/** Tests that are stopped leave folders behind: they go with the copy. */
const TEMPORARY = 'tmp';
const MOCHA = 'node_modules/mocha/bin/mocha.js';
/** More than a test has otherwise: one that is stopped on a busy machine would count as having noticed. */
const TEST_MS = '180000';

/** What the tests said: `noticed` when one failed, or when they did not end. */
export type TestRun = {noticed: boolean; ms: number; timedOut: boolean; output: string};

/** A copy of the project in which one file at a time is mutated, so that the checkout itself is never touched. */
export class Workshop {
  readonly #folder = mkdtempSync(join(tmpdir(), 'remit-mutants-'));

  constructor() {
    for (const name of readdirSync(ROOT))
      if (!LEFT_OUT.includes(name)) cpSync(join(ROOT, name), join(this.#folder, name), {recursive: true});
    for (const name of LINKED) symlinkSync(join(ROOT, name), join(this.#folder, name), 'junction');
    mkdirSync(join(this.#folder, TEMPORARY));
  }

  remove(): void {
    rmSync(this.#folder, {recursive: true, force: true});
  }

  /** Runs test files over the mutated source, and stops at the first failure. */
  async tryOut(mutation: Mutation, tests: readonly string[], timeoutMs: number): Promise<TestRun> {
    const {file, start, end, becomes} = mutation;
    const original = readFileSync(join(this.#folder, file), 'utf8');
    const text = original.slice(0, start) + becomes + original.slice(end);
    return this.#with([{path: file, text}], () => this.run(tests, timeoutMs));
  }

  /** Runs test files and records which functions of the sources each one runs. */
  async cover(
    sources: readonly SourceFile[],
    tests: readonly string[],
    timeoutMs: number,
  ): Promise<TestRun & {coverage: Coverage}> {
    const instrumented = sources.map((source) => ({path: source.path, text: instrument(source)}));
    const hits = join(this.#folder, TEMPORARY, 'hits.json');
    const run = await this.#with(instrumented, () =>
      this.run(['--require', './test/mutation/record-hits.ts', ...tests], timeoutMs, {REMIT_TEST_HITS: hits}),
    );
    return {...run, coverage: run.noticed ? {} : (JSON.parse(readFileSync(hits, 'utf8')) as Coverage)};
  }

  async #with<T>(sources: readonly SourceFile[], work: () => Promise<T>): Promise<T> {
    const originals = sources.map(({path}) => readFileSync(join(this.#folder, path), 'utf8'));
    for (const {path, text} of sources) writeFileSync(join(this.#folder, path), text);
    try {
      return await work();
    } finally {
      for (const [at, {path}] of sources.entries()) writeFileSync(join(this.#folder, path), originals[at]!);
    }
  }

  /** @param timeoutMs a mutation that makes a loop endless is noticed by it */
  async run(
    tests: readonly string[],
    timeoutMs: number,
    environment: NodeJS.ProcessEnv = {},
  ): Promise<TestRun> {
    const began = performance.now();
    const child = spawn(
      process.execPath,
      [MOCHA, '--bail', '--exit', '--reporter', 'dot', '--timeout', TEST_MS, ...tests],
      {
        cwd: this.#folder,
        env: {...process.env, ...environment, TMPDIR: join(this.#folder, TEMPORARY)},
        stdio: ['ignore', 'pipe', 'pipe'],
        detached: true,
      },
    );
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk) => (output += String(chunk)));
    let timedOut = false;
    const end = (): void => {
      timedOut = true;
      try {
        process.kill(-child.pid!, 'SIGKILL'); // its own group: tests start processes as well
      } catch {
        // It has ended in this moment.
      }
    };
    const timer = setTimeout(end, timeoutMs);
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
    clearTimeout(timer);
    return {noticed: code !== 0, ms: performance.now() - began, timedOut, output};
  }
}
