import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {mkdirSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {HttpTransport} from '../../../../src/client/transport/http-transport.ts';
import {PoolTransport} from '../../../../src/client/transport/pool-transport.ts';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import {systemClock} from '../../../../src/clock.ts';
import type {TransportKind} from '../../../../src/cli/runtime/runtime.ts';
import {runCli, type CliResult} from '../../../cli/run-cli.ts';
import {RecordingClock} from '../../../client/recording-clock.ts';
import {shellTokens} from '../../../repo/command-lines.ts';

/** The machine's time. */
class WallClock extends RecordingClock {
  override now = () => systemClock.now();
  override monotonic = () => systemClock.monotonic();
  override sleep = (ms: number, signal?: AbortSignal) => systemClock.sleep(ms, signal);
}

export interface Typed {
  printed: string;
  exitCode: number;
}

/**
 * Somebody at a prompt: `remit` runs in this process and speaks real HTTP, every other command is the shell's. A `remit`
 * with `&` goes on in the background until `wait`, which prints what it said.
 */
export class Operator {
  readonly folder: string;
  readonly #env: Record<string, string>;
  #background: Promise<Typed> | undefined;

  /** @param env of the commands; `folder` is where they are typed */
  constructor(folder: string, env: Record<string, string>) {
    this.folder = folder;
    this.#env = env;
  }

  async type(line: string): Promise<Typed> {
    if (line === 'wait') return this.#wait();
    if (!line.startsWith('remit ')) return this.#shell(line);
    const tokens = shellTokens(line);
    const end = tokens.findIndex(({operator}) => operator);
    const argv = tokens.slice(1, end < 0 ? undefined : end).map(({text}) => text);
    const [operator, file] = end < 0 ? [] : tokens.slice(end).map(({text}) => text);
    if (operator === '&') return this.#begin(argv);
    const ran = await this.#remit(argv);
    if (operator === undefined) return ran;
    assert.equal(operator, '>', `${line}: only > FILE and & are known here`);
    writeFileSync(join(this.folder, file!), ran.result.stdout);
    return {printed: ran.result.stderr, exitCode: ran.exitCode};
  }

  /** Empties the folder, makes it this process's own, and returns how to go back. */
  enter(): () => void {
    rmSync(this.folder, {recursive: true, force: true});
    mkdirSync(this.folder, {recursive: true});
    const before = process.cwd();
    process.chdir(this.folder);
    return () => process.chdir(before);
  }

  /** Returns when its first request is on the way. */
  async #begin(argv: string[]): Promise<Typed> {
    assert.equal(this.#background, undefined, 'one command at a time in the background');
    await new Promise<void>((resolve) => {
      this.#background = this.#remit(argv, resolve).finally(resolve);
    });
    return {printed: '', exitCode: 0};
  }

  async #wait(): Promise<Typed> {
    const ran = await this.#background;
    this.#background = undefined;
    return ran ?? {printed: '', exitCode: 0};
  }

  async #remit(argv: string[], onRequest = () => {}): Promise<Typed & {result: CliResult}> {
    let printed = '';
    const result = await runCli(argv, {
      env: this.#env,
      cwd: this.folder,
      clock: new WallClock(),
      transport: async (kind, baseUrl) => announced(transportOf(kind, baseUrl), onRequest),
      onOutput: (text) => (printed += text),
    });
    return {printed, exitCode: result.exitCode, result};
  }

  #shell(line: string): Typed {
    const {stdout, stderr, status} = spawnSync('/bin/bash', ['-c', line], {
      cwd: this.folder,
      env: {...this.#env, PATH: process.env['PATH']},
      encoding: 'utf8',
    });
    return {printed: stdout + stderr, exitCode: status ?? -1};
  }
}

const transportOf = (kind: TransportKind, baseUrl: string): Transport =>
  kind === 'one-shot' ? new HttpTransport({baseUrl}) : new PoolTransport({baseUrl, connections: 8});

const announced = (transport: Transport, onRequest: () => void): Transport => ({
  send: (request) => {
    onRequest();
    return transport.send(request);
  },
  close: () => transport.close(),
});
