import type {Result} from '../../client/requests/resource.ts';
import {UNUSABLE_ID} from '../../client/answers/service-error.ts';
import {validateBody} from '../../client/requests/validate.ts';
import {EXIT, RemitError} from '../../errors.ts';
import {valueAt} from '../../output/records/select.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Amount} from '../input/amounts.ts';
import {checkAnswered, recordAfter, recordWithId} from '../write/answered-record.ts';
import type {Typed} from '../runtime/command-line.ts';
import type {Context} from '../core/context.ts';
import {done, type Outcome} from '../core/outcome.ts';
import {amountText} from '../guard/amount-text.ts';
import {recordFacts} from '../write/record-facts.ts';
import {creationDetails, recordDetails, releaseText} from '../write/transfer-details.ts';
import {warnOfNumbers} from '../write/exposed-numbers.ts';
import {showPreview} from '../write/previews.ts';
import {requireIds} from './names.ts';
import {approvalNote, isWaiting, type WaitFlagValues} from '../write/wait-for-record.ts';
import {type Kind, readTransfer} from './transfer-kinds.ts';
import {waitable, waitFor} from './transfer-waits.ts';

/**
 * Creates a payin or payout: checks it here, guards it, shows its key before it is sent, and then waits if requested.
 */
export async function createTransfer(
  context: Context,
  kind: Kind,
  request: {
    body: Readonly<Record<string, unknown>>;
    amount: Amount;
    idempotencyKey: string | undefined;
    dryRun: boolean | undefined;
    wait: WaitFlagValues;
    typed: Typed;
  },
): Promise<Outcome> {
  const {out, client, runtime, commands} = context;
  const {body, amount, wait, typed} = request;
  const operation = `${kind.resource}.create` as const;
  requireIds(context, body, {[kind.partyField]: kind.partyLabel, subaccount_id: 'subaccount'});
  await validateBody(operation, body, context.profile.service.ids?.format);
  warnOfNumbers(context, body);
  const idempotencyKey = request.idempotencyKey ?? runtime.uuid();
  const repeat = commands.again(typed, {
    without: ['--idempotency-key'],
    add: ['--idempotency-key', idempotencyKey],
  });
  const isFreshKey = request.idempotencyKey === undefined;
  const options = {idempotencyKey, isFreshKey, signal: context.stop.signal, hint: repeat};
  if (request.dryRun) return done(showPreview(context, client.preview(operation, {body, options})));

  const party = String(body[kind.partyField]);
  await context.guardWrite({
    operation: `create ${kind.noun}`,
    party: [kind.partyLabel, party],
    amountMinor: amount.minor,
    currency: amount.currency,
    rail: {value: body['rail'] as string | undefined},
    details: () => creationDetails(context, kind, body),
  });
  out.note(
    `Creating a ${kind.noun} of ${amountText(amount.minor, amount.currency)}, ${kind.partyLabel} ${party}${releaseText(body)}`,
  );
  out.notice(`Idempotency key: ${idempotencyKey}`); // recorded before the request is sent, also with --quiet
  const result = await client.call(operation, {body, options}).catch((error: unknown) => {
    throw isUnnamed(error) ? error.withHint(commands.read(kind.resource, 'list', '--limit', '5')) : error;
  });
  return showCreated(context, kind, {result, body, idempotencyKey, isFreshKey, wait});
}

async function showCreated(
  context: Context,
  kind: Kind,
  created: {
    result: Result<unknown>;
    body: Readonly<Record<string, unknown>>;
    idempotencyKey: string;
    isFreshKey: boolean;
    wait: WaitFlagValues;
  },
): Promise<Outcome> {
  const {out, commands, effects} = context;
  const {result, body, idempotencyKey, isFreshKey, wait} = created;
  const autoApprove = body['auto_approve'] === true;
  const {data: record, status} = result;
  const id = plainValue(valueAt(record, 'id'));
  const next = commands.read(kind.resource, 'get', id);
  // Batch rules, "Whose record is it?": with auto_approve, a replay also answers 201.
  const isNew = isFreshKey || (status === 201 && !autoApprove);
  const otherRail = checkAnswered({noun: kind.noun, asked: body, record, idempotencyKey, isNew, next});
  effects.took({
    ...{noun: kind.noun, done: result.replayed ? 'existed already' : 'was created', id, idempotencyKey, next},
    status: statusOf(record),
  });
  if (otherRail !== undefined)
    out.warn(
      `the rail of ${kind.noun} ${id} is ${plainValue(otherRail.answered)}, requested ${plainValue(otherRail.asked)}`,
    );
  if (result.replayed)
    out.note(`The service already has this key: this ${kind.noun} was created by an earlier request.`);
  return finish(context, kind, {result, id, wait, meant: autoApprove ? 'approved' : 'created'});
}

/** Repeating it returns the same record, whose id cannot be typed; the list shows its other fields. */
const isUnnamed = (error: unknown): error is RemitError =>
  error instanceof RemitError && valueAt(error.details, 'answer.what') === UNUSABLE_ID;

/** Approves or cancels. With a live key or caps the record is read first, so that its amount is shown and checked. */
export async function actOnTransfer(
  context: Context,
  kind: Kind,
  verb: 'approve' | 'cancel',
  request: {id: string; dryRun: boolean | undefined; wait: WaitFlagValues; stated?: Amount | undefined},
): Promise<Outcome> {
  const {client, commands, effects} = context;
  const {id, wait} = request;
  const operation = `${kind.resource}.${verb}` as const;
  const next = commands.read(kind.resource, 'get', id);
  const input = {params: {id}, options: {signal: context.stop.signal, hint: next, recordId: id}};
  if (request.dryRun) return done(showPreview(context, client.preview(operation, input)));

  const facts = await recordFacts(context, {
    ...{verb, noun: kind.noun, id: id, stated: request.stated},
    read: () => readTransfer(context, kind, id),
    details: (record) => recordDetails(context, kind, verb, record),
  });
  await context.guardWrite(facts);
  const result = await client.call(operation, input);
  const accepted = verb === 'approve' ? 'was approved' : 'was canceled';
  const answered = recordWithId(result.data, id);
  effects.took({noun: kind.noun, done: accepted, id, status: statusOf(answered), next});
  const record = isWaiting(wait) ? answered : await recordAfterAct(context, kind, {id, answer: result.data});
  if (record === undefined && !isWaiting(wait))
    return {data: {id, status: null, http_status: result.status}, exitCode: EXIT.PARTIAL};
  const read = {...result, data: record};
  return finish(context, kind, {result: read, id, wait, meant: verb === 'approve' ? 'approved' : 'canceled'});
}

async function recordAfterAct(
  context: Context,
  kind: Kind,
  {id, answer}: {id: string; answer: unknown},
): Promise<unknown> {
  const record = await recordAfter(context, {
    noun: kind.noun,
    id,
    answer,
    read: () => readTransfer(context, kind, id),
    next: context.commands.read(kind.resource, 'get', id),
  });
  context.effects.saw(valueAt(record, 'status'));
  return record;
}

/** The intended effect of a write. */
type Meant = 'created' | 'approved' | 'canceled';

/** Handles the answer to a write: shows it, warns about it, and waits if requested. */
async function finish(
  context: Context,
  kind: Kind,
  written: {result: Result<unknown>; id: string; wait: WaitFlagValues; meant: Meant},
): Promise<Outcome> {
  const {out, commands} = context;
  const {id, wait, meant} = written;
  const {data, status, warning} = written.result;
  const unapproved = meant === 'approved' && status !== 202 && valueAt(data, 'status') === 'created';
  if (status === 207 || unapproved) {
    out.record(data, kind.view);
    out.warn(
      warning ??
        (unapproved
          ? `the ${kind.noun} was not approved: its status is still created`
          : 'the service answered 207'),
    );
    out.hint(commands.write(kind.resource, 'approve', id));
    return {data, exitCode: EXIT.PARTIAL};
  }
  if (isWaiting(wait)) {
    const record = await waitFor(context, kind, {id, wait, initial: data});
    out.record(record, kind.view);
    return done(record);
  }
  out.record(data, kind.view);
  const miss = status === 202 ? undefined : missOf(meant, kind, statusOf(data));
  if (miss !== undefined) {
    out.warn(miss);
    out.hint(commands.read(kind.resource, 'get', id));
    return {data, exitCode: EXIT.PARTIAL};
  }
  if (status === 202) {
    out.note(`The service is still processing the ${kind.noun}. Wait for it with:`);
    out.hint(commands.read(kind.resource, 'wait', id));
  } else approvalNote(context, waitable(kind, id), undefined)(data);
  return done(data);
}

/** How the status in the answer differs from the intended one. */
function missOf(meant: Meant, {noun}: Kind, status: string | null): string | undefined {
  if (meant === 'canceled')
    return status !== null && /^cancell?ed$/i.test(status)
      ? undefined
      : `the ${noun} was not canceled: its status is ${status === null ? 'unknown' : plainValue(status)}`;
  return status === 'failed' || status === 'canceled' ? `the ${noun} is ${status}` : undefined;
}

const statusOf = (record: unknown): string | null => {
  const status = valueAt(record, 'status');
  return typeof status === 'string' ? status : null;
};
