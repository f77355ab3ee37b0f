import assert from 'node:assert/strict';
import fc from 'fast-check';
import {canReach, isFinal, LIFECYCLES} from '../../../src/contract/lifecycle.ts';
import {FollowBench} from './bench.ts';
import {seeded} from '../harness.ts';

const lifecycle = LIFECYCLES.payout;
const ENDS = ['settled', 'failed', 'canceled'];

/** One step of a record along the lifecycle. */
function step(status: string, random: () => number): string {
  const next = (lifecycle.next as Record<string, readonly string[]>)[status]!;
  return next.length === 0 ? status : next[Math.floor(random() * next.length)]!;
}

describe('following, with answers that are late and faults that are random', () => {
  it('ends with the final status of the service, and never revokes a final status', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.integer({min: 1, max: 12}), async (seed, rows) => {
        const random = seeded(seed);
        const bench = new FollowBench();
        try {
          await bench.pay(rows);
          const histories = new Map<string, string[]>();
          for (const {id, status} of bench.service.byId.values()) histories.set(id, [status]);
          const {service} = bench;
          service.fault = ({path}) => {
            const roll = random();
            if (roll < 0.05) return 'lost-after';
            if (roll < 0.1) return '503-before';
            if (roll < 0.12) return {status: 429, headers: {'retry-after': '3'}};
            const record = service.byId.get(path.split('/').at(-1)!)!;
            if (random() < 0.5) histories.get(record.id)!.push((record.status = step(record.status, random)));
            return undefined;
          };
          // A replica that lags behind: any earlier status may be told as long as the record is under way.
          service.distort = (record) => {
            const history = histories.get(record['id'] as string)!;
            const isOld = random() < 0.3 && !ENDS.includes(history.at(-1)!);
            return isOld ? {...record, status: history[Math.floor(random() * history.length)]} : record;
          };
          let known = (await bench.rows()).map(({outcome}) => outcome!.status!);
          for (let round = 0; round < 12; round++) {
            await bench.follow(round % 3 === 0 ? {until: 'settled', timeoutMs: 4000, random} : {random});
            const now = (await bench.rows()).map(({outcome}) => outcome!.status!);
            now.forEach((status, i) => {
              const before = known[i]!;
              if (isFinal(lifecycle, before)) assert.equal(status, before, 'an end was taken back');
            });
            (await bench.rows()).forEach(({outcome}, i) => {
              const {status, code} = outcome!;
              const isBack = !isFinal(lifecycle, status!) && !canReach(lifecycle, known[i]!, status!);
              assert.ok(!isBack || code === 'DIFFERS', `${known[i]} back to ${status} was not reported`);
            });
            known = now;
          }
          const {summary, followed} = await bench.follow({until: 'settled', timeoutMs: 3_600_000, random});
          assert.equal(followed.open, 0);
          for (const {outcome} of await bench.rows())
            assert.equal(outcome!.status, service.byId.get(outcome!.id!)!.status);
          const count = (status: string) =>
            [...service.byId.values()].filter((record) => record.status === status).length;
          assert.deepEqual(
            [
              summary.settled,
              summary.failed,
              summary.conflict,
              summary.accepted + summary.conflict,
              summary.differs,
            ],
            [count('settled'), count('failed'), count('canceled'), rows, 0],
          );
          assert.ok([...service.byId.values()].every(({approvals}) => approvals === 1));
        } finally {
          bench.remove();
        }
      }),
      {numRuns: 15},
    );
  });
});
