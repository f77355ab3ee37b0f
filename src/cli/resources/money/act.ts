import type {OperationId} from '../../../contract/operations/operations.ts';
import {EXIT} from '../../../errors.ts';
import type {Context} from '../../core/context.ts';
import {done, type CommandOutcome} from '../../core/outcome.ts';
import type {WriteFacts} from '../../guard/facts.ts';
import type {Amount} from '../../input/amounts.ts';
import {isStillWaiting, type WaitFlagValues} from '../../wait/flags.ts';
import {recordWithId} from '../../write/answered-record.ts';
import {cancelsOnly, recordFacts} from '../../write/record-facts.ts';
import {sendOnce} from '../../write/send-once.ts';
import {concludeWrite} from './conclude-write.ts';
import type {ApproveOrCancel, MoneyKind, PayinOrPayout} from './money-kind.ts';
import type {ServiceRecord} from '../../../client/answers/record.ts';

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
async function actOn(
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
  const sent = await sendOnce(context, {
    ...{operation, params: {[kind.idParam]: id}, dryRun, noun, id},
    facts: isFree ? facts : readFacts,
    done: verb === 'approve' ? 'was approved' : 'was canceled',
    checkedBy: [kind.topic, 'get', id],
    reportsWarning: true,
    explain: async (error) => (await kind.explain?.(context, verb, id, error)) ?? error,
    read: isStillWaiting(wait) ? undefined : read,
  });
  if (sent.dryRun) return done(sent.dryRun);
  if (sent.unread) return {data: sent.result.data, exitCode: EXIT.PARTIAL};
  const result = {...sent.result, data: recordWithId(sent.result.data, id)};
  const meant = verb === 'approve' ? 'approved' : 'canceled';
  return concludeWrite(context, kind, {result, id, wait, meant, isNew: false});
}
