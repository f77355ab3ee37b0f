import {unwrapRecord} from '../../client/answers/envelope.ts';
import {isUsableId} from '../../client/answers/readable.ts';
import {asRecord, type ServiceRecord} from '../../client/answers/record.ts';
import {UNUSABLE_ID} from '../../client/answers/service-error.ts';
import type {RecordResult} from '../../client/requests/resource.ts';
import {validateBody} from '../../client/requests/validate.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {isObject, type Json, type JsonFields} from '../../narrow.ts';
import type {View} from '../../output/records/view.ts';
import {maskShapes} from '../../sanitize/secret-shapes.ts';
import type {Context} from '../core/context.ts';
import {done, type CommandOutcome} from '../core/outcome.ts';
import {withDoctor} from '../core/next-step.ts';
import {type ChosenKey, unremembered} from '../doubts/payment.ts';
import type {WriteFacts} from '../guard/facts.ts';
import {guardPreview} from '../guard/guard.ts';
import {changesStatus, compareAnswer, type ComparedWrite, noteOther, recordWithId} from './compare.ts';
import {showPreview, type DryRun} from './previews.ts';
import {type CreateSteps, noteReplay, createStepsOf} from './steps.ts';

/** A write, as its command declares it. `compare.ts` has what its answer is compared with. */
export interface Write extends ComparedWrite {
  params?: Readonly<Record<string, string>>;
  dryRun: boolean | undefined;
  facts: WriteFacts | (() => Promise<WriteFacts>);
  /** Printed once the guard has allowed it, before it is sent. */
  announce?: string;
  /** What it does to the record: `was deleted`; for a create `was created`. */
  done?: string;
  /** The command that shows whether it took effect, in case its answer is lost. */
  checkedBy: readonly string[];
  /** The command that shows a record that was just created; default `checkedBy`. */
  shownBy?: (id: string) => readonly string[];
  /** The caller itself reports a 207, with what it means for this record. */
  reportsWarning?: boolean;
  /** What the caller may send afterwards to the record that it creates. */
  follows?: readonly OperationId[];
  /** Reads the record after an answer without one; absent if the answer is not a record, or it is read later. */
  read?: (() => Promise<ServiceRecord>) | undefined;
  /** Says more about an error of the request. */
  explain?: (error: unknown) => Promise<unknown>;
}

/** What the service answered to a write. */
export interface Written {
  dryRun?: undefined;
  result: RecordResult;
  /** The answer had no record, and it could not be read; `result.data` contains what is known. */
  unread: boolean;
  key: ChosenKey;
  /** The key was generated for this request, so that no earlier one can have made the record. */
  isFreshKey: boolean;
}

export type Sent = {dryRun: DryRun} | Written;

/**
 * Sends a write and shows its result: by default the record as a card.
 * @param asked.show shows the result otherwise
 */
export async function write(
  context: Context,
  asked: Write & ({view: View} | {show: (written: Written) => CommandOutcome | Promise<CommandOutcome>}),
): Promise<CommandOutcome> {
  const sent = await sendWrite(context, asked);
  if (sent.dryRun) return done(sent.dryRun);
  const {data} = sent.result;
  if (sent.unread) return {data, exitCode: EXIT.PARTIAL};
  if ('show' in asked) return asked.show(sent);
  context.out.record(data, asked.view);
  return done(data);
}

/**
 * Checks a write here, guards it, sends it and compares its answer. It is sent once, or with an idempotency key: after a
 * lost answer it ends in doubt (exit 12), and the hint is the command that shows whether it took effect. A dry run shows
 * the request instead.
 */
export async function sendWrite(context: Context, asked: Write): Promise<Sent> {
  const {operation, params, body, key, facts, noun, id, payment} = asked;
  if (body !== undefined) {
    await validateBody(operation, body, context.profile.service.ids?.format);
    warnOfNumbers(context, body);
  }
  const steps = key && createStepsOf(context, operation, {body});
  if (asked.dryRun) {
    await guardPreview(facts, context.profile);
    const previewed = steps === undefined ? body : steps.previewed(key?.given);
    const input = {params, body: previewed, options: key && {idempotencyKey: key.given}};
    return {dryRun: showPreview(context, context.client.preview(operation, input))};
  }
  const checked = typeof facts === 'function' ? await facts() : facts;
  const bodies = steps?.bodies ?? [body];
  const requests = bodies.map((one) => ({operation, params, body: one}));
  await context.guardWrite(checked, requests, asked.follows ?? steps?.follows);

  const send = (chosen: ChosenKey) => sendRequest(context, asked, {chosen, steps});
  const sent = await (payment === undefined
    ? send(unremembered(undefined, false))
    : (await import('../doubts/memory.ts')).sendPayment(context, payment, key, send));
  const {result} = sent;
  const {effects} = context;
  const wasAnnounced = effects.wrote; // the first of two requests has made the record
  const shown = shownWith(context, asked, result.data);
  tookEffect(context, asked, sent);
  if (id !== undefined && changesStatus(operation)) noteOther(context, noun, id, result.data);
  if (result.status === 207 && asked.reportsWarning !== true) {
    context.out.warn(result.warning ?? 'the service answered 207 without a warning: something was not done');
    context.out.hint(shown);
    effects.tookPartly();
  }
  const record = asked.read === undefined ? result.data : await recordAfter(context, asked, result.data);
  if (record === undefined)
    return {...sent, unread: true, result: {...result, data: unreadRecord(asked, result)}};
  if (asked.read !== undefined) effects.saw(record.status);
  compareAnswer(context, asked, {record, status: result.status, facts: checked, next: shown});
  if (result.replayed && !wasAnnounced && (result.attempts > 1 || !sent.isFreshKey))
    noteReplay(context, noun, {id: String(record.id), attempts: result.attempts});
  return {...sent, unread: false, result: {...result, data: record}};
}

/** Free-text fields of a body, which the service stores unchanged. */
const FREE_TEXT = ['description', 'name', 'label'];

/** Warns of card and account numbers in free text and metadata; only the end of the number is shown. */
function warnOfNumbers({out}: Pick<Context, 'out'>, body: JsonFields): void {
  const metadata = isObject(body['metadata']) ? Object.entries(body['metadata']) : [];
  const texts = [
    ...FREE_TEXT.map((name): [string, Json] => [name, body[name]]),
    ...metadata.map(([key, value]): [string, Json] => [`metadata ${key}`, value]),
  ];
  for (const [name, text] of texts) {
    if (typeof text !== 'string') continue;
    const masked = maskShapes(text);
    if (masked === text) continue;
    const [end] = /…\w{0,4}/.exec(masked) ?? ['…'];
    out.warn(
      `${name} seems to contain a card or account number (${end}); the service stores this text unchanged`,
    );
  }
}

/** A printed command gets a key of its own, or none. */
const WITHOUT_KEY = {without: ['--idempotency-key', '--accept']};

async function sendRequest(
  context: Context,
  asked: Write,
  {chosen, steps}: {chosen: ChosenKey; steps: CreateSteps | undefined},
): Promise<Omit<Written, 'unread'>> {
  const {client, out, commands, stop} = context;
  const {operation, params, body, key, id, payment, announce} = asked;
  const {idempotencyKey, isRepeat, isOwn, earlier, memory} = chosen;
  if (announce !== undefined) out.note(announce);
  if (idempotencyKey !== undefined) out.notice(`Idempotency key: ${idempotencyKey}`); // also with --quiet
  const hint =
    payment !== undefined && idempotencyKey !== undefined
      ? commands.again(payment.typed, {...WITHOUT_KEY, add: ['--idempotency-key', idempotencyKey]})
      : commands.read(...asked.checkedBy);
  const isFreshKey = key !== undefined && key.given === undefined && !isRepeat;
  const options = {
    ...{signal: stop.signal, hint, recordId: id},
    ...(key === undefined ? {} : {idempotencyKey, isFreshKey, mayApproveAtOnce: isOwn, earlier}),
    ...steps?.between(chosen, hint),
  };
  const result = await client.record(operation, {params, body, options}).catch(async (error: unknown) => {
    throw (await asked.explain?.(error)) ?? error;
  });
  if (/\.(create|add)$/.test(operation) && !isUsableId(result.data.id, out.sanitizer))
    throw withoutRecord(operation, result, hint);
  steps?.remember(memory, result);
  return {result, key: chosen, isFreshKey};
}

/** After other errors of a write it did not take effect. */
const OPEN_ENDED: ReadonlySet<string> = new Set(['IN_DOUBT', 'INTERRUPTED', 'TERMINATED', 'BUG']);

/** Whether the write may have taken effect although `write` failed. */
export const mayHaveTakenEffect = (error: unknown): boolean =>
  !(error instanceof RemitError) || OPEN_ENDED.has(error.code);

function tookEffect(context: Context, asked: Write, {result, key}: Omit<Written, 'unread'>): void {
  const {data, replayed} = result;
  const record = asked.id === undefined ? data : recordWithId(data, asked.id);
  context.effects.took({
    ...{noun: asked.noun, done: replayed ? 'existed already' : (asked.done ?? 'was created')},
    ...{id: writtenId(context, asked, data), status: record?.status ?? null},
    ...{idempotencyKey: key.idempotencyKey, next: shownWith(context, asked, data)},
  });
}

/**
 * Shows a deletion. A 202 was only accepted, and a 207, whose warning was printed, was not done in whole: then `deleted` is
 * null, and the command exits with 8.
 */
export const showDeleted =
  ({out, effects, commands}: Context, named: string, asked: Pick<Write, 'id' | 'checkedBy'>, owner = {}) =>
  ({result: {status}}: Written): CommandOutcome => {
    const deleted = status === 202 || status === 207 ? null : true;
    if (deleted) out.text(`Deleted ${named}.`);
    else effects.tookPartly();
    if (status === 202) {
      out.warn(`${named} may still exist: the service answered 202, so it may not have deleted it yet`);
      out.hint(commands.read(...asked.checkedBy));
    }
    return done({id: asked.id, deleted, ...owner});
  };

/** The command that shows the record. */
function shownWith(context: Context, asked: Write, answer: ServiceRecord): string {
  const id = writtenId(context, asked, answer);
  const words = id === null ? asked.checkedBy : (asked.shownBy?.(id) ?? asked.checkedBy);
  return context.commands.read(...words);
}

/** The id of the record that is changed, or that was just created. */
const writtenId = ({out}: Context, asked: Write, {id}: ServiceRecord): string | null =>
  asked.id ?? (isUsableId(id, out.sanitizer) ? id : null);

/**
 * The record left by a write on a known id: from the answer itself, or read again if the answer has none (204, an
 * empty object, another record), or none with a status although the write changes it. Undefined, after a warning, if
 * neither is available.
 */
async function recordAfter(
  {out, commands}: Context,
  {operation, noun, id = '', read, checkedBy}: Write,
  answer: ServiceRecord,
): Promise<ServiceRecord | undefined> {
  const answered = recordWithId(answer, id);
  if (answered !== undefined && !(changesStatus(operation) && answered.status === undefined)) return answered;
  let hint = commands.read(...checkedBy);
  const accepted = 'the service accepted the request without a record, and';
  try {
    const found = read && recordWithId(await read(), id);
    if (found !== undefined) return found;
    out.warn(`${accepted} its answer to a read of ${noun} ${id} has none either`);
  } catch (error) {
    if (!(error instanceof RemitError) || error.code === 'INTERRUPTED' || error.code === 'TERMINATED')
      throw error;
    out.warn(`${accepted} ${noun} ${id} could not be read: ${error.message}`);
    if (error.details?.['assumption'] !== undefined) hint = withDoctor(hint, commands);
  }
  out.hint(hint);
  return undefined;
}

const unreadRecord = ({id, operation}: Write, {status}: RecordResult): ServiceRecord =>
  asRecord({id, ...(changesStatus(operation) ? {status: null} : {}), http_status: status});

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
