import {asksForApproval} from '../../../client/requests/approval.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {EXIT} from '../../../errors.ts';
import {type JsonFields, stringOf} from '../../../narrow.ts';
import {plainValue} from '../../../output/records/view.ts';
import type {Context} from '../../core/context.ts';
import {done, type CommandOutcome} from '../../core/outcome.ts';
import {unknownStatus} from '../../core/unknown-status.ts';
import {withDoctor} from '../../core/way-out.ts';
import {guardedAmountText} from '../../guard/amount-text.ts';
import type {WriteFacts} from '../../guard/facts.ts';
import {refuseForLive} from '../../guard/test-only.ts';
import type {Amount} from '../../input/amounts.ts';
import type {Typed} from '../../line/command-line.ts';
import {isStillWaiting, type WaitFlagValues} from '../../wait/flags.ts';
import {approvalNote, waitForRecord} from '../../wait/wait-for-record.ts';
import {isStillCreated, type Meant, recordWithId, unintendedStatus} from '../../write/compare.ts';
import {cancelsOnly, recordFacts} from '../../write/record-facts.ts';
import {releaseText} from '../../write/transfer-details.ts';
import {write, type Written} from '../../write/write.ts';
import {requireIds} from '../names.ts';
import type {ApproveOrCancel, MoneyKind, PayinOrPayout} from './money-kind.ts';
import {asRecord, type ServiceRecord} from '../../../client/answers/record.ts';

/** A payin, payout, move or account transfer, as it was typed. */
interface MoneyRequest {
  body: JsonFields;
  amount: Amount;
  dryRun: boolean | undefined;
  accepts: readonly string[];
  typed: Typed;
  /** The key that was typed, where the operation takes one. */
  idempotencyKey?: string | undefined;
  wait?: WaitFlagValues;
}

/** Creates a record that moves money once it is approved, and then waits if requested. */
export function createMoney(
  context: Context,
  kind: MoneyKind,
  {body, amount, dryRun, accepts, typed, idempotencyKey, wait = {}}: MoneyRequest,
): Promise<CommandOutcome> {
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
      details: () => creates.details(context, asRecord(body)),
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

/** What was typed to approve or cancel a record. */
interface Act {
  id: string;
  dryRun: boolean | undefined;
  wait?: WaitFlagValues;
  stated: Amount | undefined;
}

/** Approves a record, so that its money moves. */
export const approveRecord = (context: Context, kind: MoneyKind, act: Act): Promise<CommandOutcome> =>
  actOn(context, kind, {...act, verb: 'approve', operation: `${kind.resource}.approve`});

export const cancelRecord = (context: Context, kind: PayinOrPayout, act: Act): Promise<CommandOutcome> =>
  actOn(context, kind, {...act, verb: 'cancel', operation: `${kind.resource}.cancel`});

/** With a live key or caps the record is read first, so that its amount is shown and checked. */
function actOn(
  context: Context,
  kind: MoneyKind,
  act: Act & {verb: ApproveOrCancel; operation: OperationId},
): Promise<CommandOutcome> {
  const {id, verb, operation, dryRun, stated, wait = {}} = act;
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
