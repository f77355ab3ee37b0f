/** Never run: `npm run types` checks that the command prints what the library promises. */
import type {BatchPlan, RunOptions} from '../../src/automation/index.ts';
import type {GOALS} from '../../src/batch/follow/counts.ts';
import type {planResult} from '../../src/cli/batch/plan/view.ts';

export const asPromised = (printed: ReturnType<typeof planResult>): BatchPlan => printed;
export const asTaken = (goal: (typeof GOALS)[number]): RunOptions['until'] => goal;
