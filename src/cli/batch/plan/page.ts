import {resolve} from 'node:path';
import {openBatch} from '../../../batch/journal/open-batch.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import type {PlannedBatch} from '../../../batch/plan/plan.ts';
import {writePlanPage} from '../../../batch/report/plan-page.ts';
import {RemitError} from '../../../errors.ts';
import {shellWord} from '../../../shell-word.ts';
import type {LocalContext} from '../../core/context.ts';
import {outlookText, type PlanOutlook} from './view.ts';

/** Writes the page of a plan, for the person who approves it. Returns its path. */
export async function writePageToApprove(
  {local, stateDir, file}: {local: LocalContext; stateDir: string; file: string},
  {plan, errors}: PlannedBatch,
  outlook: PlanOutlook,
): Promise<string> {
  const {kind, batchId} = plan;
  const purpose = `page of batch ${batchId}`;
  const batch = await openBatch({stateDir, kind, batchId, purpose, brief: true, clock: local.clock});
  try {
    const path = resolve(local.runtime.cwd, file);
    const others = outlookText(plan, outlook);
    const alike = outlook.before instanceof RemitError ? undefined : mostAlike(outlook);
    writePlanPage(path, plan, batch.journal, {
      ...{errors, others, alike, held: outlook.held, command: commandOf(plan, outlook)},
    });
    return path;
  } finally {
    await batch.close();
  }
}

const mostAlike = ({alike}: PlanOutlook): number =>
  Math.max(0, ...alike.map(({alike: rows, similar}) => rows + similar));

/** The next command; a run states the figures of the plan, so that it refuses any others. */
function commandOf({figures: {rows, totals}}: Plan, {next}: PlanOutlook): string | null {
  if (next === null || !/ batch run /u.test(next)) return next;
  const stated = Object.entries(totals).map(
    ([currency, total]) => ` --confirm-total ${shellWord(`${currency}=${total}`)}`,
  );
  return `${next} --confirm-count ${rows}${stated.join('')}`;
}
