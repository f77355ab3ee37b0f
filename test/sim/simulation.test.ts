import assert from 'node:assert/strict';
import {randomInt} from 'node:crypto';
import {type Program, bundleSimulation} from './bundle.ts';
import {addCounts, COUNTED, noCounts} from './counts.ts';
import {runFleet} from './fleet.ts';
import {huntMutant} from './hunt.ts';
import type {Delivery, Order} from './main.ts';
import {MUTANTS} from './mutants.ts';
import {ordersFrom} from './orders.ts';

/** The same in every run, so that a change of the engine is seen in known worlds, … */
const FIXED = {from: 1, count: 500};
/** … and others each time, so that all runs together see ever more. `npm run sim` runs as many as one likes. */
const RANDOM = {from: randomInt(1_000_000, 2 ** 40), count: 120};
/** Schedules of which each rule that is taken out must break one. */
const MUTANT_BUDGET = 400;
const WIDTH = 2;

describe('the simulation', function () {
  this.timeout(900_000); // on a busy machine; alone it takes half a minute
  let program: Program;
  let kept = 0; // seeds in which the engine as it is was seen to keep its promises
  before(async () => (program = await bundleSimulation()));
  after(() => program.remove());

  async function live(orders: Iterable<Order>, width = WIDTH): Promise<Delivery[]> {
    const deliveries: Delivery[] = [];
    const onDelivery = (delivery: Delivery) => deliveries.push(delivery) > 0;
    await runFleet({program: program.path, width, orders, onDelivery});
    return deliveries.sort((a, b) => a.from - b.from);
  }

  it(`breaks no promise in seeds ${FIXED.from} to ${FIXED.count} and from ${RANDOM.from} on, in which every hazard occurs`, async () => {
    const deliveries = await live([
      ...ordersFrom(FIXED.from, FIXED.count),
      ...ordersFrom(RANDOM.from, RANDOM.count),
    ]);
    const broken = deliveries.flatMap(({violations}) => violations);
    const told = broken.map(({seed, message}) => `${message}\n  replay: npm run sim -- --seed ${seed}`);
    assert.ok(broken.length === 0, told.join('\n'));
    kept = FIXED.count;
    const counts = noCounts();
    for (const delivery of deliveries) addCounts(counts, delivery.counts!);
    for (const name of COUNTED) assert.ok(counts[name] > 0, `no world had ${name}: what they prove is less`);
  });

  // The second: a first world whose names came from other dice than those of a later one.
  for (const from of [RANDOM.from, 602070245444])
    it(`repeats seeds from ${from} on exactly, in another process and after other worlds`, async () => {
      const [together] = await live([{from, count: 12, isTraced: true}]);
      const alone = await live(
        Array.from({length: 3}, (_, i) => ({from: from + 4 * i + 3, count: 1, isTraced: true})),
      );
      assert.equal(new Set(together!.traces).size, 12);
      assert.deepEqual(
        alone.flatMap(({traces}) => traces),
        together!.traces.filter((_, i) => i % 4 === 3),
        `the worlds from seed ${from} on are not the same each time`,
      );
    });

  for (const mutant of MUTANTS.filter(({isQuick}) => isQuick))
    it(`detects an engine in which ${mutant.name}`, async () => {
      const caught = await huntMutant(mutant, {
        ...{healthy: program.path, from: mutant.caughtBy ?? FIXED.from, budget: MUTANT_BUDGET, width: 1},
        isKept: (seed) => seed <= kept,
      });
      assert.ok(caught !== undefined, `${MUTANT_BUDGET} schedules broke nothing`);
    });
});
