import {usualId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {formatMajor} from '../../money/amount.ts';
import {isObject} from '../../narrow.ts';
import {judgeLook} from '../answers/answers.ts';
import {amountIn} from '../answers/echo.ts';
import {REFERENCE_METADATA_KEY} from '../model/identity.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {type Kind, KINDS} from '../model/kinds.ts';

/**
 * Compares the record that an operator names for a row with that row, and returns its progress.
 * @param record as the service answered a GET of `id`
 * @throws RemitError LOCAL_VALIDATION if it belongs to another payment, naming both; CONFLICT if it was never
 *   approved
 */
export function checkDeclared(
  record: Readonly<Record<string, unknown>>,
  {row, id, kind, batchId}: {row: JournalRow; id: string; kind: Kind; batchId: string},
): string {
  const other = differenceOf(record, row, kind);
  if (other !== undefined)
    throw new RemitError(
      'LOCAL_VALIDATION',
      `${kind} ${id} is not the payment of row ${row.reference}: ${other}; nothing was changed`,
      {hint: 'find the record whose metadata contains this reference'},
    );
  const {state, status} = judgeLook({status: 200, json: record}, id);
  if (state === 'accepted' && status !== null) return status;
  throw new RemitError(
    'CONFLICT',
    `${kind} ${id} is ${status === null ? 'without a status' : sanitizer.token(status)}, which is not paid; nothing was changed`,
    {
      hint: (commands) =>
        `check again later, or record the row as not paid: ${commands.read(KINDS[kind].topic, 'batch', 'resolve', batchId, row.reference, '--not-paid')}`,
    },
  );
}

function differenceOf(
  record: Readonly<Record<string, unknown>>,
  row: JournalRow,
  kind: Kind,
): string | undefined {
  const {party} = KINDS[kind];
  const metadata = record['client_metadata'];
  const compared: [string, unknown, string | number][] = [
    [party, usual(record[party]), row.party],
    ['amount', amountIn(record), row.amount],
    ['currency', record['currency_code'], row.currency],
    ['reference', isObject(metadata) ? metadata[REFERENCE_METADATA_KEY] : undefined, row.reference],
  ];
  const found = compared.find(([, its, ours]) => its !== undefined && its !== null && its !== ours);
  if (found === undefined) return undefined;
  const [name, its, ours] = found;
  const words = (value: unknown) =>
    name === 'amount' && typeof value === 'number'
      ? `${formatMajor(BigInt(value), row.currency)} ${row.currency}`
      : sanitizer.words(String(value)); // what JSON can contain, or our own value
  return `its ${name} is ${words(its)}, the row's is ${words(ours)}`;
}

const sanitizer = new Sanitizer();

const usual = (value: unknown): unknown => (typeof value === 'string' ? usualId(value) : value);
