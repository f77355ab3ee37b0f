import assert from 'node:assert/strict';
import {setTimeout as wait} from 'node:timers/promises';
import {join} from 'node:path';
import {systemClock} from '../../../src/clock.ts';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import type {Transport} from '../../../src/client/transport/transport.ts';
import {readPlace, sandboxPlace, type SandboxPlace} from '../../../src/cli/sandbox/recorded/place.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {runCli, scratch, type CliOptions, type CliResult} from '../../cli/run-cli.ts';
import {RecordingClock} from '../../client/recording-clock.ts';

/** The machine's time: these commands wait for a real socket and a real file. */
export class RealClock extends RecordingClock {
  override now(): number {
    return Date.now();
  }

  override monotonic(): number {
    return performance.now();
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(ms, signal);
  }
}

/** Folders of their own, and a `sandbox start` in this process that other commands find by its record. */
export class LiveSandbox {
  readonly home = scratch();
  readonly env = {
    HOME: this.home,
    REMIT_STATE_DIR: join(this.home, 'state'),
    REMIT_CONFIG_DIR: join(this.home, 'config'),
  };
  readonly place: SandboxPlace = sandboxPlace(this.env.REMIT_STATE_DIR);
  readonly stop = new Stop(() => assert.fail('the process must not be ended'));
  #started: Promise<CliResult> | undefined;

  run(argv: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const service: Transport = {
      send: (request) => new HttpTransport({baseUrl: readPlace(this.place)!.base_url}).send(request),
      close: async () => undefined,
    };
    return runCli(argv, {env: this.env, service, clock: new RealClock(), ...options});
  }

  /** Resolves when it answers. */
  async start(words: readonly string[] = [], options: CliOptions = {}): Promise<void> {
    this.#started = this.run(['sandbox', 'start', '--port', '0', ...words], {stop: this.stop, ...options});
    let ended: CliResult | undefined;
    void this.#started.then((result) => (ended = result));
    while (!readPlace(this.place)) {
      if (ended !== undefined) assert.fail(`the sandbox ended: ${ended.stderr}`);
      await wait(5);
    }
  }

  /** What `sandbox start` came to. */
  async ended(): Promise<CliResult> {
    assert.ok(this.#started);
    const result = await this.#started;
    this.stop.release();
    return result;
  }
}
