import assert from 'node:assert/strict';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {play, scheduleOf} from '../batch/chaos.ts';
import {Bench} from '../batch/harness.ts';
import {TruthService} from '../batch/truth-service.ts';
import {everyOperation, type Step} from './every-operation.ts';
import {randomService} from './random-service.ts';
import {spoken} from './spoken.ts';

/** What was compared. */
export const counts = {services: 0, keys: 0, calls: 0, batches: 0, rows: 0, posts: 0};

let canonical: Promise<Step[]> | undefined;

/** Every operation gives the same results at the drawn service as at one of the contract. */
export async function compareOperations(seed: number): Promise<void> {
  const file = randomService(seed);
  const expected = await (canonical ??= everyOperation({}));
  const steps = await everyOperation(file);
  for (const [at, [id, result]] of expected.entries())
    assert.deepEqual(plain(steps[at]?.[1]), plain(result), `service ${seed}, ${id}: ${JSON.stringify(file)}`);
  assert.equal(steps.length, expected.length);
  counts.services++;
  counts.keys += Object.keys(file).length;
  counts.calls += steps.length;
}

/** Without the form of ids, random secrets, and the members that say how a list goes on. */
const plain = (result: unknown): unknown =>
  JSON.parse(
    (JSON.stringify(result) ?? 'null')
      .replaceAll(
        /\bid_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\b/g,
        '$1-$2-$3-$4-$5',
      )
      .replaceAll(/whsec_[0-9a-f]+/g, 'whsec_')
      .replaceAll(/,"(has_more":true|next_cursor":null)/g, ''),
  );

/** A batch that is killed and whose answers are lost ends as it does at a service of the contract. */
export async function compareBatch(seed: number): Promise<void> {
  // The rows have UUIDs, and the truth is told by the usual key of references.
  const file: ServiceFile = {...randomService(seed), ids: {}, metadata: {}};
  const schedule = scheduleOf(seed);
  const expected = await play(schedule);
  const found = await play(schedule, file);
  const facts = ({summary, reported, service, postsAfter}: typeof expected) => ({
    ...{state: summary.state, totals: summary.totals, postsAfter},
    ...{reported: [...reported], paid: service.paid.length},
  });
  assert.deepEqual(facts(found), facts(expected), `service and schedule ${seed}: ${JSON.stringify(file)}`);
  counts.batches++;
  counts.rows += schedule.rows;
  counts.posts += found.service.posts;
}

/** The example of the guide, with all that changes a request or an answer of a batch. */
const DIFFERS: ServiceFile = {
  routes: {'payouts.create': 'PUT /v1/payments', 'payouts.get': 'GET /v1/payment/{id}'},
  fields: {
    payouts: {
      amount_in_minor_units: 'amount.value',
      currency_code: 'amount.currency',
      payee_id: 'to',
      status: 'state',
    },
  },
  units: {'payouts.amount_in_minor_units': 'major', 'payouts.created_at': 'seconds'},
  envelopes: {record: 'result.payment'},
  errors: {code: 'error.id', message: 'error.text'},
  statuses: {payouts: {NEW: 'created', OK: 'approved'}},
  headers: {send: {'x-tenant': 'acme'}},
  keys: {header: 'X-Request-Key', format: 'uuid'},
};

/** A batch of this size at a service that differs: every row is accepted, and paid once. */
export async function payRows(rows: number): Promise<void> {
  const bench = new Bench();
  try {
    const service = new TruthService();
    service.keepRequests = false;
    await bench.plan(bench.payouts(rows));
    const transport = spoken(service.transport(), DIFFERS);
    const summary = await bench.run(service, {transport, service: DIFFERS});
    assert.deepEqual([summary.state, summary.accepted, summary.planned], ['complete', rows, rows]);
    assert.equal(service.paid.length, rows);
    assert.ok(service.paid.every(({approvals}) => approvals === 1));
    counts.rows += rows;
    counts.posts += service.posts;
  } finally {
    bench.remove();
  }
}
