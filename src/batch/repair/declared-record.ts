import {usualId} from '../../contract/ids.ts';
import {type Hint, RemitError} from '../../errors.ts';
import {majorIn} from '../../money/amount.ts';
import {isObject, type JsonObject} from '../../narrow.ts';
import {judgeLook} from '../answers/answers.ts';
import {amountIn, echoesCurrency} from '../answers/echo.ts';
import {REFERENCE_METADATA_KEY} from '../model/identity.ts';
import {mayBeReplaced} from './replaced.ts';
import {Sanitizer} from '../../sanitize/sanitizer.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {type Kind, KINDS} from '../model/kinds.ts';

/**
 * Compares the record that an operator names for a row with that row, and returns its progress.
 * @param record as the service answered a GET of `id`
 * @param unseen the command that records the row without reading the record
 * @throws RemitError LOCAL_VALIDATION if it belongs to another payment, naming both; CONFLICT if it was never
 *   approved; UNAVAILABLE if it shows no status that we know
 */
export function checkDeclared(
  record: JsonObject,
  {
    row,
    id,
    kind,
    batchId,
    unseen,
  }: {row: JournalRow; id: string; kind: Kind; batchId: string; unseen: string},
): string {
  const other = differenceOf(record, row, kind);
  if (other !== undefined)
    throw new RemitError(
      'LOCAL_VALIDATION',
      `${kind} ${id} is not the payment of row ${row.reference}: ${other}; nothing was changed`,
      {hint: toFindRecord(row, kind)},
    );
  const {state, status} = judgeLook({status: 200, json: record}, id);
  const isEnded = mayBeReplaced(row) && status === 'failed'; // the row itself may still be paid
  if (state === 'accepted' && status !== null && !isEnded) return status;
  if (state === 'unknown')
    throw new RemitError(
      'UNAVAILABLE',
      `${kind} ${id} was read, but ${status === null ? 'the answer has no status' : `its status ${sanitizer.token(status)} is unknown`}; nothing was changed`,
      {hint: `to record it without checking the record: ${unseen}`},
    );
  throw new RemitError(
    'CONFLICT',
    `${kind} ${id} is ${sanitizer.token(String(status))}, which is not paid; nothing was changed`,
    {
      hint: (commands) => {
        const verb = [KINDS[kind].topic, 'batch'];
        return mayBeReplaced(row)
          ? `to see what is left to do: ${commands.read(...verb, 'status', batchId)}`
          : `check again later, or record the row as not paid: ${commands.read(...verb, 'resolve', batchId, row.reference, '--not-paid')}`;
      },
    },
  );
}

/**
 * The service cannot search by reference, so the command searches the records of the party. It also shows records that
 * are listed without metadata, because one of them may be the record.
 */
export const toFindRecord =
  ({party, reference}: Pick<JournalRow, 'party' | 'reference'>, kind: Kind): Hint =>
  (commands) => {
    // References with characters that a query must escape get no query.
    const query = /['\\`]/.test(reference)
      ? ['--fields', 'id,status,client_metadata']
      : [
          '--query',
          `[?client_metadata==null || client_metadata.${REFERENCE_METADATA_KEY}=='${reference}'].{id:id,metadata:client_metadata}`,
        ];
    const of = kind === 'payout' ? '--payee' : '--payer';
    return `find the record whose metadata contains this reference: ${commands.read(KINDS[kind].topic, 'list', of, party, '--all', ...query)}`;
  };

type ComparedField = [name: string, its: unknown, ours: string | number];

/** How a record differs from its row: `its amount is 10.00 USD, the row's is 20.00 USD`. */
export function differenceOf(record: JsonObject, row: JournalRow, kind: Kind): string | undefined {
  const {party} = KINDS[kind];
  const metadata = record['client_metadata'];
  // The record of a corrected row has other content, and the same reference.
  const content: ComparedField[] = [
    [party, usual(record[party]), row.party],
    ['amount', amountIn(record), row.amount],
    ['currency', echoesCurrency(kind) ? record['currency_code'] : undefined, row.currency],
  ];
  const compared: ComparedField[] = [
    ...(mayBeReplaced(row) ? [] : content),
    ['reference', isObject(metadata) ? metadata[REFERENCE_METADATA_KEY] : undefined, row.reference],
  ];
  const found = compared.find(([, its, ours]) => its !== undefined && its !== null && its !== ours);
  if (found === undefined) return undefined;
  const [name, its, ours] = found;
  const words = (value: unknown) =>
    name === 'amount'
      ? `${majorIn(value, row.currency) ?? `${String(value)} minor units of`} ${row.currency}`
      : sanitizer.words(String(value)); // what JSON can contain, or our own value
  return `its ${name} is ${words(its)}, the row's is ${words(ours)}`;
}

const sanitizer = new Sanitizer();

const usual = (value: unknown): unknown => (typeof value === 'string' ? usualId(value) : value);
