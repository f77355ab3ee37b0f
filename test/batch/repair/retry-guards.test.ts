import assert from 'node:assert/strict';
import {cpSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import type {Bench} from '../harness.ts';
import {planned} from '../planned.ts';
import type {TruthService} from '../truth-service.ts';

const REFUSED = {status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: 'no such account'};
const HOUR_MS = 3_600_000;

describe('retry of a rejected row', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => {
    ({bench, service} = await planned(2));
    service.refuse = (body) => (JSON.stringify(body).includes('"INV-2"') ? REFUSED : undefined);
    assert.equal((await bench.run(service)).rejected, 1);
    service.refuse = () => undefined;
  });
  afterEach(() => bench.remove());

  const retry = (allowedElsewhere: readonly string[] = []) => bench.prepareRetry(service, {allowedElsewhere});

  const payments = () =>
    service.paid.filter(({body}) => JSON.stringify(body).includes('"INV-2"')).map(({approvals}) => approvals);

  /** The failed rows, run as a batch in a namespace of its own. */
  async function payInNamespace(namespace: string): Promise<void> {
    await bench.plan(join(bench.folder, 'b1.failed.csv'), {batchId: 'b2', namespace});
    assert.equal((await bench.run(service, {batchId: 'b2'})).accepted, 1);
  }

  it('does not touch a row that another namespace has paid since, until that namespace is named', async () => {
    await payInNamespace('fixes');
    const facts = await retry();
    assert.deepEqual(facts.again, []);
    const why = 'its reference was used under fixes by batch b2';
    const [paid] = service.paid.filter(({body}) => JSON.stringify(body).includes('"INV-2"'));
    assert.deepEqual(facts.left, [{reference: 'INV-2', why, elsewhere: 'fixes', paidBy: paid?.id}]);
    await bench.run(service);
    assert.deepEqual(payments(), [1]);
    assert.deepEqual((await retry(['fixes'])).again, ['INV-2']);
  });

  it('does not touch a row that was paid by a retry missing in a restored journal', async () => {
    const folder = join(bench.stateDir, 'batches', 'payout', 'b1');
    const backup = join(bench.folder, 'backup');
    cpSync(folder, backup, {recursive: true});
    assert.deepEqual((await retry()).again, ['INV-2']);
    assert.equal((await bench.run(service)).accepted, 2);
    rmSync(folder, {recursive: true});
    cpSync(backup, folder, {recursive: true});
    bench.clock.advance(48 * HOUR_MS);
    service.forgetKeys();
    const facts = await retry();
    assert.deepEqual(facts.again, []);
    assert.match(facts.left[0]!.why, /this batch has paid it, record \S+; its journal is older than that/);
    await bench.run(service, {out: bench.stateDir});
    assert.deepEqual(payments(), [1]);
  });
});
