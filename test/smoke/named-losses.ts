import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {join} from 'node:path';
import {setTimeout as wait} from 'node:timers/promises';
import {RecordReader} from '../../src/webhooks/record/reader.ts';
import {loopbackCertificate} from '../../src/webhooks/tls/local-authority.ts';
import {LiveSandbox} from '../commands/sandbox/live-sandbox.ts';
import {Receiver} from '../commands/webhooks/receiver.ts';
import {startCli} from './spawn-cli.ts';

interface ListedDelivery {
  id: string;
  event_id: string;
  state: string;
}

export interface Losses {
  kills: number;
  events: number;
  /** Events that arrived, or still wait for an endpoint. */
  kept: number;
  /** Events that were dropped, and whose deliveries a command has named. */
  named: number;
}

/** Kills commands while deliveries wait on a sandbox, and then looks for events that are gone and were not named. */
export class LossHunt {
  readonly #sandbox = new LiveSandbox();
  readonly #env = {PATH: process.env['PATH']!, ...this.#sandbox.env};
  #payee = '';
  #paid = 0;
  #kills = 0;
  #printed = '';

  async open(): Promise<void> {
    await this.#sandbox.start(['--timing', 'instant']);
    [{id: this.#payee}] = await this.#json<[{id: string}]>('sandbox', 'seed', '--payees', '1');
  }

  async close(): Promise<void> {
    await this.#sandbox.run(['sandbox', 'stop']);
    await this.#sandbox.ended();
  }

  /** A listener is killed so many times, at any moment, every third time at a new address; the last one is not. */
  async killListeners(times: number): Promise<void> {
    let port = (await this.#listen('0', (ready) => ready)) ?? 0;
    for (let time = 1; time < times; time += 1) {
      const isMoved = time % 3 === 0;
      const afterMs = 300 + Math.random() * 5000;
      const paying = this.#pay();
      port = (await this.#listen(String(isMoved ? 0 : port), () => wait(afterMs))) ?? port;
      await paying;
    }
    await this.#listen(String(port), (ready) => ready.then(() => this.#drain()), 'SIGINT');
  }

  /**
   * So many rotations of an endpoint are killed, and continued by the same command. Its receiver answers every second
   * delivery with success, and events also come while both endpoints exist.
   */
  async killRotations(times: number): Promise<void> {
    const {certificate: cert, key} = await loopbackCertificate(this.#sandbox.env.REMIT_STATE_DIR, Date.now());
    const receiver = await Receiver.open(
      (response) => response.writeHead(receiver.got.length % 2 === 0 ? 204 : 500).end(),
      {cert, key},
    );
    try {
      await this.#rotate(times, receiver.url);
    } finally {
      receiver.close();
    }
  }

  async #rotate(times: number, url: string): Promise<void> {
    const words = ['--url', url, '--event-types', 'payout.settled,payout.debited'];
    let {id} = await this.#json<{id: string}>(
      ...['webhooks', 'endpoints', 'create', ...words, '--secret-file', join(this.#sandbox.home, 'secret-0')],
    );
    for (let time = 1; time <= times; time += 1) {
      await this.#pay();
      const paying = wait(Math.random() * 1500).then(() => this.#pay());
      const file = join(this.#sandbox.home, `secret-${time}`);
      const rotate = ['webhooks', 'endpoints', 'rotate', id, '--confirmed', '--yes', '--timeout', '1s'];
      const run = () => startCli([...rotate, '--secret-file', file, '-o', 'json'], this.#env);
      const first = run();
      // It waits for a second for the deliveries, so the first one is killed before its end in any case.
      await wait(time === 1 ? 600 : 200 + Math.random() * 1500);
      first.child.kill('SIGKILL');
      const ran = await first.ended;
      this.#printed += ran.stdout + ran.stderr;
      if (ran.signal === 'SIGKILL') this.#kills += 1;
      const again = ran.signal === 'SIGKILL' ? await run().ended : ran;
      this.#printed += again.stdout + again.stderr;
      await paying;
      // Killed after its last step: there is nothing to rotate any more.
      const [, successor] = /"id": "([^"]+)"/.exec(again.stdout) ?? [];
      id = successor ?? (await this.#json<{id: string}[]>('webhooks', 'endpoints', 'list'))[0]!.id;
    }
  }

  /** Fails if an event has neither arrived, nor waits for an endpoint, nor was named when it was dropped. */
  async check(): Promise<Losses> {
    const deliveries = await this.#json<ListedDelivery[]>('sandbox', 'deliveries', 'list', '--limit', '1000');
    const reader = new RecordReader(join(this.#sandbox.env.REMIT_STATE_DIR, 'webhooks', 'record'));
    const arrived = new Set([
      ...[...reader.more()].flatMap((entry) =>
        entry.kind === 'delivery' && entry.delivery.verdict === 'verified' ? [entry.delivery.eventId] : [],
      ),
      ...deliveries.filter(({state}) => state === 'delivered').map((one) => one.event_id),
    ]);
    const waits = new Set(
      deliveries.filter(({state}) => state === 'pending' || state === 'sending').map((one) => one.event_id),
    );
    const gone = deliveries.filter(({event_id: event}) => !arrived.has(event) && !waits.has(event));
    const unnamed = gone.filter(({id}) => !this.#printed.includes(id));
    assert.deepEqual(unnamed, [], `lost without a word; all output:\n${this.#printed}`);
    const events = new Set(deliveries.map((one) => one.event_id)).size;
    assert.equal(events, 2 * this.#paid, 'each payout has two events, and an endpoint was always there');
    const named = new Set(gone.map((one) => one.event_id)).size;
    return {kills: this.#kills, events, kept: events - named, named};
  }

  /**
   * Runs a listener until a moment.
   * @returns its port, if it was ready
   */
  async #listen(
    port: string,
    moment: (ready: Promise<number>) => Promise<unknown>,
    signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL',
  ): Promise<number | undefined> {
    const argv = ['webhooks', 'listen', '--register', '--tls', '-o', 'ndjson', '--port', port];
    const {child, ended} = startCli(argv, this.#env, 'silent', 60_000);
    let text = '';
    let found: number | undefined;
    const ready = new Promise<number>((resolve, reject) => {
      child.stdout!.on('data', (more: string) => {
        text += more;
        const [, digits] = /"type":"ready".*"port":(\d+)/.exec(text) ?? [];
        if (digits === undefined || found !== undefined) return;
        found = Number(digits);
        resolve(found);
      });
      child.on('close', () => reject(new Error(`the listener ended before it was ready: ${text}`)));
    });
    ready.then(() => this.#sandbox.run(['sandbox', 'advance', '10s'])).catch(() => undefined);
    await moment(ready);
    child.kill(signal);
    const ran = await ended;
    this.#printed += ran.stdout + ran.stderr;
    if (ran.signal === 'SIGKILL') this.#kills += 1;
    return found;
  }

  async #pay(): Promise<void> {
    await this.#json('payouts', 'create', '--payee', this.#payee, '--amount-minor', '500', '--auto-approve');
    this.#paid += 1;
  }

  /** Moves the clock until no delivery waits. */
  async #drain(): Promise<void> {
    for (let turn = 0; turn < 60; turn += 1) {
      const waiting = await this.#json<unknown[]>('sandbox', 'deliveries', 'list', '--state', 'pending');
      if (waiting.length === 0) return;
      await this.#sandbox.run(['sandbox', 'advance', '1h']);
      await wait(100);
    }
    assert.fail('deliveries still wait');
  }

  async #json<T>(...argv: string[]): Promise<T> {
    const ran = await this.#sandbox.run([...argv, '-o', 'json'], {uuid: randomUUID});
    assert.equal(ran.exitCode, 0, ran.stderr);
    return ran.json() as T;
  }
}
