import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import type {JournalRow} from '../../../src/batch/journal/rows/row.ts';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {type Transport, TransportFailure} from '../../../src/client/transport/transport.ts';
import {Bench, payeeId, type RunArguments} from '../harness.ts';
import {isOf, type Fault, TruthService} from '../truth-service.ts';

const HEADER = 'reference,payee_id,amount,currency_code,override_default_payment_method_id\n';
const line = (n: number, method = 1) => `INV-${n},${payeeId(n)},10.00,USD,${payeeId(500 + method)}\n`;
const BAD_DETAILS = {status: 422, body: {error_code: 'INVALID_PAYMENT_DETAILS', message: 'bad account'}};
const BARE = {status: 422, body: 'unprocessable'};
const DAY_MS = 24 * 3600_000;

describe('a refusal of a row that may have been sent before', () => {
  let bench: Bench;
  let service: TruthService;
  beforeEach(async () => {
    bench = new Bench();
    service = new TruthService();
    service.now = () => bench.clock.now();
    await bench.plan(bench.file('p.csv', HEADER + line(1) + line(2) + line(3)));
  });
  afterEach(() => bench.remove());

  const stage = (options: RunArguments = {}) => bench.run(service, {path: 'stage-only', ...options});
  const rowOf = (reference: string): Promise<JournalRow> =>
    bench.inJournal(({journal}) => journal.rows.of(reference)!);

  /** Answers to the creates of row 2, one by one; then none is changed. */
  const answers = (...faults: (Fault | undefined)[]) => {
    let tries = 0;
    service.fault = (request) =>
      request.method === 'POST' && isOf(request, 2)
        ? faults[Math.min(tries++, faults.length - 1)]
        : undefined;
  };

  /** A run that is killed after row 1 was staged, with its first window open. */
  async function killed(options: RunArguments = {}): Promise<void> {
    const inner = service.transport();
    const transport: Transport = {
      ...inner,
      send: async (request) => {
        if (service.posts === 0) return inner.send(request);
        await bench.clock.sleep(600); // the first outcome is on the disk
        throw new Error('killed');
      },
    };
    await assert.rejects(stage({transport, maxInFlight: 1, ...options}), /killed/);
  }

  const end = ({rejected, in_doubt: doubts}: Summary) => ({rejected, doubts});
  const BELIEVED = {rejected: 1, doubts: 0};
  const NOT_BELIEVED = {rejected: 0, doubts: 1};

  it('is final in the run that sent it, once that run has had a success', async () => {
    answers('lost-before', BAD_DETAILS);
    assert.deepEqual(end(await stage()), BELIEVED);
  });

  it('is not final without a success of this run', async () => {
    await killed();
    service.fault = () => BAD_DETAILS;
    const {rejected, in_doubt: doubts} = await stage();
    assert.deepEqual([rejected, doubts], [0, 2]);
  });

  it('is final in a later run with the same key', async () => {
    await killed();
    answers(BAD_DETAILS);
    assert.deepEqual(end(await stage()), BELIEVED);
    assert.notEqual((await rowOf('INV-2')).outcome?.stagedAt, null, 'the mark of the unanswered try');
  });

  it('is not final without a code', async () => {
    answers('lost-before', BARE);
    assert.deepEqual(end(await stage()), NOT_BELIEVED);
  });

  it('is not final in direct mode, and a person has to find out: another run would bring the same', async () => {
    answers('lost-before', BAD_DETAILS);
    const summary = await bench.run(service, {path: 'direct'});
    assert.deepEqual(end(summary), NOT_BELIEVED);
    assert.equal(summary.next, 'remit payouts batch resolve b1 --from FILE');
  });

  it('keeps the 409 of every row that a stop leaves in doubt, so that a person is asked about all of them', async () => {
    service.fault = ({method}) => (method === 'POST' ? 'lost-before' : undefined);
    await stage({maxInFlight: 3});
    service.fault = ({method}) =>
      method === 'POST' ? {status: 409, body: {error_code: 'CONCURRENT', message: 'in use'}} : undefined;
    bench.clock.advance(20 * 60_000);
    const {in_doubt: doubts, stopped_because: stop, next} = await stage({maxInFlight: 3});
    assert.deepEqual(
      [doubts, stop?.reason, next],
      [3, 'failing', 'remit payouts batch resolve b1 --from FILE'],
    );
    for (const n of [1, 2, 3]) assert.equal((await rowOf(`INV-${n}`)).outcome?.http, 409);
  });

  it('is not believed after a try in direct mode', async () => {
    await killed({path: 'direct'});
    answers(BAD_DETAILS);
    assert.deepEqual(end(await stage()), NOT_BELIEVED);
  });

  it('is not final after a try in direct mode, even if the file was edited since', async () => {
    await killed({path: 'direct'});
    await bench.plan(bench.file('p.csv', HEADER + line(1) + line(2) + line(3) + line(4)));
    answers(BAD_DETAILS);
    assert.deepEqual(end(await stage()), NOT_BELIEVED);
  });

  it('is not final on another day', async () => {
    await killed();
    bench.clock.advance(20 * 3600_000);
    answers(BAD_DETAILS);
    assert.deepEqual(end(await stage()), NOT_BELIEVED);
  });

  it('is not requested past the horizon', async () => {
    await killed();
    bench.clock.advance(2 * DAY_MS);
    answers(BAD_DETAILS);
    const {posts, in_doubt: doubts} = await stage();
    assert.deepEqual([posts, doubts], [0, 2]);
  });

  describe('with another live key', () => {
    const live = (key: string): RunArguments => ({mode: 'live', key});

    it('is final after a record of the earlier run was read back', async () => {
      await killed(live('live_one'));
      answers(BAD_DETAILS);
      assert.deepEqual(end(await stage(live('live_two'))), BELIEVED);
      assert.equal(service.requests.filter(({method}) => method === 'GET').length, 1);
    });

    it('is not final if that record cannot be read', async () => {
      await killed(live('live_one'));
      answers(BAD_DETAILS);
      const inner = service.transport();
      const transport: Transport = {
        ...inner,
        send: async (request) => {
          if (request.method === 'GET') throw new TransportFailure('reset', 'no answer', {sent: true});
          return inner.send(request);
        },
      };
      assert.deepEqual(end(await stage({...live('live_two'), transport})), NOT_BELIEVED);
    });

    it('stops the run if that record is not found', async () => {
      await killed(live('live_one'));
      answers(BAD_DETAILS);
      service.byId.clear();
      const {stopped_because: stop, rejected, in_doubt: doubts} = await stage(live('live_two'));
      assert.deepEqual([stop?.reason, rejected, doubts], ['lost-record', 0, 3]);
    });
  });

  describe('is remembered, so that in another batch', () => {
    /** Row 2 of another batch, by another payment method, after it was refused here. */
    async function again(first: Fault, method: number, options: RunArguments = {}): Promise<Summary> {
      answers(first, BAD_DETAILS);
      assert.deepEqual(end(await stage()), BELIEVED);
      service.fault = () => undefined;
      await bench.plan(bench.file('q.csv', HEADER + line(2, method) + line(4)), {batchId: 'b2'});
      return bench.run(service, {batchId: 'b2', path: 'stage-only', ...options});
    }

    it('changed content is staged with a new record', async () => {
      const {staged, conflict} = await again('lost-before', 2);
      assert.deepEqual([staged, conflict], [2, 0]);
    });

    it('an existing record is a conflict, because it has the earlier content', async () => {
      const {staged, conflict, stopped_because: stop, results} = await again('lost-after', 2);
      assert.deepEqual([staged, conflict, stop], [1, 1, null]);
      const record = [...service.byId.values()].find(({body}) => body['payee_id'] === payeeId(2))!;
      assert.equal(record.body['override_default_payment_method_id'], payeeId(501));
      assert.match(readFileSync(results!, 'utf8'), new RegExp(`${record.id}.*other content`));
      const rest = await bench.run(service, {batchId: 'b2', settings: {releaseRest: true}});
      assert.deepEqual([rest.accepted, rest.conflict, record.approvals], [1, 1, 0]);
    });

    it('the same content is staged with any record', async () => {
      const {staged, conflict} = await again('lost-after', 1);
      assert.deepEqual([staged, conflict], [2, 0]);
    });

    it('changed content is not sent in direct mode, which cannot recognise a new record', async () => {
      const {accepted, not_sent: unsent, next} = await again('lost-before', 2, {path: 'direct'});
      assert.deepEqual([accepted, unsent, next], [1, 1, 'remit payouts batch run b2']);
      assert.equal((await bench.run(service, {batchId: 'b2'})).accepted, 2);
    });
  });
});
