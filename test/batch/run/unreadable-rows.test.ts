import assert from 'node:assert/strict';
import {Bench} from '../harness.ts';
import {isOf, isRelease, TruthService} from '../truth-service.ts';

const RESOLVE = 'remit payouts batch resolve b1 --from FILE';

describe('a row whose answers are never readable', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
  });
  afterEach(() => bench.remove());

  /** The next command after each of four runs. */
  async function nexts(
    path: 'stage-and-release' | 'direct' = 'stage-and-release',
  ): Promise<(string | null)[]> {
    const found: (string | null)[] = [];
    for (let run = 0; run < 4; run++)
      found.push((await bench.run(service, {path, maxInFlight: 1, settings: {releaseRest: true}})).next);
    return found;
  }

  for (const [words, n] of [
    ['that is the first of its file', 1],
    ['among others', 3],
  ] as const)
    it(`${words} ends with resolve after three runs, not with resume for ever`, async () => {
      await bench.plan(bench.payouts(4));
      service.fault = (request) => (request.method === 'POST' && isOf(request, n) ? 'not-json' : undefined);
      const [first, , third, fourth] = await nexts();
      assert.match(String(first), /batch resume b1$/);
      assert.deepEqual([third, fourth], [RESOLVE, RESOLVE]);
      const row = await bench.inJournal(({journal}) => journal.rows.of(`INV-${n}`)!);
      assert.deepEqual([row.outcome?.state, row.outcome?.code], ['in_doubt', 'UNREADABLE']);
    });

  it('and whose record cannot be read either ends with resolve', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = (request) =>
      (isRelease(request) && isOf(request, 1)) || request.method === 'GET' ? 'not-json' : undefined;
    const all = await nexts();
    assert.deepEqual(all.slice(2), [RESOLVE, RESOLVE]);
  });

  it('because it is always redirected ends with resolve', async () => {
    await bench.plan(bench.payouts(1));
    service.fault = ({method}) => (method === 'POST' ? {status: 303} : undefined);
    assert.deepEqual((await nexts('direct')).slice(2), [RESOLVE, RESOLVE]);
  });

  it('is sent again as before once a run has read it', async () => {
    await bench.plan(bench.payouts(2));
    service.fault = (request) => (request.method === 'POST' && isOf(request, 2) ? 'not-json' : undefined);
    await nexts();
    service.fault = () => undefined;
    assert.equal((await bench.run(service)).state, 'complete');
    assert.equal(await bench.inJournal(({journal}) => journal.fact('unreadableRuns')), 0);
  });
});
