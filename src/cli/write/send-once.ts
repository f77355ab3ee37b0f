import {isUsableId, unwrapRecord} from '../../client/answers/readable.ts';
import type {Result} from '../../client/requests/resource.ts';
import {UNUSABLE_ID} from '../../client/answers/service-error.ts';
import {validateBody} from '../../client/requests/validate.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {valueAt} from '../../output/records/select.ts';
import {recordAfter} from './answered-record.ts';
import type {Context} from '../core/context.ts';
import type {WriteFacts} from '../guard/facts.ts';
import {warnOfNumbers} from './exposed-numbers.ts';
import {showPreview, type DryRun} from './previews.ts';

/** A write for which no idempotency key is documented. */
export interface Write {
  operation: OperationId;
  params?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
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
  /** Reads the record after an answer without one; absent if the answer is not a record. */
  read?: () => Promise<unknown>;
}

export type Sent =
  | {dryRun: DryRun}
  | {
      dryRun?: undefined;
      result: Result<unknown>;
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
  if (write.dryRun) return {dryRun: showPreview(context, client.preview(operation, input))};
  await context.guardWrite(typeof facts === 'function' ? await facts() : facts);
  if (announce !== undefined) out.note(announce);
  const result = await client.call(operation, input);
  if (/\.(create|add)$/.test(operation) && !isUsableId(idIn(result.data), out.sanitizer))
    throw withoutRecord(operation, result, hint);
  tookEffect(context, write, result);
  if (result.status === 207 && write.reportsWarning !== true) {
    out.warn(result.warning ?? 'the service answered 207 without a warning: something was not done');
    out.hint(hint);
    context.effects.tookPartly();
  }
  const {id, noun, read} = write;
  if (id === undefined || read === undefined) return {result, unread: false};
  const record = await recordAfter(context, {noun, id, answer: result.data, read, next: hint});
  if (record === undefined)
    return {result: {...result, data: {id, http_status: result.status}}, unread: true};
  context.effects.saw(valueAt(record, 'status'));
  return {result: {...result, data: record}, unread: false};
}

/** After other errors of `sendOnce` the write did not take effect. */
const OPEN_ENDED: ReadonlySet<string> = new Set(['IN_DOUBT', 'INTERRUPTED', 'TERMINATED', 'BUG']);

/** Whether the write may have taken effect although `sendOnce` failed. */
export const mayHaveTakenEffect = (error: unknown): boolean =>
  !(error instanceof RemitError) || OPEN_ENDED.has(error.code);

function tookEffect({effects, commands, out}: Context, write: Write, {data}: Result<unknown>): void {
  const {noun, done = 'was created', checkedBy, shownBy} = write;
  const answered = idIn(data);
  const id = write.id ?? (isUsableId(answered, out.sanitizer) ? answered : null);
  const status = valueAt(unwrapRecord(data), 'status');
  effects.took({
    ...{noun, done, id, status: typeof status === 'string' ? status : null},
    next: commands.read(...(id === null || shownBy === undefined ? checkedBy : shownBy(id))),
  });
}

const idIn = (answer: unknown): unknown => valueAt(unwrapRecord(answer), 'id');

/** The answer to a create must identify its record; without a usable id the record would be lost. */
const withoutRecord = (operation: OperationId, {data, status, requestId}: Result<unknown>, hint: string) =>
  new RemitError(
    'IN_DOUBT',
    `${operation}: in doubt, it may have taken effect: the service answered ${status} ${idIn(data) ? `with ${UNUSABLE_ID}` : 'without the record'}. Check before you repeat it`,
    {
      ...{hint, httpStatus: status, requestId, retryable: false},
      details: {may_have_taken_effect: true, ...(idIn(data) ? {answer: {what: UNUSABLE_ID}} : {})},
    },
  );
