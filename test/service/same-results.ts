import assert from 'node:assert/strict';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {play, scheduleOf} from '../batch/chaos.ts';
import {everyOperation, type Step} from './every-operation.ts';
import {randomService} from './random-service.ts';

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
