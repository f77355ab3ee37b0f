import type {Result} from '../../../client/requests/resource.ts';
import {EXIT} from '../../../errors.ts';
import type {Context} from '../../core/context.ts';
import {done, type CommandOutcome} from '../../core/outcome.ts';
import {isStillWaiting, type WaitFlagValues} from '../../wait/flags.ts';
import {approvalNote, waitForRecord} from '../../wait/wait-for-record.ts';
import {hintAfter, isStillCreated, type Meant, unintendedStatus} from '../../write/answered-status.ts';
import type {MoneyKind} from './money-kind.ts';
import type {ServiceRecord} from '../../../client/answers/record.ts';

/** Handles the answer to a write: shows the record, warns about it, and waits if requested. */
export async function concludeWrite(
  context: Context,
  kind: MoneyKind,
  written: {
    /** Without a record if the answer has none, and it is not read before a wait. */
    result: Result<ServiceRecord | undefined>;
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
  const tracked = {...kind, isNew};
  const shown = commands.read(topic, 'get', id);
  const answered = {status, data: data ?? {}};
  const unintended = unintendedStatus(meant, tracked, answered);
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
    return done(await waitForRecord(context, kind, {id, initial: data, flags: wait}));
  }
  out.record(data, view);
  if (unintended !== undefined) {
    out.warn(unintended);
    out.hint(hintAfter(context, shown, tracked, answered.data));
    return {data, exitCode: EXIT.PARTIAL};
  }
  if (status === 202) {
    out.note(`The service is still processing the ${noun}. ${waits ? 'Wait for it' : 'Check it'} with:`);
    out.hint(waits ? commands.read(topic, 'wait', id) : shown);
  } else if (!effects.isPartial) approvalNote(context, kind, id, undefined)(answered.data);
  return done(data);
}
