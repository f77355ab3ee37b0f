import assert from 'node:assert/strict';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {Readable, Writable} from 'node:stream';
import type {Config} from '@oclif/core';
import type {App} from '../../src/cli/core/app.ts';
import {main} from '../../src/cli/core/main.ts';
import {matching, terminalPrompts, type Prompts} from '../../src/cli/runtime/prompts.ts';
import type {Runtime} from '../../src/cli/runtime/runtime.ts';
import {appOf, type PackageJson} from '../../src/cli/core/start.ts';
import {Stop} from '../../src/cli/runtime/stop.ts';
import type {Transport} from '../../src/client/transport/transport.ts';
import type {ExitCode} from '../../src/errors.ts';
import type {Clock} from '../../src/clock.ts';
import {FakeTransport, type Reply, type Script} from '../client/transport/fake-transport.ts';
import {RecordingClock} from '../client/recording-clock.ts';
import {readJson, ROOT} from '../repo/tree.ts';
import {checkPrinted} from './printed.ts';

export const TEST_KEY = 'test_0123456789abcdef';
export const LIVE_KEY = 'live_0123456789abcdef';
export const BASE_URL = 'http://127.0.0.1:4010';

/** A standard stream that remembers what was written to it. */
export class Screen extends Writable {
  text = '';
  isTTY: boolean | undefined;
  columns: number | undefined;
  error: Error | undefined;
  /** Until then its reader takes nothing more. */
  stalled: Promise<void> | undefined;

  readonly #onText: (text: string) => void;

  constructor(columns?: number, onText: (text: string) => void = () => {}) {
    super({decodeStrings: false});
    this.#onText = onText;
    this.isTTY = columns !== undefined;
    this.columns = columns;
  }

  override _write(chunk: string | Buffer, _encoding: string, done: (error?: Error) => void): void {
    if (this.error !== undefined) {
      done(this.error);
      return;
    }
    this.text += chunk.toString();
    this.#onText(chunk.toString());
    if (this.stalled === undefined) done();
    else void this.stalled.then(() => done());
  }
}

export interface CliOptions {
  env?: Record<string, string>;
  /** What the service answers: replies in order, a function, or a whole transport. */
  service?: readonly Reply[] | Script | Transport;
  /** Width of the terminal that stdout, stderr and stdin are; a pipe when absent. */
  columns?: number;
  stdin?: string;
  clock?: Clock;
  cwd?: string;
  /** Answers to questions, in order, or what is done while the question is open; the questions are kept. */
  answers?: (string | boolean | (() => Promise<string | boolean>))[];
  stop?: Stop;
  /** What an idempotency key is made of; the same one each time unless said. */
  uuid?: () => string;
  /** Real transports, in place of `service`. */
  transport?: Runtime['transport'];
  /** What every write to stdout fails with, as on a full disk. */
  stdoutError?: Error;
  /** Until then nothing is read from stdout. */
  stdoutStalled?: Promise<void>;
  /** Hears stdout and stderr as they are written, in one order. */
  onOutput?: (text: string) => void;
}

export interface CliResult {
  exitCode: ExitCode;
  stdout: string;
  stderr: string;
  requests: FakeTransport['requests'];
  questions: string[];
  /** The last line of stderr, parsed. */
  error(): {
    code: string;
    message: string;
    exit_code: number;
    retryable: boolean;
    hint: string | null;
    details: Record<string, unknown> | null;
  };
  json(): unknown;
}

let shared: Promise<App> | undefined;

/** The commands from source, loaded once for all tests. */
function sourceApp(): Promise<App> {
  return (shared ??= loadApp());
}

async function loadApp(): Promise<App> {
  const pjson = readJson('package.json') as PackageJson;
  const target = './bin/source-commands.js';
  const oclif = {...pjson.oclif, commands: {strategy: 'explicit', target, identifier: 'COMMANDS'}};
  const {COMMANDS} = (await import(`../../${target}`)) as {COMMANDS: App['commands']};
  return appOf({root: ROOT, pjson: {...pjson, oclif}, commands: COMMANDS, fromSource: true});
}

/** oclif's view of the command tree. */
export const sourceConfig = async (): Promise<Config> => (await sourceApp()).config();

/** A folder of its own for profiles and state; nothing of the machine is read. */
export const scratch = (): string => mkdtempSync(join(tmpdir(), 'remit-cli-'));

/** Runs one command line in this process, exactly as the launcher does. By default with a test key in the environment. */
export async function runCli(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  const home = options.env?.['HOME'] ?? scratch();
  const stdout = new Screen(options.columns, options.onOutput);
  if (options.stdoutError !== undefined) stdout.error = options.stdoutError;
  stdout.stalled = options.stdoutStalled;
  const stderr = new Screen(options.columns, options.onOutput);
  const stdin: Runtime['stdin'] = Readable.from(options.stdin === undefined ? [] : [options.stdin]);
  stdin.isTTY = options.columns !== undefined;
  const transport = asTransport(options.service ?? []);
  const stop = options.stop ?? new Stop(() => assert.fail('a test must not end the process'));
  const questions: string[] = [];
  const runtime: Runtime = {
    env: options.env ?? {HOME: home, REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL},
    cwd: options.cwd ?? home,
    home,
    stdin,
    stdout,
    stderr,
    clock: options.clock ?? new RecordingClock(),
    random: () => 0.5,
    uuid: options.uuid ?? (() => '11111111-2222-4333-8444-555555555555'),
    stop,
    prompts:
      options.answers === undefined
        ? terminalPrompts({stdin, stderr, stop})
        : scriptedPrompts(options.answers, questions),
    transport: options.transport ?? (async () => transport),
  };
  const {exitCode} = await main(argv, await sourceApp(), runtime);
  if (options.stdoutError === undefined)
    checkPrinted(argv, stdout.text, {fromSandbox: 'sandbox' in (options.service ?? [])});
  return {
    exitCode,
    stdout: stdout.text,
    stderr: stderr.text,
    requests: transport instanceof FakeTransport ? transport.requests : [],
    questions,
    error: () =>
      (JSON.parse(stderr.text.trim().split('\n').at(-1)!) as {error: ReturnType<CliResult['error']>}).error,
    json: () => JSON.parse(stdout.text) as unknown,
  };
}

function asTransport(service: NonNullable<CliOptions['service']>): Transport {
  return 'send' in service ? service : new FakeTransport(service);
}

function scriptedPrompts(answers: NonNullable<CliOptions['answers']>, questions: string[]): Prompts {
  const next = async <T>(question: string): Promise<T> => {
    questions.push(question);
    if (answers.length === 0) assert.fail(`an unexpected question: ${question}`);
    const answer = answers.shift();
    return (typeof answer === 'function' ? await answer() : answer) as T;
  };
  /** What is wrong with a line is the question that is asked next. */
  const line: Prompts['line'] = async (question, _flag, wrong) => {
    let typed = await next<string>(question);
    for (let why = wrong?.(typed); why !== undefined; why = wrong?.(typed)) typed = await next<string>(why);
    return typed;
  };
  return {
    ...{confirm: next, hidden: line, line},
    /** The answer is what is typed to find a choice; the first one is taken. */
    choose: async (question, list) => {
      const found = matching(list, await next<string>(question));
      return found[0]?.value ?? assert.fail(`nothing to choose: ${question}`);
    },
    chooseSome: async (question) => (await next<string>(question)).split(','),
  };
}
