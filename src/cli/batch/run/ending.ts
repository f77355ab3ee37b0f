import {accepting} from '../../../batch/model/accept.ts';
import type {Attention} from '../../../batch/journal/rows/attention.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import type {ReturnedRow} from '../../../batch/report/returned.ts';
import type {Summary} from '../../../batch/standing/summary.ts';
import {shellWord} from '../../../shell-word.ts';
import {networkFix} from '../../core/network-fix.ts';
import {doubtsText, summaryText} from '../summary-view.ts';
import {releasedText} from './cancel-confirm.ts';
import {commandsOfRun, statusCommand, type RunRequest, typing} from './request.ts';
import {goneRecord, RESET_SANDBOX} from './reset-sandbox.ts';

const ATTENTION = 10;
/** Maximum number of rows named in one sentence; the others are counted. */
const NAMED = 5;

/** The summary of a run, and notes for people. */
export async function showEnd(
  request: RunRequest,
  {journal, plan}: OpenBatch,
  {summary, returned}: {summary: Summary; returned: readonly ReturnedRow[]},
): Promise<void> {
  const {context} = request;
  const attention = journal.needingAttention(ATTENTION, summary.in_doubt);
  context.out.text(
    summaryText(summary, attention, commandsOfRun(request, plan), {isRun: true, isReport: true, returned}),
  );
  if (request.path === 'cancel' && summary.accepted > 0)
    context.out.notice(releasedText(journal.rows.inStates(['accepted'], 0, NAMED), summary.accepted));
  hintRefusals(request, summary, {journal, plan});
  hintNetwork(request, summary);
  hintAssumption(request, summary, attention);
  hintById(request, plan, summary);
  noteDoubts(request, plan, summary, attention);
  if (summary.posts === 0 && summary.next === null) await noteGone(request, {journal, plan});
}

/** A sandbox may have been reset since the batch was complete. */
async function noteGone(
  request: RunRequest,
  {journal, plan}: Pick<OpenBatch, 'journal' | 'plan'>,
): Promise<void> {
  const {context, kind} = request;
  const gone = await goneRecord(context, kind, journal);
  if (gone === undefined) return;
  const {reference, id, isReset} = gone;
  if (isReset) return context.out.notice(RESET_SANDBOX);
  context.out.warn(`the record ${id} of row ${reference} was not found just now`);
  context.out.hint(`to read all records of the batch: ${typing(request, plan)('status', '--refresh')}`);
}

/** Answers that `--accept refusals` makes final. */
const REFUSALS: readonly (number | null)[] = [400, 404, 422];

/** Everything was refused, so the address may be wrong; if it is right, this command continues the batch. */
function hintRefusals(
  request: RunRequest,
  summary: Summary,
  {journal, plan}: Pick<OpenBatch, 'journal' | 'plan'>,
): void {
  if (request.path === 'cancel' || summary.stopped_because?.reason !== 'refused-at-first') return;
  const refused = journal.rows.inStates(['not_sent'], 0, NAMED);
  if (!refused.some(({outcome}) => REFUSALS.includes(outcome?.http ?? null))) return;
  const final = typing(request, plan)('resume', ...accepting('refusals'));
  if (summary.next === final) return;
  request.context.out.hint(`if the address is right and the service does refuse these rows: ${final}`);
}

/** No connection could be made: this command removes the cause. */
function hintNetwork({context}: RunRequest, {stopped_because}: Summary): void {
  const {unsent, commands, profile, stateDir} = context;
  if (stopped_because?.reason !== 'unreachable' || unsent === undefined) return;
  const place = {commands, baseUrl: profile.baseUrl, stateDir};
  const fix = networkFix({details: {...unsent}, httpStatus: undefined}, place);
  if (fix !== undefined) context.out.hint(fix);
}

/** The texts of assumptions name the key of the service file to set. */
const NAMES_A_KEY = / in the service file\b/;

/** An assumption may explain an answer: `doctor` finds out which one is wrong. */
function hintAssumption({context}: RunRequest, {stopped_because}: Summary, rows: readonly Attention[]): void {
  const texts = [stopped_because?.message, ...rows.map(({message}) => message)];
  if (texts.some((text) => text != null && NAMES_A_KEY.test(text)))
    context.out.hint(`to find what differs at the service: ${context.commands.read('doctor')}`);
}

/** Only a profile can allow approvals by id, and a run with a key from the environment has none. */
function hintById(request: RunRequest, plan: Plan, summary: Summary): void {
  const {profile, out} = request.context;
  const reason = summary.stopped_because?.reason;
  // Only staged records can still be approved once keys are forgotten: another row may be paid by a second record.
  const isNeeded =
    reason === 'bodies-compared' || (reason === 'key-forgotten' && summary.staged > summary.held);
  if (profile.name !== null || !isNeeded) return;
  const type = typing(request, plan);
  const isHeld = reason === 'key-forgotten' && summary.in_doubt + summary.conflict > 0;
  const words = ['--profile', 'NAME'];
  const command = isHeld ? type('release', ...accepting('rest'), ...words) : type('resume', ...words);
  const added = `remit profiles add NAME --base-url ${shellWord(profile.baseUrl)} --approve-by-id`;
  out.hint(
    `to approve the records by their ids, add a profile with the same key: ${added}; then: ${command}`,
  );
}

/** If the output cannot be written, the error still says what was done. */
export function noteEffect(request: RunRequest, plan: Plan, summary: Summary): void {
  const {batch_id: id, state: status, posts} = summary;
  if (posts === 0) return;
  request.context.effects.took({
    noun: 'batch',
    done: 'was run',
    id,
    status,
    next: statusCommand(request, plan),
  });
}

/** An interrupted run exits 130, not 12; the rows that it leaves in doubt are still reported, also to scripts. */
function noteDoubts(
  request: RunRequest,
  plan: Plan,
  summary: Summary,
  attention: readonly Attention[],
): void {
  const reason = summary.stopped_because?.reason;
  if (summary.in_doubt === 0 || (reason !== 'interrupted' && reason !== 'terminated')) return;
  const named = attention.filter(({state}) => state === 'in_doubt').map(({reference}) => reference);
  request.context.out.warn(doubtsText(summary, named, commandsOfRun(request, plan)));
}
