import {randomUUID} from 'node:crypto';
import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import type {TransportAnswer, TransportRequest} from '../../src/client/transport/transport.ts';
import {BASE_URL, runCli, scratch, type CliOptions, type CliResult} from '../cli/run-cli.ts';
import {lost} from '../client/transport/fake-transport.ts';
import {remitCallsIn} from '../repo/command-lines.ts';
import {SandboxService} from './sandbox-service.ts';

/** One home and one sandbox, whose answers to writes get lost on request. */
export class DoubtsWorld {
  readonly service: SandboxService;
  /** What happens to the next POSTs: `answer` loses what the sandbox answers, `request` the request itself. */
  losing: 'answer' | 'request' | 'nothing' = 'nothing';
  home = scratch();
  /** Method and path, and the idempotency key of a POST. */
  sent: {line: string; key: string | undefined; body: unknown}[] = [];

  private constructor(service: SandboxService) {
    this.service = service;
  }

  static async open(options?: Parameters<typeof SandboxService.open>[0]): Promise<DoubtsWorld> {
    return new DoubtsWorld(await SandboxService.open(options));
  }

  close(): Promise<void> {
    return this.service.sandbox.close();
  }

  get clock() {
    return this.service.clock;
  }

  get posts(): {line: string; key: string | undefined; body: unknown}[] {
    return this.sent.filter(({line}) => line.startsWith('POST'));
  }

  readonly transport = {
    send: async (request: TransportRequest): Promise<TransportAnswer> => {
      const {method, path, headers, body} = request;
      const isPost = method === 'POST';
      this.sent.push({
        line: `${method} ${path}`,
        key: headers['idempotency-key'],
        body: JSON.parse(body ?? 'null'),
      });
      if (isPost && this.losing === 'request') throw lost('refused', {sent: false});
      const answer = await this.service.send(request);
      if (isPost && this.losing === 'answer') throw lost('reset', {sent: true});
      return answer;
    },
    close: async (): Promise<void> => {},
  };

  run(words: string | readonly string[], options: Partial<CliOptions> = {}): Promise<CliResult> {
    this.sent = [];
    const {service, home} = this;
    return runCli(typeof words === 'string' ? words.split(' ') : words, {
      ...{service: this.transport, clock: service.clock, uuid: randomUUID},
      ...options,
      env: {HOME: home, REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL, ...options.env},
    });
  }

  /** The same with every answer to a write lost. */
  async lose(words: string | readonly string[], options?: Partial<CliOptions>): Promise<CliResult> {
    this.losing = 'answer';
    const ran = await this.run(words, options);
    this.losing = 'nothing';
    return ran;
  }

  /** Where payments in doubt are remembered. */
  get folder(): string {
    return join(this.home, '.local', 'state', 'remit', 'in-doubt');
  }

  /** The names of the files there. */
  get remembered(): string[] {
    return existsSync(this.folder) ? readdirSync(this.folder) : [];
  }

  entries(): Record<string, unknown>[] {
    return this.remembered.map(
      (name) => JSON.parse(readFileSync(join(this.folder, name), 'utf8')) as Record<string, unknown>,
    );
  }

  async countOf(path: string): Promise<number> {
    const {body} = await this.service.sandbox.get(path);
    return (body.data as unknown[]).length;
  }
}

/** The commands within a hint, without `remit`. */
export const commandsIn = (hint: string | null | undefined): string[][] =>
  [...(hint ?? '').matchAll(/remit [^;]*/g)].flatMap(([line]) => remitCallsIn(line));
