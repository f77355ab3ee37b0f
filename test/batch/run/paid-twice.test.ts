import assert from 'node:assert/strict';
import {cpSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Journal} from '../../../src/batch/journal/journal.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {resolveRow} from '../../../src/batch/repair/resolve.ts';
import type {Resolution} from '../../../src/batch/repair/resolved-outcome.ts';
import {type TransportRequest} from '../../../src/client/transport/transport.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService, type SeenRequest} from '../truth-service.ts';

const HOUR_MS = 3_600_000;

/** What an operator and a bad day do to batches of one state folder; the service forgets a key after 24 hours. */
class Desk {
  readonly bench = new Bench();
  readonly service = new TruthService();

  constructor() {
    this.service.now = () => this.bench.clock.now();
    this.service.keyLifeMs = 24 * HOUR_MS;
  }

  async plan(references: string[], amount = '10.00', batchId = 'b1') {
    this.#removeResults(batchId);
    const lines = references.map(
      (reference) => `${reference},${payeeId(Number(reference.slice(4)))},${amount},USD\n`,
    );
    const file = this.bench.file(
      `${batchId}.csv`,
      `reference,payee_id,amount,currency_code\n${lines.join('')}`,
    );
    return this.bench.plan(file, {batchId});
  }

  async run(given: Parameters<Bench['run']>[1] = {}) {
    return this.bench.run(this.service, {path: 'direct', maxInFlight: 1, ...given});
  }

  /** The n-th request is obeyed, and then the process is gone. */
  async runKilledAt(n: number): Promise<void> {
    const inner = this.service.transport();
    let sent = 0;
    const send = async (request: TransportRequest) => {
      if (++sent > n) throw new Error('killed');
      const answer = await inner.send(request);
      if (sent === n) throw new Error('killed');
      return answer;
    };
    await assert.rejects(this.run({transport: {...inner, send}}), /killed/);
  }

  /** The registry commits what became of the rows, and the journal does not. */
  async runKilledBetweenCommits(): Promise<void> {
    const opened = ({journal}: {journal: Journal}) => {
      journal.flush = () => {
        if (journal.unflushed > 0 && this.service.paid.length > 0) throw new Error('killed');
      };
    };
    await assert.rejects(this.run({opened}), /killed/);
  }

  /** Every request is refused before it is looked at. */
  async runWithWrongKey(): Promise<void> {
    this.service.fault = () => ({status: 401, body: {error_code: 'AUTHENTICATION_ERROR', message: 'who?'}});
    await this.run();
    this.service.fault = () => undefined;
  }

  async resolve(reference: string, batchId = 'b1', resolution: Resolution = 'not-paid'): Promise<void> {
    const {stateDir, clock} = this.bench;
    const batch = await this.#open(batchId);
    try {
      await resolveRow({batch, stateDir, reference, resolution, clock});
    } finally {
      await batch.close();
    }
  }

  retry(reference: string) {
    return this.bench.prepareRetry(this.service, {named: [reference]});
  }

  fail(reference: string): void {
    for (const record of this.service.byId.values())
      if (referenceOf(record) === reference) record.status = 'failed';
  }

  /** How often money moved that did not come back. */
  paid(reference: string): number {
    return this.service.paid.filter(
      (record) => referenceOf(record) === reference && record.status !== 'failed',
    ).length;
  }

  waitHours(hours: number): void {
    this.bench.clock.advance(hours * HOUR_MS);
  }

  loseRegistry(): void {
    rmSync(join(this.bench.stateDir, 'batches', 'registry.db'));
  }

  loseJournal(): void {
    rmSync(this.#folder, {recursive: true});
  }

  backUp(): void {
    cpSync(this.#folder, join(this.bench.folder, 'backup'), {recursive: true});
  }

  restore(): void {
    rmSync(this.#folder, {recursive: true, force: true});
    cpSync(join(this.bench.folder, 'backup'), this.#folder, {recursive: true});
    this.#removeResults('b1');
  }

  get #folder(): string {
    return join(this.bench.stateDir, 'batches', 'payout', 'b1');
  }

  #open(batchId: string) {
    const {stateDir, clock} = this.bench;
    return openBatch({stateDir, kind: 'payout', batchId, purpose: 'test', clock});
  }

  #removeResults(batchId: string): void {
    for (const name of ['summary.json', 'results.csv', 'failed.csv'])
      rmSync(join(this.bench.folder, `${batchId}.${name}`), {force: true});
  }
}

const referenceOf = ({body}: {body: Record<string, unknown>}) =>
  (body['metadata'] as Record<string, string>)['remit_reference'];
const losesAnswers = ({method}: SeenRequest) => (method === 'POST' ? ('lost-after' as const) : undefined);

describe('a reference is paid once, whatever is lost', () => {
  let desk: Desk;
  beforeEach(() => (desk = new Desk()));
  afterEach(() => desk.bench.remove());

  for (const what of ['the journal', 'the registry and then the journal'])
    it(`by the key that a retry gave it, after ${what} was lost`, async () => {
      await desk.plan(['INV-1']);
      await desk.run();
      desk.fail('INV-1');
      if (what !== 'the journal') desk.loseRegistry();
      await desk.retry('INV-1');
      await desk.runKilledAt(1);
      desk.loseJournal();
      await desk.plan(['INV-1']);
      desk.waitHours(1);
      assert.equal((await desk.run()).accepted, 1, 'the same key, so the same record');
      desk.waitHours(26);
      await desk.retry('INV-1');
      await desk.run();
      assert.equal(desk.paid('INV-1'), 1);
    });

  it('by a retry that is missing in a restored journal', async () => {
    await desk.plan(['INV-1']);
    await desk.run();
    desk.fail('INV-1');
    desk.backUp();
    await desk.retry('INV-1');
    await desk.run();
    desk.restore();
    desk.waitHours(26);
    const {raised} = await desk.retry('INV-1');
    await desk.run();
    assert.deepEqual([raised, desk.paid('INV-1')], [[], 1]);
  });

  it('by a row that was paid before its journal was written, and cannot be taken out of the file', async () => {
    await desk.plan(['INV-1']);
    await desk.runKilledBetweenCommits();
    await desk.run();
    await assert.rejects(desk.plan(['INV-2']), /INV-1 was removed from the file, but it is accepted/);
    desk.waitHours(26);
    await desk.plan(['INV-1'], '10.00', 'b2');
    assert.equal((await desk.run({batchId: 'b2'})).already_paid, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by a restored batch with a record of a reference that another one has paid since', async () => {
    await desk.plan(['INV-1']);
    await desk.run({path: 'stage-only'});
    desk.backUp();
    desk.loseJournal();
    desk.waitHours(25);
    await desk.plan(['INV-1'], '10.00', 'b2');
    const b2 = {batchId: 'b2', path: 'stage-and-release'} as const;
    await desk.run(b2);
    await desk.resolve('INV-1', 'b2');
    assert.equal((await desk.run(b2)).accepted, 1);
    desk.restore();
    for (const settings of [{}, {approveById: true}])
      assert.equal((await desk.run({path: 'release', settings})).in_doubt, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by a key that another batch has not used, while journal and registry were lost', async () => {
    await desk.plan(['INV-1']);
    await desk.run();
    desk.fail('INV-1');
    desk.waitHours(10);
    await desk.retry('INV-1');
    await desk.run({path: 'stage-only'});
    desk.loseRegistry();
    desk.waitHours(15); // the first key is forgotten, the second is not
    await desk.bench.away(async () => {
      await desk.plan(['INV-1'], '10.00', 'b2');
      assert.equal((await desk.run({batchId: 'b2'})).accepted, 1);
    });
    assert.equal((await desk.run({path: 'release'})).in_doubt, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by the batch that has it, although the registry was lost: its journal is read', async () => {
    await desk.plan(['INV-1']);
    await desk.run({path: 'stage-only'});
    desk.loseRegistry();
    desk.waitHours(25);
    await desk.plan(['INV-1'], '10.00', 'b2');
    assert.deepEqual((await desk.run({batchId: 'b2'})).posts, 0);
    assert.equal((await desk.run({path: 'release', settings: {approveById: true}})).accepted, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by a true declaration, if its record was created long before', async () => {
    await desk.plan(['INV-1']);
    desk.service.approvalFails = () => true;
    desk.service.fault = losesAnswers;
    await desk.run();
    desk.waitHours(20);
    await desk.resolve('INV-1');
    desk.service.approvalFails = () => false;
    await desk.run();
    desk.service.fault = () => undefined;
    desk.waitHours(6);
    assert.equal((await desk.run()).in_doubt, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by a journal restored to a time before a retry', async () => {
    await desk.plan(['INV-1']);
    desk.backUp();
    await desk.run();
    desk.fail('INV-1');
    await desk.retry('INV-1');
    await desk.run();
    desk.restore();
    assert.equal((await desk.run()).accepted, 1);
    assert.equal(desk.paid('INV-1'), 1);
    desk.fail('INV-1');
    assert.deepEqual((await desk.retry('INV-1')).raised, ['INV-1']);
    assert.equal((await desk.run()).accepted, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by a declaration that contradicts the registry', async () => {
    await desk.plan(['INV-1']);
    await desk.runKilledBetweenCommits();
    desk.waitHours(26);
    await assert.rejects(desk.resolve('INV-1'), /row INV-1 was paid: the registry has its record/);
    assert.equal((await desk.run()).accepted, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by a row that is resolved as paid, as the registry has it', async () => {
    await desk.plan(['INV-1']);
    await desk.runKilledBetweenCommits();
    desk.waitHours(26);
    await desk.resolve('INV-1', 'b1', {paid: desk.service.paid[0]!.id});
    assert.equal((await desk.run()).accepted, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });

  it('by a clock that was ahead and is corrected', async () => {
    await desk.plan(['INV-1']);
    desk.waitHours(240);
    let aheadHours = 240;
    desk.service.now = () => desk.bench.clock.now() - aheadHours * HOUR_MS;
    await desk.runKilledAt(1);
    desk.waitHours(26 - aheadHours);
    aheadHours = 0;
    assert.equal((await desk.run()).in_doubt, 1);
    assert.equal(desk.paid('INV-1'), 1);
  });
});

describe('a claim of an edited row', () => {
  let desk: Desk;
  beforeEach(() => (desk = new Desk()));
  afterEach(() => desk.bench.remove());

  it('shows that another payment has its reference, if a journal was restored', async () => {
    await desk.plan(['INV-1']);
    desk.service.refuse = () => ({status: 422, error_code: 'INVALID_PAYMENT_DETAILS'});
    await desk.run({settings: {trustRefusals: true}});
    desk.service.refuse = () => undefined;
    desk.backUp();
    await desk.plan(['INV-1'], '20.00');
    await desk.run();
    desk.restore();
    await desk.plan(['INV-1'], '30.00');
    const {already_paid: paid, conflict} = await desk.run();
    assert.deepEqual([paid, conflict, desk.paid('INV-1')], [0, 1, 1]);
  });

  it('has no effect if it was never sent', async () => {
    await desk.plan(['INV-1', 'INV-2']);
    await desk.runWithWrongKey();
    desk.waitHours(25);
    await desk.plan(['INV-1', 'INV-2'], '20.00');
    assert.equal((await desk.run()).accepted, 2);
  });
});
