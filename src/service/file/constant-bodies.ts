import type {OperationId} from '../../contract/operations/operations.ts';
import {requestFieldsOf} from '../../contract/origin/field-origins.ts';
import {isList, isObject, type Json} from '../../narrow.ts';
import {compile} from '../compiled.ts';
import type {ServiceFile} from '../service-file.ts';
import {isAmountField} from '../units.ts';

/** The creates, by resource, whose records an approval or a cancel acts on. */
const CREATES: Readonly<Record<string, OperationId>> = {
  payins: 'payins.create',
  payouts: 'payouts.create',
  moves: 'moves.create',
  accountTransfers: 'accountTransfers.create',
};

/** `500000`, `9999.00`, `USD 5,000`. */
const AMOUNT_TEXT = /^\D{0,4}\d[\d.,' ]*\D{0,4}$/;

/**
 * The first part of a constant body that may be an amount or a party: a field of the create under either name, or a
 * number. The caps and the confirmation see only those of the record.
 */
export function paymentPartIn(id: OperationId, file: ServiceFile): string | undefined {
  const create = CREATES[id.split('.', 1)[0] ?? ''];
  if (create === undefined) return undefined;
  const renamed = compile(create, file)
    .request.names.flat()
    .filter(({canonical}) => decidesPayment(canonical.join('.')))
    .flatMap(({wire}) => wire);
  return partIn(file.bodies?.[id], new Set([...requestFieldsOf(create).filter(decidesPayment), ...renamed]));
}

const decidesPayment = (field: string): boolean =>
  isAmountField(field) || field.endsWith('_id') || field === 'currency_code';

function partIn(value: Json, fields: ReadonlySet<string>, name = ''): string | undefined {
  if (isList(value)) return firstOf(value.map((one) => partIn(one, fields, name)));
  if (isObject(value))
    return firstOf(
      Object.entries(value).map(([inner, one]) =>
        fields.has(inner) ? `the field ${inner}` : partIn(one, fields, inner),
      ),
    );
  const isAmount = typeof value === 'number' || (typeof value === 'string' && AMOUNT_TEXT.test(value));
  return isAmount ? `the number ${value} in ${name}` : undefined;
}

const firstOf = (found: readonly (string | undefined)[]): string | undefined =>
  found.find((one) => one !== undefined);
