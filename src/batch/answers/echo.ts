import {isSameId} from '../../contract/ids.ts';
import {exactJson} from '../../json/exact.ts';
import {isObject, ownJson, type JsonObject} from '../../narrow.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {REFERENCE_METADATA_KEY} from '../model/identity.ts';
import type {Kind} from '../model/kinds.ts';
import {type CellFormat, type FieldName, ROW_FIELDS} from '../model/row-fields.ts';

/**
 * How a record compares with its row. `other`: it is another payment; `differs`: the same payment, with other
 * details.
 */
export type Echo = 'same' | 'differs' | 'other';

/** A field that answers repeat, except metadata. */
interface EchoedField {
  name: FieldName;
  wire: string;
  isId: boolean;
  isOptional: boolean;
  echo: 'other' | 'differs';
}

const IDS: ReadonlySet<CellFormat> = new Set(['party', 'uuid']);

/**
 * Interface document, "Payin response fields": the currency of a payin in an answer is that of the destination account,
 * while a request may name that of the source account. It says nothing about whose payment the record is.
 */
export const echoesCurrency = (kind: Kind): boolean => kind === 'payout';

const echoedBy = (kind: Kind): EchoedField[] =>
  ROW_FIELDS.flatMap((field) => {
    if (!('echo' in field) || field.cell === 'metadata') return [];
    if (field.name === 'currency' && !echoesCurrency(kind)) return [];
    const {name, wire, cell, sql, echo} = field;
    return [{name, wire: wire[kind], isId: IDS.has(cell), isOptional: sql === 'text', echo}];
  });
const ECHOED: Readonly<Record<Kind, readonly EchoedField[]>> = {
  payout: echoedBy('payout'),
  payin: echoedBy('payin'),
};

/**
 * Compares a record with the row that requested it. The interface document does not say that the service compares
 * bodies, so replaying a changed row may return the old record without an error.
 */
export function compareEcho(record: JsonObject, row: JournalRow, kind: Kind): Echo {
  let echo: Echo = sameMetadata(record['client_metadata'], row) ? 'same' : 'differs';
  for (const field of ECHOED[kind]) {
    const found = valueIn(record, field);
    const wanted = row[field.name];
    if (found === wanted) continue; // almost always
    const one = differenceOf(found, wanted, field);
    if (one === 'other') return 'other';
    if (one === 'differs') echo = 'differs';
  }
  return echo;
}

function differenceOf(found: unknown, wanted: string | number | null, field: EchoedField): Echo {
  if (field.echo === 'differs') return wanted === null ? 'same' : 'differs';
  if (found === undefined) return wanted === null ? 'same' : 'differs'; // nothing to compare: the operator has to check it
  return isSame(found, wanted, field) ? 'same' : 'other';
}

export const valueIn = (record: JsonObject, {name, wire}: Pick<EchoedField, 'name' | 'wire'>): unknown =>
  name === 'amount' ? amountIn(record) : record[wire];

const isSame = (found: unknown, wanted: string | number | null, {isId}: EchoedField): boolean =>
  found === wanted ||
  (isId && typeof found === 'string' && typeof wanted === 'string' && isSameId(found, wanted));

/** The amount in a record, in minor units; a string of digits counts as a number. */
export function amountIn(record: JsonObject): unknown {
  const amount = record['amount_in_minor_units'] ?? record['amount_in_cents'];
  return typeof amount === 'string' && /^\d{1,16}$/.test(amount) && Number.isSafeInteger(Number(amount))
    ? Number(amount)
    : amount;
}

function sameMetadata(echoed: unknown, row: JournalRow): boolean {
  if (!isObject(echoed)) return false;
  if (echoed[REFERENCE_METADATA_KEY] !== row.reference) return false;
  if (row.metadata === null) return true;
  const wanted = metadataOf(row);
  for (const key in wanted) if (echoed[key] !== wanted[key]) return false;
  return true;
}

/** The user's metadata, as written by the plan. */
export const metadataOf = ({metadata}: JournalRow): Record<string, string> =>
  metadata === null ? {} : ownJson<Record<string, string>>(metadata);

/** Fills in the fields that a record fetched by its id omits with the fields of the row. */
export function asFetched(json: JsonObject, row: JournalRow, kind: Kind): JsonObject {
  const fields = ECHOED[kind];
  const expected = Object.fromEntries(fields.map(({name, wire}) => [wire, row[name]]));
  const mayBeNull = fields
    .filter(({isOptional, echo}) => isOptional && echo === 'other')
    .map(({wire}) => wire);
  const named = Object.entries(json).filter(([field, value]) => value !== null || mayBeNull.includes(field));
  return {
    ...expected,
    client_metadata: {...metadataOf(row), [REFERENCE_METADATA_KEY]: row.reference},
    ...Object.fromEntries(named),
    amount_in_minor_units: amountIn(json) ?? row.amount,
  };
}

/**
 * Compares an open record, fetched by its id, with its row. A field that it omits counts as a difference, since a row that
 * is `same` may be released.
 */
export function compareFetched(record: JsonObject, row: JournalRow, kind: Kind): Echo {
  if (compareEcho(asFetched(record, row, kind), row, kind) === 'other') return 'other';
  return compareEcho(record, row, kind) === 'same' ? 'same' : 'differs';
}

/**
 * Why a record, fetched by its id, is not the payment of the row: party, amount, subaccount, currency or reference. Currency
 * and reference do not count if the row `isKnownToDiffer`. Undefined if nothing in the record contradicts it: the interface
 * document promises only a status.
 */
export function otherPaymentIn(
  json: JsonObject,
  row: JournalRow,
  kind: Kind,
  isKnownToDiffer: boolean,
): string | undefined {
  const record = asFetched(json, row, kind);
  const isOtherCurrency = echoesCurrency(kind) && record['currency_code'] !== row.currency;
  const isOther =
    compareEcho(record, row, kind) === 'other' ||
    (!isKnownToDiffer && (isOtherCurrency || isOtherReference(json, row)));
  if (!isOther) return undefined;
  const named = isOtherReference(json, row)
    ? [`reference ${shown(referenceIn(json))} instead of ${row.reference}`]
    : [];
  return [...otherParts(record, row, kind), ...named].join(' and ');
}

/**
 * Whether a record, fetched by its id, shows the payment of the row: it has every field that `otherPaymentIn` compares, and
 * all of them agree.
 */
export function showsPaymentOf(json: JsonObject, row: JournalRow, kind: Kind): boolean {
  if (referenceIn(json) !== row.reference || otherPaymentIn(json, row, kind, false) !== undefined)
    return false;
  return ECHOED[kind].every((field) => {
    if (field.echo !== 'other' && field.name !== 'currency') return true;
    return row[field.name] === null || (valueIn(json, field) ?? null) !== null;
  });
}

const isOtherReference = (json: JsonObject, row: JournalRow): boolean =>
  otherReferenceIn(json, row) !== undefined;

/** The reference in a record, if it is not that of the row. */
export const otherReferenceIn = (json: JsonObject, row: JournalRow): unknown => {
  const found = referenceIn(json) ?? undefined;
  return found === row.reference ? undefined : found;
};

const referenceIn = ({client_metadata: metadata}: JsonObject): unknown =>
  isObject(metadata) ? metadata[REFERENCE_METADATA_KEY] : undefined;

/** The reference in an answer, whatever it is. */
export function referenceShown(json: unknown): string | undefined {
  const found = isObject(json) ? referenceIn(json) : undefined;
  return typeof found === 'string' ? found : undefined;
}

/** The differences that make a record another payment: `amount 100300 instead of 1003 minor units`. */
export const otherParts = (record: JsonObject, row: JournalRow, kind: Kind): string[] =>
  ECHOED[kind].flatMap((field) => {
    const {name, wire, echo} = field;
    if (echo !== 'other' && name !== 'currency') return []; // an amount is compared in its own currency
    const [found, wanted] = [valueIn(record, field), row[name]];
    if (found === undefined || isSame(found, wanted, field)) return [];
    const label = name === 'amount' || name === 'currency' ? name : wire;
    return [
      `${label} ${shown(found)} instead of ${wanted ?? 'none'}${name === 'amount' ? ' minor units' : ''}`,
    ];
  });

/** A value from the service, short enough for a message. */
const shown = (value: unknown): string => {
  const text = typeof value === 'string' ? value : value === undefined ? 'none' : exactJson(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
};
