/**
 * `npm run mutants:engine`: engines that are wrong on purpose, each in one rule, live through schedules until one of them breaks
 * a promise. Prints for each the seed, the invariant that caught it, and after how many schedules. Exits 1 when one
 * survives, and fails when the text that a mutant replaces does not occur exactly once in the sources.
 *
 *   --budget N   schedules for each mutant at most (20,000)
 *   --from S     the first seed (1)
 *   --only TEXT  mutants with this in their name
 */
import {availableParallelism} from 'node:os';
import {parseArgs} from 'node:util';
import {bundleSimulation} from './bundle.ts';
import {huntMutant} from './hunt.ts';
import {MUTANTS} from './mutants.ts';

const {values} = parseArgs({
  options: {
    budget: {type: 'string', default: '20000'},
    from: {type: 'string', default: '1'},
    only: {type: 'string', default: ''},
  },
});
const say = (text: string) => void process.stdout.write(`${text}\n`);
const chosen = MUTANTS.filter(({name}) => name.includes(values.only));
const survivors: string[] = [];
const healthy = await bundleSimulation();
try {
  for (const mutant of chosen) {
    const caught = await huntMutant(mutant, {
      ...{healthy: healthy.path, from: Number(values.from), budget: Number(values.budget)},
      width: availableParallelism(),
    });
    if (caught === undefined) survivors.push(mutant.name);
    say(
      caught === undefined
        ? `SURVIVED ${mutant.name}: ${values.budget} schedules`
        : `caught   ${mutant.name}: after ${caught.after} schedules, seed ${caught.seed}, ${caught.message.split('\n', 1)[0]}`,
    );
  }
} finally {
  healthy.remove();
}
say(`${chosen.length - survivors.length} of ${chosen.length} mutants caught`);
if (survivors.length > 0) process.exitCode = 1;
