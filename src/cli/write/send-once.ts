import {isUsableId} from '../../client/answers/readable.ts';
import {differencesInWords} from '../../client/answers/difference.ts';
import {unwrapRecord} from '../../client/answers/envelope.ts';
import {asRecord, type ServiceRecord} from '../../client/answers/record.ts';
import type {RecordResult} from '../../client/requests/resource.ts';
import {UNUSABLE_ID} from '../../client/answers/service-error.ts';
import {validateBody} from '../../client/requests/validate.ts';
import {firstPart} from '../../service/paths.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {noteAmount} from './answered-amount.ts';
import {noteOther, recordAfter, recordWithId} from './answered-record.ts';
import {changedOtherwise, createdOtherwise, notShownAfter} from './changed-record.ts';
import {noteNotShown} from './fields-not-shown.ts';
import type {Context} from '../core/context.ts';
import type {Payment} from '../doubts/payment.ts';
import type {WriteFacts} from '../guard/facts.ts';
import {guardPreview} from '../guard/guard.ts';
import {warnOfNumbers} from './exposed-numbers.ts';
import {showPreview, type DryRun} from './previews.ts';
import {isObject, type JsonFields} from '../../narrow.ts';

/** A write for which no idempotency key is documented. */
export interface Write {
  operation: OperationId;
  params?: Readonly<Record<string, string>>;
  body?: JsonFields;
  dryRun: boolean | undefined;
  facts: WriteFacts | (() => Promise<WriteFacts>);
  /** Printed once the guard has allowed it, before it is sent. */
  announce?: string;
  /** The kind of record, such as `webhook endpoint`. */
  noun: string;
  /** The id of the record it changes; absent for a create, whose answer contains it. */
  id?: string;
  /** What it does to the record: `was deleted`; for a create `was created`. */
  done?: string;
  /** The command that shows whether it took effect, in case its answer is lost. */
  checkedBy: readonly string[];
  /** The command that shows a record that was just created; default `checkedBy`. */
  shownBy?: (id: string) => readonly string[];
  /** The caller itself reports a 207, with what it means for this record. */
  reportsWarning?: boolean;
  /** The values that the record has afterwards; if it shows others, or not all of them, the command exits with 8. */
  leaves?: JsonFields;
  /** The same for the record that a create makes, but what its answer with this status leaves out is not missed. */
  shows?: (status: number) => JsonFields;
  /** What the caller may send afterwards to the record that it creates. */
  follows?: readonly OperationId[];
  /** A create that moves money or leads to it. */
  payment?: Payment;
  /** Reads the record after an answer without one; absent if the answer is not a record, or it is read later. */
  read?: (() => Promise<ServiceRecord>) | undefined;
  /** Says more about an error of the request. */
  explain?: (error: unknown) => Promise<unknown>;
}

export type Sent =
  | {dryRun: DryRun}
  | {
      dryRun?: undefined;
      result: RecordResult;
      /** The answer had no record, and it could not be read; `result.data` contains what is known. */
      unread: boolean;
    };

/**
 * Checks a write here, guards it and sends it, never twice: after a lost answer it ends in doubt (exit 12), and the
 * hint is the command that shows whether it took effect. A dry run shows the request instead.
 */
export async function sendOnce(context: Context, write: Write): Promise<Sent> {
  const {client, out, stop, commands} = context;
  const {operation, params, body, facts, announce} = write;
  if (body !== undefined) {
    await validateBody(operation, body, context.profile.service.ids?.format);
    warnOfNumbers(context, body);
  }
  const hint = commands.read(...write.checkedBy);
  const input = {params, body, options: {signal: stop.signal, hint, recordId: write.id}};
  if (write.dryRun) {
    await guardPreview(facts, context.profile);
    return {dryRun: showPreview(context, client.preview(operation, input))};
  }
  const checked = typeof facts === 'function' ? await facts() : facts;
  await context.guardWrite(checked, [{operation, params, body}], write.follows);
  const send = async () => {
    if (announce !== undefined) out.note(announce);
    const result = await client.record(operation, input).catch(async (error: unknown) => {
      throw (await write.explain?.(error)) ?? error;
    });
    if (/\.(create|add)$/.test(operation) && !isUsableId(result.data.id, out.sanitizer))
      throw withoutRecord(operation, result, hint);
    return result;
  };
  const result = await (write.payment === undefined ? send() : sendRemembered(context, write.payment, send));
  const changesStatus = /\.(approve|cancel)$/.test(operation);
  tookEffect(context, write, result);
  if (changesStatus && write.id !== undefined)
    noteOther(context, {noun: write.noun, id: write.id, answer: result.data});
  if (result.status === 207 && write.reportsWarning !== true) {
    out.warn(result.warning ?? 'the service answered 207 without a warning: something was not done');
    out.hint(commands.read(...shownWith(context, write, result.data)));
    context.effects.tookPartly();
  }
  const {id, noun, read} = write;
  const noteAmountIn = (answer: ServiceRecord) => {
    if (changesStatus && id !== undefined)
      noteAmount(context, {noun, id, facts: checked, answer, next: hint});
  };
  if (id === undefined || read === undefined) {
    noteAmountIn(result.data);
    noteValues(context, write, result.data, result.status);
    return {result, unread: false};
  }
  const record = await recordAfter(context, {
    ...{noun, id, answer: result.data, read, next: hint},
    changesStatus,
  });
  if (record === undefined)
    return {
      result: {
        ...result,
        data: asRecord({id, ...(changesStatus ? {status: null} : {}), http_status: result.status}),
      },
      unread: true,
    };
  context.effects.saw(record.status);
  noteAmountIn(record);
  noteValues(context, write, record, result.status);
  return {result: {...result, data: record}, unread: false};
}

/** Remembered on disk, because a repetition could pay twice. */
async function sendRemembered<T>(context: Context, payment: Payment, send: () => Promise<T>): Promise<T> {
  const {sendWithoutKey} = await import('../doubts/memory.ts');
  return sendWithoutKey(context, payment, send);
}

/** After other errors of `sendOnce` the write did not take effect. */
const OPEN_ENDED: ReadonlySet<string> = new Set(['IN_DOUBT', 'INTERRUPTED', 'TERMINATED', 'BUG']);

/** Whether the write may have taken effect although `sendOnce` failed. */
export const mayHaveTakenEffect = (error: unknown): boolean =>
  !(error instanceof RemitError) || OPEN_ENDED.has(error.code);

function tookEffect(context: Context, write: Write, {data}: RecordResult): void {
  const {effects, commands} = context;
  const {noun, done = 'was created'} = write;
  const record = write.id === undefined ? data : recordWithId(data, write.id);
  effects.took({
    ...{noun, done, id: writtenId(context, write, data), status: record?.status ?? null},
    next: commands.read(...shownWith(context, write, data)),
  });
}

/** The words of the command that shows the record. */
function shownWith(context: Context, write: Write, answer: ServiceRecord): readonly string[] {
  const {checkedBy, shownBy} = write;
  const id = writtenId(context, write, answer);
  return id === null || shownBy === undefined ? checkedBy : shownBy(id);
}

/** The id of the record that is changed, or that was just created. */
function writtenId({out}: Context, write: Write, {id}: ServiceRecord): string | null {
  return write.id ?? (isUsableId(id, out.sanitizer) ? id : null);
}

function noteValues(context: Context, write: Write, record: ServiceRecord, status: number): void {
  const {out, effects, commands} = context;
  const {noun, operation, shows} = write;
  const leaves = status === 202 ? {} : (write.leaves ?? {});
  const named = `${noun} ${writtenId(context, write, record)}`;
  const next = commands.read(...shownWith(context, write, record));
  const differences = [
    ...changedOtherwise(leaves, record),
    ...(shows === undefined ? [] : createdOtherwise(shows(status), record)),
  ];
  if (differences.length > 0) {
    out.warn(`${named} is not as requested: ${differencesInWords(differences)}`);
    if (!effects.isPartial) out.hint(next);
    effects.tookPartly();
  }
  const fields = notShownAfter(leaves, record);
  noteNotShown(context, {named, resource: firstPart(operation), fields, next});
}

/** The answer to a create must identify its record; without a usable id the record would be lost. */
function withoutRecord(operation: OperationId, result: RecordResult, hint: string) {
  const {answer, status, requestId} = result;
  const record = unwrapRecord(answer);
  const hasId = isObject(record) && Boolean(record['id']);
  return new RemitError(
    'IN_DOUBT',
    `in doubt, it may have taken effect: the service answered ${status} ${hasId ? `with ${UNUSABLE_ID}` : 'without the record'} (${operation})`,
    {
      ...{hint, httpStatus: status, requestId, retryable: false},
      details: {may_have_taken_effect: true, ...(hasId ? {answer: {what: UNUSABLE_ID}} : {})},
    },
  );
}
