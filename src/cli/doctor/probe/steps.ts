import {wasCanceled} from '../../../contract/lifecycle.ts';
import {meaningOf} from '../../../client/answers/verdict.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {routeOf} from '../../../service/routes.ts';
import type {Context} from '../../core/context.ts';
import {failedReplyText, replyOutcome, type ServiceReply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {toAdd} from '../survey/finding.ts';
import {isGood, type ServiceSurvey} from '../survey/survey.ts';
import {noteLaterGet} from '../reads/gets.ts';
import {bodyFor, probedIdIn, idOf, type ProbedKind, type Money, recordIn} from './kinds.ts';

/** The ids of all payouts and payins that the probe created and canceled, and everything that remains. */
export interface Probed {
  readonly created: string[];
  readonly canceled: string[];
  readonly left: {
    readonly noun: 'payout' | 'payin' | 'payee' | 'move';
    readonly id: string;
    readonly status: string | null;
  }[];
}

/** One probe: what it works with, and what it has done. */
export interface Probe {
  readonly context: Context;
  readonly survey: ServiceSurvey;
  readonly probed: Probed;
  /** Answers to creates that leave open whether there is a record; its id is not known. */
  readonly unclear: {readonly kind: ProbedKind; readonly reply: ServiceReply}[];
}

/** Whether a create that returned no id may have created a record. */
export const mayHaveCreated = (reply: ServiceReply): boolean =>
  reply.failure?.sent ?? ['success', 'failing'].includes(meaningOf(reply));

/** Sends a create in the form of `file`. A record that it created is canceled at the end. */
export async function create(
  {context, survey, probed, unclear}: Probe,
  kind: ProbedKind,
  {money, key, file = survey.draft.file}: {money: Money; key: string; file?: ServiceFile},
): Promise<{reply: ServiceReply; id: string | undefined}> {
  const reply = await survey.ask(idOf(kind, 'create'), {body: bodyFor(kind, money), key}, file);
  const id = isGood(reply) ? probedIdIn(reply, context) : undefined;
  if (id === undefined && mayHaveCreated(reply)) unclear.push({kind, reply});
  if (id !== undefined && !probed.created.includes(id)) {
    probed.created.push(id);
    context.effects.took({
      ...{noun: kind.noun, done: 'was created by the probe', id, status: 'created'},
      next: context.commands.write(kind.topic, 'cancel', id),
    });
  }
  return {reply, id};
}

/** Cancels all records that were created since the first `from`, and checks that they are canceled. */
export async function cancelAll(probe: Probe, kind: ProbedKind, from: number): Promise<void> {
  for (const id of probe.probed.created.slice(from)) await cancel(probe, kind, id);
}

/** A record without a known id cannot be canceled here. */
export function noteUnclear({context, survey, unclear}: Probe, kind: ProbedKind): void {
  const [first, ...others] = unclear.filter((one) => one.kind === kind);
  if (first === undefined) return;
  const more = others.length === 0 ? '' : `, and ${others.length} more without an id`;
  survey.unknown(
    `${kind.topic} that may remain`,
    `${failedReplyText(first.reply, 'a record')}${more}; a ${kind.noun} may have been created, but it is not approved`,
    {fix: context.commands.read(kind.topic, 'list', '--status', 'created')},
  );
}

async function cancel(probe: Probe, kind: ProbedKind, id: string): Promise<void> {
  const {context, survey, probed} = probe;
  const check = `routes.${idOf(kind, 'cancel')}`;
  const first = await tryCancel(probe, kind, id, survey.draft.file);
  if (isUnclear(first)) return noteUnread(probe, kind, {id, ...first});
  const other = wasCanceled(first.status) ? undefined : await otherCancel(probe, kind, id);
  if (wasCanceled(first.status) || other !== undefined) {
    probed.canceled.push(id);
    context.effects.took({
      ...{noun: kind.noun, done: 'was canceled by the probe', id, status: 'canceled'},
      next: context.commands.read(kind.topic, 'get', id),
    });
    const evidence = failedReplyText(first.reply, 'a record');
    if (other !== undefined)
      survey.differs(check, `${evidence}; ${other.evidence}`, {row: 4, write: other.write, sure: true});
    else if (!survey.has(check))
      survey.holds(check, `${replyOutcome(first.reply)}, and the ${kind.noun} is canceled`, {row: 4});
    return;
  }
  const {status = null} = first;
  probed.left.push({noun: kind.noun, id, status});
  const cancelled = context.commands.write(kind.topic, 'cancel', id);
  const now = status === null ? 'has a status that could not be read,' : `still has status "${status}"`;
  survey.differs(
    check,
    `${failedReplyText(first.reply, 'a record')}; ${kind.noun} ${id} ${now} and is not approved`,
    {
      row: 4,
      fix: `${toAdd({routes: {[idOf(kind, 'cancel')]: `POST /path/{id}/cancel`}})}; then cancel it: ${cancelled}`,
    },
  );
}

/** A cancel that was tried. */
interface TriedCancel {
  readonly reply: ServiceReply;
  /** Undefined if neither the get nor the answer to the cancel states it. */
  readonly status: string | undefined;
}

/** The status that a get reads; that of the answer to the cancel if the get differs and reads none. */
async function tryCancel(
  {survey}: Probe,
  kind: ProbedKind,
  id: string,
  file: ServiceFile,
): Promise<TriedCancel> {
  const reply = await survey.ask(idOf(kind, 'cancel'), {params: {id}, body: {}}, file);
  const read = await survey.ask(idOf(kind, 'get'), {params: {id}});
  noteLaterGet(survey, idOf(kind, 'get'), read);
  return {reply, status: statusOf(read, id) ?? statusOf(reply, id)};
}

function statusOf(reply: ServiceReply, id: string): string | undefined {
  const record = recordIn(reply);
  const isOwn = isGood(reply) && (record['id'] === undefined || record['id'] === id);
  return isOwn && typeof record['status'] === 'string' ? record['status'] : undefined;
}

/** The service accepted the cancel, but nothing states whether the record is canceled. */
const isUnclear = ({reply, status}: TriedCancel): boolean => status === undefined && isGood(reply);

function noteUnread(
  {context, survey}: Probe,
  kind: ProbedKind,
  {id, reply}: TriedCancel & {readonly id: string},
): void {
  survey.unknown(
    `routes.${idOf(kind, 'cancel')}`,
    `${replyOutcome(reply)}, but the status of ${kind.noun} ${id} could not be read; it is not approved`,
    {row: 4, fix: context.commands.read(kind.topic, 'list', '--status', 'created')},
  );
}

/** Other ways to cancel a record of the probe: without a body, or at another path below that of the record. */
async function otherCancel(probe: Probe, kind: ProbedKind, id: string) {
  const operation = idOf(kind, 'cancel');
  const {file} = probe.survey.draft;
  const {path} = routeOf(idOf(kind, 'get'), file);
  const forms: ServiceFile[] = [
    {bodies: {[operation]: 'none'}},
    ...['cancel', 'void', 'cancellation'].map((word) => ({routes: {[operation]: `POST ${path}/${word}`}})),
  ];
  for (const write of forms) {
    const {reply, status} = await tryCancel(probe, kind, id, joined(file, write));
    if (!wasCanceled(status)) continue;
    const evidence = `${replyOutcome(reply)}${write.bodies === undefined ? '' : ' without a body'} and canceled it`;
    return {write, evidence};
  }
  return undefined;
}
