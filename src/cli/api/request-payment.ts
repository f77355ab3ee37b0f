import {isId, isUuid} from '../../contract/ids.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {minorUnitsIn} from '../../money/amount.ts';
import type {JsonFields, Json} from '../../narrow.ts';
import type {PaymentKind} from '../../doubts/open-payment.ts';
import type {Payment} from '../doubts/payment.ts';
import {moneyKindOf} from '../resources/money/kinds.ts';
import type {Typed} from '../line/command-line.ts';
import {paramsAt, paymentBody, type ReadRequest} from '../../service/read-request.ts';

/** What an operation makes, and the fields of the two ends; undefined if it makes no payment. */
function paymentBy(
  operation: OperationId | undefined,
): {kind: PaymentKind; partyField: string; sourceField?: string} | undefined {
  if (operation === 'treasury.simulateInboundCredit')
    return {kind: 'bank transaction', partyField: 'account_id'};
  const kind = moneyKindOf(operation);
  return operation?.endsWith('.create') && kind ? {kind: kind.noun, ...kind.creates} : undefined;
}

/** Whether an operation makes a payment and answers with its record; without one it would be lost. */
export const makesRecord = (operation: OperationId | undefined): boolean =>
  operation?.endsWith('.create') === true && moneyKindOf(operation) !== undefined;

/** The payment that a typed request would make; undefined if it makes none. What cannot be read may be any. */
export function paymentOf(
  {operation, path, body: given}: ReadRequest,
  typed: {accepts: readonly string[]; typed: Typed},
): Payment | undefined {
  const known = paymentBy(operation);
  if (operation === undefined || known === undefined) return undefined;
  const body = paymentBody({path, body: given});
  const fields = {...body, ...paramsAt(operation, path)};
  const {kind, partyField: to, sourceField: from} = known;
  const [party, source] = [idIn(fields[to]), from === undefined ? null : idIn(fields[from])];
  const currency = fields['currency_code'];
  return {
    ...{kind, party, source, body, amountMinor: amountIn(body)},
    currency: typeof currency === 'string' ? currency : null,
    parties:
      from === undefined ? `${to.slice(0, -3)} ${shown(party)}` : `from ${shown(source)} to ${shown(party)}`,
    ...typed,
  };
}

const shown = (id: string | null): string => id ?? '(unreadable)';

/** 32 hexadecimal digits, as in `urn:uuid:…`, in braces, or without hyphens: services may read all of them as a UUID. */
const HEX = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** An id as the service may read it; null for what is no id, which may be any. */
function idIn(value: Json): string | null {
  if (typeof value !== 'string') return null;
  const text = value.trim();
  const digits = text
    .toLowerCase()
    .replace(/^urn:uuid:/, '')
    .replaceAll(/[-{}()]/g, '');
  const uuid = digits.replace(HEX, '$1-$2-$3-$4-$5');
  return isUuid(uuid) ? uuid : isId(text, 'any') ? text : null;
}

/** Null if it cannot be read, or if the two fields of the amount differ. */
function amountIn(body: JsonFields): bigint | null {
  const stated = [body['amount_in_minor_units'], body['amount_in_cents']].filter(
    (one) => (one ?? null) !== null,
  );
  const [first, ...others] = stated.map(minorUnitsIn);
  return first !== undefined && others.every((other) => other === first) ? first : null;
}
