import {UNUSABLE_ID} from '../../client/answers/service-error.ts';
import {isId} from '../../contract/ids.ts';
import {LIFECYCLES, isBadEnd, hasSucceeded, wasCanceled} from '../../contract/lifecycle.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import {type JsonFields, stringOf} from '../../narrow.ts';
import {selectedValue} from '../../output/records/select.ts';
import {capital} from '../../phrases.ts';
import type {Context} from '../core/context.ts';
import {withNamedParty} from '../core/missing-route.ts';
import {canAsk} from '../runtime/prompts.ts';
import {tryRead} from './who.ts';

/** An approval or cancel of one record. */
interface Act {
  verb: 'approve' | 'cancel';
  noun: 'payin' | 'payout';
  resource: 'payins' | 'payouts';
  id: string;
}

/** The refusal matters more than its reason. */
const PATIENCE_MS = 5000;

/**
 * The same refusal, which also says that the record already has the intended status: a service refuses a repetition
 * like any other wrong state. Reads the record once.
 */
export async function orAlreadyDone(
  {client, commands, stop}: Pick<Context, 'client' | 'commands' | 'stop'>,
  {verb, noun, resource, id}: Act,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof RemitError) || ![400, 409, 422].includes(error.httpStatus ?? 0)) return error;
  if (error.code === 'IN_DOUBT') return error;
  const options = {signal: stop.signal, retries: 0, totalMs: PATIENCE_MS};
  const read = await client.record(`${resource}.get`, {params: {id}, options}).catch(() => undefined);
  const status = read?.data.status;
  const lifecycle = LIFECYCLES[noun];
  const isDone =
    verb === 'cancel'
      ? wasCanceled(status)
      : status !== undefined &&
        Object.hasOwn(lifecycle.next, status) &&
        status !== lifecycle.initial &&
        !isBadEnd(lifecycle, status);
  if (!isDone) return error;
  const state = verb === 'cancel' ? 'canceled' : `approved (status: ${status})`;
  return error.reworded(
    `${error.message}. ${capital(noun)} ${id} is already ${state}. Nothing was changed now`,
    commands.read(resource, 'get', id),
  );
}

interface CreateNames {
  readonly resource: 'payins' | 'payouts';
  readonly partyLabel: 'payer' | 'payee';
  readonly partyField: 'payer_id' | 'payee_id';
}

/** Names the list of a record whose id cannot be typed, a party that is missing, or the payment method that it lacks. */
export async function explainCreate(
  context: Context,
  {resource, partyLabel, partyField}: CreateNames,
  body: JsonFields,
  error: unknown,
): Promise<unknown> {
  if (!(error instanceof RemitError)) return error;
  const party = stringOf(body[partyField]);
  // Repeating it returns the same record, whose id cannot be typed; the list shows its other fields.
  if (selectedValue(error.details, 'answer.what') === UNUSABLE_ID)
    return error.withHint(context.commands.read(resource, 'list', '--limit', '5'));
  const namesMethod = METHODS.some((field) => body[field] !== undefined);
  if (error.httpStatus === 404)
    return withNamedParty(error, context, {
      ...{operation: `${resource}.create`, noun: partyLabel, id: party},
      isOnlyRecord: !namesMethod && body['subaccount_id'] === undefined,
    });
  if (error.code === 'IN_DOUBT' || error.httpStatus !== 422 || namesMethod) return error;
  const fix = await methodFix(context, partyLabel, party);
  return fix === undefined ? error : error.withHint(fix);
}

const METHODS = ['payment_method_id', 'override_default_payment_method_id'];

/** More payment methods than this are not read for a hint. */
const MOST_METHODS = 100;

/**
 * After a 422 on a create that uses the default payment method: the command that gives the party one, if it has none.
 * @returns undefined if it has a default, or if its payment methods could not be read
 */
async function methodFix(
  context: Context,
  label: 'payee' | 'payer',
  owner: string,
): Promise<string | undefined> {
  const {commands, client, runtime, stop} = context;
  if (stop.signal.aborted) return undefined;
  const methods = await tryRead(context, (options) =>
    client
      .records(
        `${label}PaymentMethods.list` satisfies OperationId,
        {[`${label}_id`]: owner},
        {limit: MOST_METHODS, pageSize: MOST_METHODS, ...options},
      )
      .toArray(),
  ).catch(() => undefined); // what the command itself failed with is reported
  if (!Array.isArray(methods)) return undefined;
  if (methods.length === 0) return commands.write('payment-methods', 'add', `--${label}`, owner);
  if (methods.length === MOST_METHODS || methods.some((one) => one.is_default !== false)) return undefined;
  const usable = methods.filter((one) => hasSucceeded(LIFECYCLES.paymentMethod, one.verification_status));
  const id = usable[0]?.id;
  const setDefault = (...words: string[]) =>
    commands.write('payment-methods', 'set-default', ...words, `--${label}`, owner);
  if (usable.length === 1 && id !== undefined && isId(id, 'any')) return setDefault(id);
  return usable.length > 1 && canAsk(runtime) ? setDefault() : undefined; // it asks which one
}
