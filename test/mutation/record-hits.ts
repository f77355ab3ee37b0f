import {writeFileSync} from 'node:fs';
import {relative} from 'node:path';
import type {Context} from 'mocha';
import {LOADING} from './coverage.ts';

/** Required by mocha in a copy of the project with instrumented sources: writes what each test file ran. */
const recorded: Record<string, {functions: Set<string>; ms: number}> = {};
const hits = new Set<string>();
Object.assign(globalThis, {remitHits: hits});

function assignTo(name: string, ms: number): void {
  const entry = (recorded[name] ??= {functions: new Set(), ms: 0});
  for (const hit of hits) entry.functions.add(hit);
  entry.ms += ms;
  hits.clear();
}

export const mochaHooks = {
  beforeAll(): void {
    assignTo(LOADING, 0);
  },
  afterEach(this: Context): void {
    const {file, duration} = this.currentTest!;
    assignTo(relative(process.cwd(), file!).replaceAll('\\', '/'), duration ?? 0);
  },
  afterAll(): void {
    const plain = Object.entries(recorded).map(([name, {functions, ms}]) => [
      name,
      {functions: [...functions], ms},
    ]);
    writeFileSync(process.env['REMIT_TEST_HITS']!, JSON.stringify(Object.fromEntries(plain)));
  },
};
