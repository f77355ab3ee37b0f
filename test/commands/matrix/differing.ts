import {randomUUID} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RemitClient} from '../../../src/client/client.ts';
import type {Transport} from '../../../src/client/transport/transport.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {VirtualClock} from '../../batch/virtual-clock.ts';
import {BASE_URL, runCli, type CliResult} from '../../cli/run-cli.ts';
import {MONDAY} from '../../sandbox/harness.ts';
import {SandboxService} from '../sandbox-service.ts';
import type {Difference, Send} from './difference.ts';
import {fill, type Known} from './known.ts';

/** A service that differs, and a user who runs commands against it. */
export class Differing {
  readonly folder = mkdtempSync(join(tmpdir(), 'remit-matrix-'));
  readonly service: SandboxService;
  readonly known: Known;
  readonly #dialect: ServiceFile;
  readonly #transport: Transport;
  /** The clock of batches, whose timers run in the background. */
  readonly #clock = new VirtualClock(Date.parse(MONDAY));

  private constructor(service: SandboxService, {service: file, ...more}: Difference, known: Known) {
    this.service = service;
    this.known = known;
    this.#dialect = more.sandbox ?? file;
    const send: Send = (request) => service.send(request);
    this.#transport = {send: more.twist?.(send) ?? send, close: async () => {}};
    writeFileSync(join(this.folder, 'service.json'), JSON.stringify(file));
    writeFileSync(join(this.folder, 'key.txt'), service.testKey, {mode: 0o600});
  }

  static async open(difference: Difference): Promise<Differing> {
    const dialect = difference.sandbox ?? difference.service;
    const service = await SandboxService.open({service: dialect});
    const known = await fill(service, clientOf(service, dialect), new Set(difference.in ?? ['payouts']));
    return new Differing(service, difference, known);
  }

  remit(line: string, withFile: boolean): Promise<CliResult> {
    return runCli(line.split(' '), {
      service: this.#transport,
      clock: line.startsWith('payouts batch') ? this.#clock : this.service.clock,
      uuid: randomUUID,
      cwd: this.folder,
      env: {
        ...{HOME: this.folder, REMIT_API_KEY: this.service.testKey, REMIT_BASE_URL: BASE_URL},
        ...(withFile ? {REMIT_SERVICE_FILE: join(this.folder, 'service.json')} : {}),
      },
    });
  }

  rows(name: string, references: readonly string[]): string {
    const lines = references.map(
      (reference, at) => `${reference},${this.known.payee},${at + 1}.50,USD,standard_ach,note-${at}`,
    );
    const path = join(this.folder, name);
    writeFileSync(path, `reference,payee_id,amount,currency_code,rail,metadata.note\n${lines.join('\n')}\n`);
    return path;
  }

  /** The amounts of the payouts that are approved or paid, by reference, according to the service. */
  async paid(): Promise<Map<string, number[]>> {
    const paid = new Map<string, number[]>();
    const key = this.#dialect.metadata?.reference ?? 'remit_reference';
    for await (const payout of clientOf(this.service, this.#dialect).payouts.list()) {
      const metadata = payout.client_metadata as Record<string, string> | null;
      const reference = metadata?.['remit_reference'] ?? metadata?.[key];
      if (reference === undefined || ['created', 'canceled'].includes(payout.status)) continue;
      paid.set(reference, [...(paid.get(reference) ?? []), payout.amount_in_minor_units]);
    }
    return paid;
  }

  async close(): Promise<void> {
    await this.service.sandbox.close();
    rmSync(this.folder, {recursive: true, force: true});
  }
}

const clientOf = (service: SandboxService, file: ServiceFile) =>
  new RemitClient({
    ...{baseUrl: BASE_URL, key: service.testKey, transport: service, clock: service.clock},
    service: file,
  });
