import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {
  Transport,
  TransportAnswer,
  TransportRequest,
} from '../../../../src/client/transport/transport.ts';
import {VirtualClock} from '../../../batch/virtual-clock.ts';
import {BASE_URL, runCli, type CliOptions, type CliResult} from '../../../cli/run-cli.ts';
import {TestSandbox} from '../../../sandbox/harness.ts';
import {answerOf} from '../../sandbox-service.ts';

/** A folder, a sandbox, and `remit` typed in that folder. Commands and sandbox have the same clock; its bank takes four seconds. */
export class SandboxDesk {
  readonly folder = mkdtempSync(join(tmpdir(), 'remit-desk-'));
  readonly clock: VirtualClock;
  readonly sandbox: TestSandbox;
  /** Method and path of what was sent. */
  requests: string[] = [];
  /** Called before the sandbox gets a request. */
  before: (request: TransportRequest) => void = () => undefined;
  readonly transport: Transport = {
    send: (request) => this.#send(request),
    close: async () => undefined,
  };

  readonly #env: Record<string, string>;

  private constructor(sandbox: TestSandbox, clock: VirtualClock, env: Record<string, string>) {
    this.sandbox = sandbox;
    this.clock = clock;
    this.#env = env;
  }

  /** @param env more of it for every command */
  static async open(
    options: Parameters<typeof TestSandbox.open>[0] = {},
    env: Record<string, string> = {},
  ): Promise<SandboxDesk> {
    const clock = new VirtualClock();
    return new SandboxDesk(await TestSandbox.open({clock, ...options}), clock, env);
  }

  env(): Record<string, string> {
    const {testKey} = this.sandbox.sandbox;
    return {HOME: this.folder, REMIT_API_KEY: testKey, REMIT_BASE_URL: BASE_URL, USER: 'ada', ...this.#env};
  }

  remit(line: string, options: Partial<CliOptions> = {}): Promise<CliResult> {
    const words = line.split(' ').map((word) => word.replace(/^\.\//, `${this.folder}/`)); // this process stays where it is
    const {transport: service, clock, folder: cwd} = this;
    return runCli(words, {service, clock, cwd, env: this.env(), ...options});
  }

  file(name: string, header: string, rows: readonly string[]): void {
    writeFileSync(join(this.folder, name), `${header}\n${rows.join('\n')}\n`);
  }

  /** A payee or payer with a verified bank account, which is the default. */
  async party(kind: 'payee' | 'payer'): Promise<{id: string; method: string}> {
    const id = await this.sandbox.party(kind);
    const account = {account_number: '000123456789', routing_number: '110000000', account_type: 'checking'};
    const added = await this.sandbox.post(`/api/${kind}s/${id}/payment-methods`, {
      ...{type: 'bank_account', country_code: 'US', currency_code: 'USD'},
      bank_account: {...account, holder_name: 'Elm Works'},
    });
    const method = added.body.id as string;
    this.clock.advance(3000);
    await this.sandbox.post(`/api/${kind}s/${id}/payment-methods/${method}/set-default`, {});
    return {id, method};
  }

  async close(): Promise<void> {
    await this.sandbox.close();
    rmSync(this.folder, {recursive: true, force: true});
  }

  async #send(request: TransportRequest): Promise<TransportAnswer> {
    this.requests.push(`${request.method} ${request.path}`);
    this.before(request);
    return answerOf(this.sandbox, request);
  }
}
