import type {Clock} from '../../clock.ts';
import type {RunPath} from '../model/run-path.ts';
import {type Activity, type StepRate, stepsLeft} from '../standing/activity.ts';
import type {Gate} from './gate.ts';
import type {RowTries} from './row-tries.ts';
import type {Outcomes} from './outcomes.ts';
import type {StopRules} from './stop-rules.ts';

interface Watched {
  clock: Clock;
  outcomes: Pick<Outcomes, 'steps' | 'standing'>;
  tries: Pick<RowTries, 'retries'>;
  rules: Pick<StopRules, 'patience'>;
  gate: Pick<Gate, 'until' | 'since'>;
}

/** What a run is doing now. */
export function activityOf(run: Watched, rate: StepRate, path: RunPath): Activity {
  const {clock, outcomes, tries, gate} = run;
  const now = clock.monotonic();
  const perSecond = rate.sample(now, outcomes.steps);
  const {trouble} = run.rules.patience;
  const nextTryMs = Math.max(0, gate.until - now);
  const isHeld = trouble === undefined && nextTryMs > 0;
  return {
    steps_per_second: Math.round(perSecond * 10) / 10,
    retries: tries.retries,
    waiting:
      trouble === undefined && !isHeld
        ? null
        : {
            for: trouble?.kind ?? 'retry-after',
            since_ms: Math.round(now - (trouble?.since ?? gate.since)),
            next_try_ms: Math.round(nextTryMs),
          },
    left_ms: perSecond > 0 ? Math.round((stepsLeft(path, outcomes.standing.tally) * 1000) / perSecond) : null,
  };
}
