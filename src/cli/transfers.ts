import type {Waited} from '../client/poll.ts';
import type {Result} from '../client/resource.ts';
import {validateBody} from '../client/validate.ts';
import {LIFECYCLES} from '../contract/lifecycle.ts';
import {EXIT, RemitError, type ExitCode} from '../errors.ts';
import {valueAt} from '../output/select.ts';
import {plainValue, type View} from '../output/view.ts';
import {payinView, payoutView} from '../output/views/transfers.ts';
import type {Amount} from './amounts.ts';
import {checkAnswered} from './answered-record.ts';
import {commandLine} from './command-line.ts';
import type {Context} from './context.ts';
import {DEFAULT_WAIT_MS} from './durations.ts';
import {amountText} from './guard/amount-text.ts';
import {recordFacts} from './guard/record-facts.ts';
import {creationDetails, recordDetails} from './guard/transfer-details.ts';
import {showPreview} from './previews.ts';

/** What payins and payouts have in common; the interface document describes them in parallel. */
export interface Kind {
  resource: 'payins' | 'payouts';
  noun: 'payin' | 'payout';
  partyLabel: 'payer' | 'payee';
  partyField: 'payer_id' | 'payee_id';
  view: View;
}

export const PAYIN: Kind = {
  resource: 'payins',
  noun: 'payin',
  partyLabel: 'payer',
  partyField: 'payer_id',
  view: payinView,
};
export const PAYOUT: Kind = {
  resource: 'payouts',
  noun: 'payout',
  partyLabel: 'payee',
  partyField: 'payee_id',
  view: payoutView,
};

/** How a command ends that did not throw: what it returns for machines, and its exit code. */
export interface Outcome {
  data: unknown;
  exitCode: ExitCode;
}

export interface WaitFlagValues {
  wait?: boolean | undefined;
  until?: string | undefined;
  /** Milliseconds. */
  timeout?: number | undefined;
}

/** The words that started the command, to be repeated in a hint. */
export interface Typed {
  id: string;
  argv: readonly string[];
}

/** Creates a payin or payout: checked here, guarded, its key shown before it leaves, then waited for if asked. */
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
  const {out, client, runtime} = context;
  const {body, amount, wait, typed} = request;
  const operation = `${kind.resource}.create` as const;
  await validateBody(operation, body);
  const idempotencyKey = request.idempotencyKey ?? runtime.uuid();
  const options = {idempotencyKey, signal: context.stop.signal, hint: repeatCommand(typed, idempotencyKey)};
  if (request.dryRun) return done(showPreview(out, client.preview(operation, {body, options})));

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
    `Creating a ${kind.noun} of ${amountText(amount.minor, amount.currency)}, ${kind.partyLabel} ${party}`,
  );
  out.notice(`Idempotency key: ${idempotencyKey}`); // on record before the request leaves, also under --quiet
  const result = await client.call(operation, {body, options});
  checkAnswered(kind.noun, body, result.data, idempotencyKey);
  if (result.replayed)
    out.note(`The service had this key already: this is the ${kind.noun} of an earlier request.`);
  return settle(context, kind, result, {wait, approved: body['auto_approve'] === true});
}

/** Approves or cancels; with a live key or caps the record is read first, so that its amount is seen and checked. */
export async function actOnTransfer(
  context: Context,
  kind: Kind,
  verb: 'approve' | 'cancel',
  request: {id: string; dryRun: boolean | undefined; wait: WaitFlagValues; stated?: Amount | undefined},
): Promise<Outcome> {
  const {out, client} = context;
  const operation = `${kind.resource}.${verb}` as const;
  const options = {signal: context.stop.signal, hint: `remit ${kind.resource} get ${request.id}`};
  const input = {params: {id: request.id}, options};
  if (request.dryRun) return done(showPreview(out, client.preview(operation, input)));

  const facts = await recordFacts(context, {
    ...{verb, noun: kind.noun, id: request.id, stated: request.stated},
    read: () => readTransfer(context, kind, request.id),
    details: (record) => recordDetails(context, kind, verb, record),
  });
  await context.guardWrite(facts);
  const result = await client.call(operation, input);
  return settle(context, kind, result, {wait: request.wait, approved: verb === 'approve'});
}

/** Waits for a record that exists already. */
export async function waitTransfer(
  context: Context,
  kind: Kind,
  request: {id: string; wait: WaitFlagValues},
): Promise<Outcome> {
  const record = await waitFor(context, kind, {...request, initial: undefined});
  context.out.record(record, kind.view);
  return done(record);
}

/** What the answer to a write means: shown, warned about, waited for. */
async function settle(
  context: Context,
  kind: Kind,
  result: Result<unknown>,
  {wait, approved}: {wait: WaitFlagValues; approved: boolean},
): Promise<Outcome> {
  const {out} = context;
  const {data, status} = result;
  const id = plainValue(valueAt(data, 'id'));
  const unapproved = approved && valueAt(data, 'status') === 'created';
  if (status === 207 || unapproved) {
    out.record(data, kind.view);
    out.warn(
      result.warning ??
        (unapproved
          ? `the ${kind.noun} was not approved: it still stands at created`
          : 'the service answered 207'),
    );
    out.hint(`remit ${kind.resource} approve ${id}`);
    return {data, exitCode: EXIT.PARTIAL};
  }
  const waiting = wait.wait || wait.until !== undefined;
  if (!waiting && status === 202) {
    out.record(data, kind.view);
    out.hint(`the service is still at work on it: remit ${kind.resource} wait ${id}`);
    return done(data);
  }
  const record = waiting ? await waitFor(context, kind, {id, wait, initial: data}) : data;
  out.record(record, kind.view);
  if (!waiting) approvalNote(context, kind, {id, until: undefined})(record);
  return done(record);
}

/** @throws RemitError ENDED_BADLY or WAIT_TIMEOUT, with the record as last seen in the details */
async function waitFor(
  context: Context,
  kind: Kind,
  {id, wait, initial}: {id: string; wait: WaitFlagValues; initial: unknown},
): Promise<unknown> {
  const {out, client} = context;
  const timeoutMs = wait.timeout ?? DEFAULT_WAIT_MS;
  const tellOfApproval = approvalNote(context, kind, {id, until: wait.until});
  tellOfApproval(initial);
  const waited = (await client.wait(
    kind.resource,
    {id},
    {
      until: wait.until,
      timeoutMs,
      initial: initial as never, // an answer of the same service; the poller reads its status only
      signal: context.stop.signal,
      onChange: (record) => {
        tellOfApproval(record);
        out.progress(`${kind.noun} ${id}: ${plainValue(valueAt(record, 'status'))}`);
      },
    },
  )) as Waited<unknown>;
  out.endProgress();
  if (waited.outcome === 'reached') return waited.record;
  out.record(waited.record, kind.view);
  const status = valueAt(waited.record, 'status');
  const details = {id, status: status ?? null, polls: waited.polls, record: waited.record ?? null};
  const goal = wait.until ?? LIFECYCLES[kind.noun].good.join(' or ');
  if (waited.outcome === 'ended')
    throw new RemitError(
      'ENDED_BADLY',
      `${kind.noun} ${id} is ${plainValue(status)}${reasonOf(waited.record)}; it will not be ${goal}`,
      {
        details,
        hint: `remit ${kind.resource} get ${id}`,
      },
    );
  throw new RemitError(
    'WAIT_TIMEOUT',
    `${kind.noun} ${id} was not ${goal} within ${timeoutMs / 1000} s: ${lastSeen(status, waited)}`,
    {
      details,
      hint: `remit ${kind.resource} wait ${id}${wait.until === undefined ? '' : ` --until ${wait.until}`}`,
      cause: waited.lastError,
    },
  );
}

/** Tells once that a wait is for somebody's approval: another may give it, so that the wait is no mistake. */
function approvalNote({out}: Context, kind: Kind, {id, until}: {id: string; until: string | undefined}) {
  let told = until === 'created' || until === 'canceled';
  return (record: unknown): void => {
    if (told || valueAt(record, 'status') !== 'created') return;
    told = true;
    out.note(`The ${kind.noun} waits for an approval, and does not move before:`);
    out.hint(`remit ${kind.resource} approve ${id}`);
  };
}

const lastSeen = (status: unknown, waited: Waited<unknown>): string => {
  const trouble = waited.lastError === undefined ? '' : `; the last read failed: ${waited.lastError.message}`;
  return (status === undefined ? 'it was never read' : `it is ${plainValue(status)}`) + trouble;
};

/** Why it failed, where the service says so (assumption 58). */
function reasonOf(record: unknown): string {
  const message =
    valueAt(record, 'transfer_details.failure.message') ?? valueAt(record, 'transfer_details.failure.code');
  return typeof message === 'string' ? ` (${message})` : '';
}

/** As the service answers it, for the guard to judge. */
export async function readTransfer(context: Context, kind: Kind, id: string): Promise<unknown> {
  const options = {signal: context.stop.signal};
  return (await context.client.call(`${kind.resource}.get`, {params: {id}, options})).data;
}

const done = (data: unknown): Outcome => ({data, exitCode: EXIT.OK});

const repeatCommand = ({id, argv}: Typed, key: string): string =>
  commandLine(id, argv, {without: ['--idempotency-key'], add: ['--idempotency-key', key]});
