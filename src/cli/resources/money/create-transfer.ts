import type {Result} from '../../../client/requests/resource.ts';
import {UNUSABLE_ID} from '../../../client/answers/service-error.ts';
import {asksForApproval} from '../../../client/requests/approval.ts';
import {refuseForLive} from '../../guard/test-only.ts';
import {validateBody} from '../../../client/requests/validate.ts';
import {EXIT, RemitError} from '../../../errors.ts';
import {selectedValue} from '../../../output/records/select.ts';
import {plainValue} from '../../../output/records/view.ts';
import type {Amount} from '../../input/amounts.ts';
import type {ChosenKey} from '../../doubts/memory.ts';
import type {EntryMemory} from '../../doubts/payment.ts';
import type {Typed} from '../../line/command-line.ts';
import type {Context} from '../../core/context.ts';
import {withNamedParty} from '../../core/missing-route.ts';
import {done, type CommandOutcome} from '../../core/outcome.ts';
import {guardedAmountText} from '../../guard/amount-text.ts';
import type {WriteFacts} from '../../guard/facts.ts';
import {guardPreview} from '../../guard/guard.ts';
import {isStillWaiting, type WaitFlagValues} from '../../wait/flags.ts';
import {
  betweenSteps,
  FIRST_OF_TWO,
  mayFollow,
  noteReplay,
  rememberUnclear,
} from '../../write/create-steps.ts';
import {noteCreated} from '../../write/created-record.ts';
import {creationDetails, releaseText} from '../../write/transfer-details.ts';
import {warnOfNumbers} from '../../write/exposed-numbers.ts';
import {methodFix} from '../../write/method-fix.ts';
import {showPreview} from '../../write/previews.ts';
import {concludeWrite} from './conclude-write.ts';
import type {PayinOrPayout} from './money-kind.ts';
import {requireIds} from '../names.ts';
import {type JsonFields, stringOf} from '../../../narrow.ts';
import type {ServiceRecord} from '../../../client/answers/record.ts';

/**
 * Creates a payin or payout: checks it here, guards it, shows its key before it is sent, and then waits if requested.
 */
export async function createTransfer(
  context: Context,
  kind: PayinOrPayout,
  request: {
    body: JsonFields;
    amount: Amount;
    idempotencyKey: string | undefined;
    dryRun: boolean | undefined;
    accepts: readonly string[];
    wait: WaitFlagValues;
    typed: Typed;
  },
): Promise<CommandOutcome> {
  const {out, client, commands} = context;
  const {body, amount, wait, typed} = request;
  const operation = `${kind.resource}.create` as const;
  requireIds(context, body, {[kind.partyField]: kind.partyLabel, subaccount_id: 'subaccount'});
  if (typeof body['subaccount_id'] === 'string') refuseForLive(context, '--subaccount');
  await validateBody(operation, body, context.profile.service.ids?.format);
  warnOfNumbers(context, body);
  const isStepped = request.idempotencyKey !== undefined && asksForApproval(body);
  const party = stringOf(body[kind.partyField]);
  const facts: WriteFacts = {
    operation: `create a ${kind.noun}`,
    party: [kind.partyLabel, party],
    amountMinor: amount.minor,
    currency: amount.currency,
    rail: {value: typeof body['rail'] === 'string' ? body['rail'] : undefined},
    details: () => creationDetails(context, kind, body),
  };
  if (request.dryRun) {
    await guardPreview(facts, context.profile);
    if (isStepped) out.note(FIRST_OF_TWO);
    const options = {idempotencyKey: request.idempotencyKey};
    const first = isStepped ? context.codec.withoutApproval(operation, body, false) : body;
    return done(showPreview(context, client.preview(operation, {body: first, options})));
  }
  await context.guardWrite(
    facts,
    asksForApproval(body)
      ? [
          {operation, body},
          {operation, body: context.codec.withoutApproval(operation, body, false)},
        ]
      : [{operation, body}],
    mayFollow(context.profile, kind.resource, body),
  );
  const {noun, resource} = kind;
  const send = async ({idempotencyKey, isRepeat, isOwn, earlier, memory}: ChosenKey) => {
    out.note(
      `Creating a ${noun} of ${guardedAmountText(amount.minor, amount.currency)}, ${kind.partyLabel} ${party}${releaseText(body)}`,
    );
    out.notice(`Idempotency key: ${idempotencyKey}`); // shown before the request is sent, also with --quiet
    const hint = commands.again(typed, {...WITHOUT_KEY, add: ['--idempotency-key', idempotencyKey]});
    const isFreshKey = request.idempotencyKey === undefined && !isRepeat;
    const options = {
      ...{idempotencyKey, isFreshKey, mayApproveAtOnce: isOwn, signal: context.stop.signal, hint},
      ...{earlier, ...betweenSteps(context, {noun, resource, idempotencyKey, repeat: hint, memory})},
    };
    const result = await client.record(operation, {body, options}).catch(async (error: unknown) => {
      if (isUnnamed(error)) throw error.withHint(commands.read(kind.resource, 'list', '--limit', '5'));
      if (error instanceof RemitError && error.httpStatus === 404)
        throw await withNamedParty(error, context, {
          ...{operation, noun: kind.partyLabel, id: party},
          isOnlyRecord: OTHER_RECORDS.every((field) => body[field] === undefined),
        });
      if (!mayLackMethod(error, body)) throw error;
      const fix = await methodFix(context, kind.partyLabel, party);
      throw fix === undefined ? error : error.withHint(fix);
    });
    rememberUnclear(memory, {body, noun, result});
    return {result, idempotencyKey, isFreshKey, memory};
  };
  const {sendWithKey} = await import('../../doubts/memory.ts');
  const payment = {
    ...{kind: noun, body, party, source: null, parties: `${kind.partyLabel} ${party}`},
    ...{amountMinor: amount.minor, currency: amount.currency ?? null},
    ...{accepts: request.accepts, typed},
  };
  const created = await sendWithKey(context, payment, request.idempotencyKey, send);
  return showCreated(context, kind, {...created, body, wait});
}

async function showCreated(
  context: Context,
  kind: PayinOrPayout,
  created: {
    result: Result<ServiceRecord>;
    body: JsonFields;
    idempotencyKey: string;
    isFreshKey: boolean;
    memory: EntryMemory;
    wait: WaitFlagValues;
  },
): Promise<CommandOutcome> {
  const {out, commands, effects} = context;
  const {result, body, idempotencyKey, isFreshKey, wait} = created;
  const autoApprove = asksForApproval(body);
  const {data: record, status} = result;
  const id = plainValue(record.id);
  const next = commands.read(kind.resource, 'get', id);
  const isStepped = effects.wrote; // then the record was announced before it was released
  // Batch rules, "Whose record is it?": with auto_approve, a replay also answers 201.
  const isNew = isFreshKey || (status === 201 && !autoApprove);
  effects.took({
    ...{noun: kind.noun, done: result.replayed ? 'existed already' : 'was created', id, idempotencyKey, next},
    status: record.status ?? null,
  });
  noteCreated(context, {noun: kind.noun, resource: kind.resource, asked: body, record, next});
  if (result.replayed && !isStepped && (result.attempts > 1 || !isFreshKey))
    noteReplay(out, kind.noun, {id, attempts: result.attempts});
  const meant = autoApprove ? 'approved' : 'created';
  const outcome = await concludeWrite(context, kind, {result, id, wait, meant, isNew});
  if (isStillWaiting(wait) && (outcome.exitCode ?? EXIT.OK) === EXIT.OK) created.memory.ended();
  return outcome;
}

/** Fields of a create that name records besides its party. */
const OTHER_RECORDS = ['payment_method_id', 'override_default_payment_method_id', 'subaccount_id'];

/** A printed command gets a key of its own, or none. */
const WITHOUT_KEY = {without: ['--idempotency-key', '--accept']};

/** Repeating it returns the same record, whose id cannot be typed; the list shows its other fields. */
const isUnnamed = (error: unknown): error is RemitError =>
  error instanceof RemitError && selectedValue(error.details, 'answer.what') === UNUSABLE_ID;

/** Whether the create may have been refused because the party has no default payment method. */
const mayLackMethod = (error: unknown, body: JsonFields): error is RemitError =>
  error instanceof RemitError &&
  error.code !== 'IN_DOUBT' &&
  error.httpStatus === 422 &&
  body['payment_method_id'] === undefined &&
  body['override_default_payment_method_id'] === undefined;
