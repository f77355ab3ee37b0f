import type {Patch} from '../batch/crash/patches.ts';
import {bundleSimulation} from './bundle.ts';
import {runFleet} from './fleet.ts';
import type {BrokenSeed} from './main.ts';
import type {Mutant} from './mutants.ts';
import {ordersFrom} from './orders.ts';

/** The seed in which a mutant broke a promise, and after how many schedules. */
export interface Catch extends BrokenSeed {
  after: number;
}

/**
 * Lets an engine that is wrong on purpose live through schedules until it breaks a promise. Undefined: it survived. The
 * engine as it is must keep the promise in that very schedule, or the simulation is what is wrong.
 * @param budget schedules at most; those that lack what the mutant needs do not count
 * @param isKept whether the engine as it is was already seen to keep its promises in this seed
 */
export async function huntMutant(
  mutant: Mutant,
  options: {
    healthy: string;
    from: number;
    budget: number;
    width: number;
    isKept?: (seed: number) => boolean;
  },
): Promise<Catch | undefined> {
  const {healthy, from, budget, width} = options;
  let caught: BrokenSeed | undefined;
  let lived = 0;
  await withProgram(mutant.patches, (program) =>
    runFleet({
      ...{program, width},
      orders: ordersFrom(from, Infinity, {needs: mutant.needs, count: 4}),
      onDelivery: (delivery) => {
        const [first] = delivery.violations;
        lived += delivery.lived;
        caught ??= first;
        return caught === undefined && lived < budget;
      },
    }),
  );
  if (caught === undefined) return undefined;
  const {seed, invariant} = caught;
  if (invariant === 'bug' || invariant === 'hung') throw new Error(`${mutant.name}: ${caught.message}`);
  if (options.isKept?.(seed) !== true) await checkHealthy(healthy, seed);
  return {...caught, after: lived};
}

async function checkHealthy(healthy: string, seed: number): Promise<void> {
  await runFleet({
    ...{program: healthy, width: 1, orders: [{from: seed, count: 1}]},
    onDelivery: ({violations: [broken]}) => {
      if (broken !== undefined) throw new Error(`seed ${seed} breaks the engine as it is: ${broken.message}`);
      return true;
    },
  });
}

async function withProgram(patches: readonly Patch[], work: (path: string) => Promise<void>): Promise<void> {
  const program = await bundleSimulation(patches);
  try {
    await work(program.path);
  } finally {
    program.remove();
  }
}
