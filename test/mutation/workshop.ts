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
import type {Mutation} from './sites.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Not copied: they are large, and no mutation touches them. */
const LINKED = ['node_modules', 'dist'];
const LEFT_OUT = [...LINKED, '.git'];
/** Tests that are stopped leave folders behind: they go with the copy. */
const TEMPORARY = 'tmp';

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
    const path = join(this.#folder, mutation.file);
    const original = readFileSync(path, 'utf8');
    const {start, end, becomes} = mutation;
    writeFileSync(path, original.slice(0, start) + becomes + original.slice(end));
    try {
      return await this.run(tests, timeoutMs);
    } finally {
      writeFileSync(path, original);
    }
  }

  /** @param timeoutMs a mutation that makes a loop endless is noticed by it */
  async run(tests: readonly string[], timeoutMs: number): Promise<TestRun> {
    const began = performance.now();
    const child = spawn(
      process.execPath,
      ['node_modules/mocha/bin/mocha.js', '--bail', '--exit', '--reporter', 'dot', ...tests],
      {
        cwd: this.#folder,
        env: {...process.env, TMPDIR: join(this.#folder, TEMPORARY)},
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
