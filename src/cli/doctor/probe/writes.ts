import {RemitError} from '../../../errors.ts';
import {routeOf} from '../../../service/routes.ts';
import type {Context} from '../../core/context.ts';
import {NO_SUCH_ID} from '../reads/errors.ts';
import {failedReplyText, NOWHERE, replyOutcome, refusalWords, type ServiceReply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {toAdd} from '../survey/finding.ts';
import {isGood, isMissing, type ServiceSurvey} from '../survey/survey.ts';
import {createOne} from './create.ts';
import {checkHorizon} from './horizon.ts';
import {checkFormat, checkReplay} from './keys.ts';
import {keepKey, keptKey} from './key-memory.ts';
import {AMOUNT_MINOR, idOf, type ProbedKind, PROBED_PAYIN, PROBED_PAYOUT} from './kinds.ts';
import {probeMove, probePayee} from './others.ts';
import {PROBED} from '../../core/probed.ts';
import {cancelAll, noteUnclear, type Probe, type Probed} from './steps.ts';

/**
 * Refuses a live key, with or without `--live`.
 * @throws RemitError GUARD_LIVE, and what the guard of a write throws; nothing has been sent
 */
export async function refuseProbe(context: Context): Promise<void> {
  if (context.profile.mode !== 'test')
    throw new RemitError(
      'GUARD_LIVE',
      '--probe-writes needs a test key; it is refused with a live key, even with --live',
      {
        hint: 'choose a profile with a test key: -p NAME',
      },
    );
  for (const operation of ['create a payout', 'create a payin'])
    await context.guardWrite(
      {operation, amountMinor: BigInt(AMOUNT_MINOR), currency: 'USD', rail: {value: undefined}},
      [],
    );
  context.grants.allowProbes(PROBED);
}

/**
 * Creates a payout and a payin without approving them, sends the same requests again, and cancels them. Then tries to
 * approve the canceled ones, which must be refused, and creates a payee and a move, which remain. Reports everything that remains.
 */
export async function probeWrites(context: Context, survey: ServiceSurvey): Promise<Probed> {
  const probe: Probe = {context, survey, probed: {created: [], canceled: [], left: []}, unclear: []};
  const kept = keptKey(context);
  if (kept !== undefined) await checkHorizon(probe, kept);
  else
    survey.unknown('keys.horizon', 'not known yet; run --probe-writes again later to measure it', {row: 46});
  await probeKind(probe, PROBED_PAYOUT);
  await probeKind(probe, PROBED_PAYIN);
  await probePayee(probe);
  await probeMove(probe);
  return probe.probed;
}

/** Findings about the format and the length of keys. */
const FORM = new Set(['keys.format', 'keys.maxLength']);

async function probeKind(probe: Probe, kind: ProbedKind): Promise<void> {
  const {context, probed} = probe;
  const from = probed.created.length;
  try {
    const made = await createOne(probe, kind);
    if (made !== undefined) {
      await checkReplay(probe, kind, made);
      if (!probe.survey.found.some(({check}) => FORM.has(check))) await checkFormat(probe, kind, made.money);
      if (kind === PROBED_PAYOUT) {
        const {party: payee_id, currency_code} = made.money;
        const own = {idempotency_key: made.key, payout_id: made.id, payee_id, currency_code};
        if (keptKey(context) === undefined)
          keepKey(context, {...own, at_ms: context.clock.now(), known_ms: 0});
      }
    }
  } finally {
    await cancelAll(probe, kind, from);
    noteUnclear(probe, kind);
  }
  const canceled = probed.created.slice(from).find((id) => probed.canceled.includes(id));
  await (canceled === undefined ? approveNothing(probe, kind) : approveCanceled(probe, kind, canceled));
}

/**
 * Tries to approve the record that was just canceled, which must be refused by its state: a 404 is then about the route,
 * because the record exists.
 */
async function approveCanceled({survey}: Probe, kind: ProbedKind, id: string): Promise<void> {
  const operation = idOf(kind, 'approve');
  const check = `routes.${operation}`;
  const reply = await survey.ask(operation, {params: {id}, body: {}});
  if (await isRefusedForItsBody(survey, {kind, id, reply})) return;
  const evidence = `${failedReplyText(reply, 'a record')} for a ${kind.noun} that is canceled`;
  const {assumption} = reply;
  if (isGood(reply)) survey.differs(check, `${evidence}, but must refuse it`, {row: 2});
  else if (isMissing(reply)) survey.differs(check, evidence, {row: 2, fix: fixOf(kind)});
  else if (assumption !== undefined)
    survey.differs(check, evidence, {row: 2, fix: `set ${assumption.key} in the service file`});
  else if ([400, 409, 422].includes(reply.status)) survey.holds(check, evidence, {row: 2});
  else survey.unknown(check, evidence, {row: 2});
}

/** Sends the approval without a body if the body was refused. If that is refused by the state of the record, it is right. */
async function isRefusedForItsBody(
  survey: ServiceSurvey,
  {kind, id, reply}: {kind: ProbedKind; id: string; reply: ServiceReply},
): Promise<boolean> {
  const operation = idOf(kind, 'approve');
  const isAboutBody = ({assumption}: ServiceReply) => assumption?.key === `bodies.${operation}`;
  if (!isAboutBody(reply)) return false;
  const write = {bodies: {[operation]: 'none' as const}};
  const bare = await survey.ask(operation, {params: {id}, body: {}}, joined(survey.draft.file, write));
  if (isAboutBody(bare) || ![400, 409, 422].includes(bare.status)) return false;
  const evidence = `${failedReplyText(reply, 'a record')}; without a body, ${failedReplyText(bare, 'a record')} for a ${kind.noun} that is canceled`;
  survey.differs(`routes.${operation}`, evidence, {row: 2, write, sure: true});
  return true;
}

const fixOf = (kind: ProbedKind): string =>
  toAdd({routes: {[idOf(kind, 'approve')]: 'POST /path/{id}/approve'}});

/**
 * Without a canceled record, tries to approve one that does not exist. The route holds only if the refusal differs from
 * that of an action that no service has: many services refuse a missing route as a missing record.
 */
async function approveNothing({survey}: Probe, kind: ProbedKind): Promise<void> {
  const operation = idOf(kind, 'approve');
  const check = `routes.${operation}`;
  const question = {params: {id: NO_SUCH_ID}, body: {}};
  const reply = await survey.ask(operation, question);
  const evidence = `${replyOutcome(reply)} for a ${kind.noun} that does not exist`;
  const {method, path} = routeOf(operation, survey.draft.file);
  const noAction = {routes: {[operation]: `${method} ${path}${NOWHERE}`}};
  const nowhere = await survey.ask(operation, question, joined(survey.draft.file, noAction));
  if (isGood(reply)) survey.differs(check, `${evidence}, but must refuse it`, {row: 2});
  else if (reply.status === 405 || reply.status === 501)
    survey.differs(check, evidence, {row: 2, fix: fixOf(kind)});
  else if (![400, 404, 422].includes(reply.status)) survey.unknown(check, evidence, {row: 2});
  else if (refusalWords(nowhere) !== refusalWords(reply)) survey.holds(check, evidence, {row: 2});
  else
    survey.unknown(check, `${evidence}, as for an action that does not exist; the route may be missing`, {
      ...{row: 2, fix: fixOf(kind)},
    });
}
