import {asksForApproval} from '../../../client/requests/approval.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {EXIT} from '../../../errors.ts';
import {type JsonFields, stringOf} from '../../../narrow.ts';
import {plainValue} from '../../../output/records/view.ts';
import type {Context} from '../../core/context.ts';
import {done, type CommandOutcome} from '../../core/outcome.ts';
import {unknownStatus} from '../../core/unknown-status.ts';
import {withDoctor} from '../../core/next-step.ts';
import {guardedAmountText} from '../../guard/amount-text.ts';
import type {WriteFacts} from '../../guard/facts.ts';
import {refuseForLive} from '../../guard/test-only.ts';
import type {Amount} from '../../input/amounts.ts';
import type {Typed} from '../../line/command-line.ts';
import {approvalNote, isStillWaiting, type WaitFlagValues} from '../../wait/awaited.ts';
import {waitForRecord} from '../../wait/wait-for-record.ts';
import {isStillCreated, type Meant, recordWithId, unintendedStatus} from '../../write/compare.ts';
import {cancelsOnly, readStated, recordFacts} from '../../write/record-facts.ts';
import {write, type Written} from '../../write/write.ts';
import {requireIds} from '../names.ts';
import type {ApproveOrCancel, MoneyKind, PayinOrPayout} from './money-kind.ts';
import type {ServiceRecord} from '../../../client/answers/record.ts';

/** A payin, payout, move or account transfer, as it was typed. */
interface MoneyRequest {
  body: JsonFields;
  amount: Amount;
  flags: WaitFlagValues & {
    'dry-run'?: boolean | undefined;
    accept?: readonly string[] | undefined;
    /** Where the operation takes one. */
    'idempotency-key'?: string | undefined;
  };
  typed: Typed;
}

/** Creates a record that moves money once it is approved, and then waits if requested. */
export function createMoney(
  context: Context,
  kind: MoneyKind,
  {body, amount, flags, typed}: MoneyRequest,
): Promise<CommandOutcome> {
  const {'dry-run': dryRun, accept: accepts = [], 'idempotency-key': idempotencyKey, ...wait} = flags;
  const {resource, topic, noun, creates} = kind;
  requireIds(context, body, creates.ids);
  if (typeof body['subaccount_id'] === 'string') refuseForLive(context, '--subaccount');
  const party = stringOf(body[creates.partyField]);
  const source = creates.sourceField === undefined ? null : stringOf(body[creates.sourceField]);
  const parties =
    source === null ? `${creates.partyLabel} ${party}` : `from ${creates.sourceLabel}${source} to ${party}`;
  const what = `${noun === 'account transfer' ? 'an' : 'a'} ${noun}`;
  const {minor: amountMinor, currency} = amount;
  const {rail} = body;
  return write(context, {
    ...{operation: `${resource}.create`, body, dryRun, noun, reportsWarning: true},
    facts: {
      ...{operation: `create ${what}`, party: [creates.partyLabel, party], amountMinor, currency},
      ...('rail' in body ? {rail: {value: typeof rail === 'string' ? rail : undefined}} : {}),
      details: () => creates.details(context, body),
    },
    announce: `Creating ${what} of ${guardedAmountText(amountMinor, currency)}${source === null ? ',' : ''} ${parties}${releaseText(body)}`,
    checkedBy: creates.listWords(source),
    shownBy: (id) => [topic, 'get', id],
    payment: {
      ...{kind: noun, party, source, parties, body, accepts, typed},
      ...{amountMinor, currency: currency ?? null},
    },
    ...(creates.takesKey ? {key: {given: idempotencyKey}} : {}),
    explain: (error) => creates.explain?.(context, body, error) ?? Promise.resolve(error),
    show: (written) => {
      const meant = asksForApproval(body) ? 'approved' : 'created';
      // Batch rules, "Whose record is it?": with auto_approve, a replay also answers 201.
      const isNew =
        !creates.takesKey || written.isFreshKey || (written.result.status === 201 && meant === 'created');
      return conclude(context, kind, {
        ...written,
        id: plainValue(written.result.data.id),
        wait,
        meant,
        isNew,
      });
    },
  });
}

/** The end of the note about a payin or payout that is about to be created. */
function releaseText({scheduled_date: date}: JsonFields): string {
  return typeof date === 'string' ? `, to be released on ${plainValue(date)} at 09:00 New York time` : '';
}

/** The flags of an approval or cancellation. */
interface ActFlags extends WaitFlagValues {
  'dry-run'?: boolean | undefined;
  /** --amount and --currency, of a record whose amount the service does not show. */
  amount?: string | undefined;
  currency?: string | undefined;
}

/** Approves a record, so that its money moves. */
export const approveRecord = (
  context: Context,
  kind: MoneyKind,
  id: string,
  flags: ActFlags,
): Promise<CommandOutcome> =>
  actOn(context, kind, {id, flags, verb: 'approve', operation: `${kind.resource}.approve`});

export const cancelRecord = (
  context: Context,
  kind: PayinOrPayout,
  id: string,
  flags: ActFlags,
): Promise<CommandOutcome> =>
  actOn(context, kind, {id, flags, verb: 'cancel', operation: `${kind.resource}.cancel`});

/** With a live key or caps the record is read first, so that its amount is shown and checked. */
function actOn(
  context: Context,
  kind: MoneyKind,
  {id, flags, verb, operation}: {id: string; flags: ActFlags; verb: ApproveOrCancel; operation: OperationId},
): Promise<CommandOutcome> {
  const {'dry-run': dryRun, ...wait} = flags;
  const stated = readStated(flags);
  const {noun} = kind;
  const read = () => kind.read(context, id);
  const details = (record: ServiceRecord) => kind.details(context, verb, record);
  const readFacts = () => recordFacts(context, {verb, noun, id, stated, read, details});
  // A preview of a cancellation has no cap to check, so that nothing is read.
  const isFree = dryRun === true && cancelsOnly(context, {verb, noun});
  const facts: WriteFacts = {operation: `${verb} the ${noun}`, cancels: true};
  const meant = verb === 'approve' ? 'approved' : 'canceled';
  return write(context, {
    ...{operation, params: {[kind.idParam]: id}, dryRun, noun, id},
    facts: isFree ? facts : readFacts,
    done: `was ${meant}`,
    checkedBy: [kind.topic, 'get', id],
    reportsWarning: true,
    explain: async (error) => (await kind.explain?.(context, verb, id, error)) ?? error,
    read: isStillWaiting(wait) ? undefined : read,
    show: ({result, ...written}) => {
      const answered = {...result, data: recordWithId(result.data, id)};
      return conclude(context, kind, {...written, result: answered, id, wait, meant, isNew: false});
    },
  });
}

/** Shows the record in the answer to a write, warns about its status, and waits if requested. */
async function conclude(
  context: Context,
  kind: MoneyKind,
  written: Pick<Written, 'key'> & {
    /** Without a record if the answer has none, and it is not read before a wait. */
    result: Omit<Written['result'], 'data'> & {data: ServiceRecord | undefined};
    id: string;
    wait: WaitFlagValues;
    meant: Meant;
    /** No earlier request can have approved the record. */
    isNew: boolean;
  },
): Promise<CommandOutcome> {
  const {out, commands, effects} = context;
  const {result, id, wait, meant, isNew} = written;
  const {data, status, warning} = result;
  const {topic, noun, view, lifecycle, waits} = kind;
  const shown = commands.read(topic, 'get', id);
  const answered = {status, data: data ?? {}};
  const unintended = unintendedStatus(meant, {...kind, isNew}, answered);
  const isUnapproved = isStillCreated(meant, lifecycle, answered);
  if (status === 207 || isUnapproved || result.isPartial === true) {
    out.record(data, view);
    // An approval of a kind that does not wait may be accepted and settle it later (interface document, "Move").
    const effect = waits ? 'approved' : 'settled';
    const unapproved = `the ${noun} was not ${effect}: its status is still ${lifecycle.initial}`;
    out.warn(warning ?? (isUnapproved ? unapproved : (unintended ?? 'the service answered 207')));
    // After 201, an approval of a kind that does not wait may still settle it; after 207 it has stopped.
    const mayApprove = isUnapproved && (waits !== undefined || status === 207) && result.isUnchecked !== true;
    out.hint(mayApprove ? commands.write(topic, 'approve', id) : shown);
    return {data, exitCode: EXIT.PARTIAL};
  }
  if (isStillWaiting(wait)) {
    if (meant === 'created' && unintended !== undefined) {
      out.warn(unintended);
      effects.tookPartly();
    }
    const waited = await waitForRecord(context, kind, {id, initial: data, flags: wait});
    written.key.memory.ended();
    return done(waited);
  }
  out.record(data, view);
  if (unintended !== undefined) {
    out.warn(unintended);
    const isKnown = unknownStatus(kind, answered.data) === undefined;
    out.hint(isKnown ? shown : withDoctor(shown, commands)); // `doctor` if a service file may be missing
    return {data, exitCode: EXIT.PARTIAL};
  }
  if (status === 202) {
    out.note(`The service is still processing the ${noun}. ${waits ? 'Wait for it' : 'Check it'} with:`);
    out.hint(waits ? commands.read(topic, 'wait', id) : shown);
  } else if (!effects.isPartial) approvalNote(context, kind, id, undefined)(answered.data);
  return done(data);
}
