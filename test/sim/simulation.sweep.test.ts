import assert from 'node:assert/strict';
import {randomInt} from 'node:crypto';
import {type Program, bundleSimulation} from './bundle.ts';
import {addCounts, COUNTED, noCounts} from './counts.ts';
import {runFleet} from './fleet.ts';
import {huntMutant} from './hunt.ts';
import type {Delivery, Order} from './main.ts';
import {MUTANTS} from './mutants.ts';
import {ordersFrom} from './orders.ts';

/** The same in every run, so that a change of the engine is seen in known worlds; few in which every hazard occurs, … */
const FIXED = {from: 351, count: 125};
/** … and others each time, so that all runs together see ever more. `npm run sim` runs as many as one likes. */
const RANDOM = {from: randomInt(1_000_000, 2 ** 40), count: 30};
/** Schedules of which each rule that is taken out must break one. */
const MUTANT_BUDGET = 400;
/** Others each time; `npm run mutants:engine` has all of them. */
const MUTANTS_TRIED = 1;
const WIDTH = 2;

describe('the simulation', function () {
  this.timeout(900_000); // on a busy machine; alone it takes half a minute
  let program: Program;
  let isKept = false; // the engine as it is was seen to keep its promises in the fixed seeds
  before(async () => (program = await bundleSimulation()));
  after(() => program.remove());

  async function live(orders: Iterable<Order>, width = WIDTH): Promise<Delivery[]> {
    const deliveries: Delivery[] = [];
    const onDelivery = (delivery: Delivery) => deliveries.push(delivery) > 0;
    await runFleet({program: program.path, width, orders, onDelivery});
    return deliveries.sort((a, b) => a.from - b.from);
  }

  it(`breaks no promise in ${FIXED.count} seeds from ${FIXED.from} on and from ${RANDOM.from} on, in which every hazard occurs`, async () => {
    const deliveries = await live([
      ...ordersFrom(FIXED.from, FIXED.count),
      ...ordersFrom(RANDOM.from, RANDOM.count),
    ]);
    const broken = deliveries.flatMap(({violations}) => violations);
    const told = broken.map(({seed, message}) => `${message}\n  replay: npm run sim -- --seed ${seed}`);
    assert.ok(broken.length === 0, told.join('\n'));
    isKept = true;
    const counts = noCounts();
    for (const delivery of deliveries) addCounts(counts, delivery.counts!);
    for (const name of COUNTED) assert.ok(counts[name] > 0, `no world had ${name}: what they prove is less`);
  });

  // The second: a first world whose names came from other dice than those of a later one.
  for (const from of [RANDOM.from, 602070245444])
    it(`repeats seeds from ${from} on exactly, in another process and after other worlds`, async () => {
      const [together] = await live([{from, count: 8, isTraced: true}]);
      const alone = await live(
        Array.from({length: 2}, (_, i) => ({from: from + 4 * i + 3, count: 1, isTraced: true})),
      );
      assert.equal(new Set(together!.traces).size, 8);
      assert.deepEqual(
        alone.flatMap(({traces}) => traces),
        together!.traces.filter((_, i) => i % 4 === 3),
        `the worlds from seed ${from} on are not the same each time`,
      );
    });

  for (const mutant of drawn(
    MUTANTS.filter(({isQuick}) => isQuick),
    MUTANTS_TRIED,
  ))
    it(`detects an engine in which ${mutant.name}`, async () => {
      const caught = await huntMutant(mutant, {
        ...{healthy: program.path, from: mutant.caughtBy ?? FIXED.from, budget: MUTANT_BUDGET, width: 1},
        isKept: (seed) => isKept && seed >= FIXED.from && seed < FIXED.from + FIXED.count,
      });
      assert.ok(caught !== undefined, `${MUTANT_BUDGET} schedules broke nothing`);
    });
});

function drawn<T>(all: readonly T[], count: number): T[] {
  const left = [...all];
  return Array.from({length: count}, () => left.splice(randomInt(left.length), 1)[0]!);
}
