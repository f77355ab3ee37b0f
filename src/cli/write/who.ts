import {LIFECYCLES, hasSucceeded} from '../../contract/lifecycle.ts';
import {RemitError} from '../../errors.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import type {Detail, WriteDetails} from '../guard/facts.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';
import type {Json} from '../../narrow.ts';

/**
 * Reads for a confirmation are not repeated: a person is waiting for them, and without them the lines say "unknown".
 */
const PATIENCE_MS = 10_000;
/** Maximum number of payment methods that are searched for the one to be used. */
const MOST_METHODS = 200;

type Party = 'payee' | 'payer';

/** `Acme Ltd (0192…)`, with the name from the record or, if missing, from the service. */
export async function partyLine(context: Context, label: Party, id: string, name?: Json): Promise<Detail> {
  const known = asName(name);
  if (known !== undefined) return [label, `${known} (${id})`];
  const read = await tryRead(context, async (options) => {
    const {data} = await context.client.record(`${label}s.get`, {params: {id}, options});
    return asName(data.name);
  });
  if (typeof read === 'string') return [label, `${read} (${id})`];
  return [label, `${id}, name unknown: ${read?.failure ?? 'the service has none'}`];
}

/** The facts in the confirmation of a change to payment methods: the owner and the method. */
export const ownerDetails =
  (context: Context, {label, id}: {label: Party; id: string}, method?: Detail) =>
  async (): Promise<WriteDetails> => ({
    who: [await partyLine(context, label, id), ...(method === undefined ? [] : [method])],
    when: [],
  });

/** The method that a create will use: the one it names, otherwise the default of the party. */
export async function methodLine(
  context: Context,
  label: Party,
  owner: string,
  named: string | undefined,
): Promise<Detail> {
  const read = await tryRead(context, async (options) => {
    const listing = context.client.records(
      `${label}PaymentMethods.list` satisfies OperationId,
      {[`${label}_id`]: owner},
      {limit: MOST_METHODS, pageSize: 100, ...options},
    );
    for await (const method of listing) {
      if (named === undefined ? method.is_default === true : isSameId(method.id, named))
        return methodText(method, named === undefined ? 'default' : undefined);
    }
    return named === undefined
      ? `unknown: the ${label} has no default payment method`
      : `unknown: ${named} is not among the payment methods of the ${label}`;
  });
  return [methodLabel(label), typeof read === 'string' ? read : `unknown: ${read.failure}`];
}

/** The method named in the record of a payin or payout. */
export const recordedMethod = (label: Party, method: ServiceRecord): Detail => [
  methodLabel(label),
  method.last4 === undefined && method.id === undefined
    ? 'unknown: the record has no payment method'
    : methodText(method, undefined),
];

const methodLabel = (label: Party): string => (label === 'payee' ? 'pays to' : 'debits');

/**
 * `bank account …6789, Test Bank, default`. Whatever the service sends as `last4`, only four characters are shown.
 */
function methodText(method: ServiceRecord, role: string | undefined): string {
  const type = asName(method.type)?.replaceAll('_', ' ') ?? 'payment method';
  const last4 = method.last4 === undefined ? undefined : plainValue(method.last4).slice(-4);
  const bank = asName(method.bank_name) ?? asName(method.brand);
  const status = asName(method.verification_status);
  const parts = [
    last4 === undefined ? `${type}, number unknown` : `${type} …${last4}`,
    bank,
    role,
    status === undefined || hasSucceeded(LIFECYCLES.paymentMethod, status)
      ? undefined
      : `verification ${status}`,
  ];
  return parts.filter((part) => part !== undefined).join(', ');
}

/** A read whose failure must not end the command, except by an interruption. */
export async function tryRead<T>(
  context: Context,
  read: (options: {signal: AbortSignal; retries: number; totalMs: number}) => Promise<T>,
): Promise<T | {failure: string}> {
  const {signal} = context.stop;
  try {
    return await read({signal, retries: 0, totalMs: PATIENCE_MS});
  } catch (error) {
    if (signal.aborted || !(error instanceof RemitError)) throw error;
    const {httpStatus: status} = error;
    if (status !== undefined && status < 300) return {failure: 'the service sent an unexpected answer'};
    return {failure: status === undefined ? 'the service did not answer' : `the service answered ${status}`};
  }
}

export function asName(value: Json): string | undefined {
  const text = typeof value === 'string' ? plainValue(value) : '-';
  return text === '-' ? undefined : text.slice(0, 120);
}

const isSameId = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

/**
 * A note for a write on a record that is beyond its first status, which the service may refuse; otherwise undefined.
 */
export function openEffect(
  {status}: ServiceRecord,
  verb: 'approve' | 'cancel',
  noun: string,
): string | undefined {
  if (status === undefined || Object.values(LIFECYCLES).some(({initial}) => initial === status))
    return undefined;
  return `asks to ${verb} a ${noun} that is ${status}; the service decides`;
}
