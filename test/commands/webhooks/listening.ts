import assert from 'node:assert/strict';
import {request as httpRequest} from 'node:http';
import {request as httpsRequest} from 'node:https';
import {setTimeout as wait} from 'node:timers/promises';
import {systemClock} from '../../../src/clock.ts';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import type {ListenLine, ReadyLine} from '../../../src/webhooks/delivery/lines.ts';
import {signatureHeaders} from '../../../src/webhooks/verify/signature.ts';
import {runCli, type CliOptions, type CliResult} from '../../cli/run-cli.ts';

export const SECRET = 'whsec_0123456789abcdef';
export const body = (number: number, type = 'payout.settled'): Buffer =>
  Buffer.from(`{"id":"e${number}","type":"${type}","data":{"payout_id":"p${number}"}}`);

type Run = (argv: readonly string[], options: CliOptions) => Promise<CliResult>;

/** `webhooks listen -o ndjson` in this process, on a free port. */
export class Listening {
  readonly lines: ListenLine[] = [];
  /** Called at once for each line. */
  onLine: ((line: ListenLine) => void) | undefined;
  readonly stop = new Stop(() => assert.fail('a test must not end the process'));
  #ended!: Promise<CliResult>; // set by open
  #result: CliResult | undefined;
  #text = '';

  static async open(
    env: Record<string, string>,
    words: readonly string[] = [],
    run: Run = runCli,
  ): Promise<Listening> {
    const at = new Listening();
    const argv = ['webhooks', 'listen', '--port', '0', '-o', 'ndjson', ...words];
    const onOutput = (text: string) => at.#hear(text);
    at.#ended = run(argv, {env, stop: at.stop, clock: systemClock, onOutput});
    void at.#ended.then((result) => (at.#result = result));
    await at.until(({type}) => type === 'ready');
    return at;
  }

  get ready(): ReadyLine {
    return this.of('ready')[0]!;
  }

  of<T extends ListenLine['type']>(type: T): Extract<ListenLine, {type: T}>[] {
    return this.lines.filter((line): line is Extract<ListenLine, {type: T}> => line.type === type);
  }

  /** Waits until so many lines pass. */
  async until(passes: (line: ListenLine) => boolean, count = 1): Promise<void> {
    while (this.lines.filter(passes).length < count) {
      if (this.#result !== undefined) assert.fail(`the listener ended: ${this.#result.stderr}`);
      await wait(2);
    }
  }

  /** Posts a signed delivery; returns the status. */
  post(
    bytes: Buffer,
    headers: Record<string, string> = signatureHeaders(SECRET, bytes, Date.now()),
  ): Promise<number> {
    return this.request('POST', this.ready.path, bytes, headers);
  }

  request(
    method: string,
    path: string,
    bytes?: Buffer,
    headers: Record<string, string> = {},
  ): Promise<number> {
    const {url, port} = this.ready;
    const request = url.startsWith('https:') ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const sent = request(
        {host: '127.0.0.1', port, method, path, headers, agent: false, rejectUnauthorized: false},
        (answer) => resolve(answer.resume().statusCode!),
      );
      sent.on('error', reject);
      sent.end(bytes);
    });
  }

  /** Ends it as Ctrl-C does. */
  async end(): Promise<CliResult> {
    this.stop.receive('SIGINT');
    return this.ended();
  }

  async ended(): Promise<CliResult> {
    const result = await this.#ended;
    this.stop.release();
    return result;
  }

  #hear(text: string): void {
    this.#text += text;
    const complete = this.#text.split('\n');
    this.#text = complete.pop()!;
    for (const line of complete) {
      if (!line.startsWith('{"type"')) continue;
      this.lines.push(JSON.parse(line) as ListenLine);
      this.onLine?.(this.lines.at(-1)!);
    }
  }
}
