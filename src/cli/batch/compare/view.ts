import {counted} from '../../../phrases.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import type {RowDifference, Differences, ComparedPayment} from '../../../batch/plan/compare.ts';
import {MAYBE_RETURNED, returnedText} from '../../../batch/report/returned.ts';
import {groupMajor} from '../../../money/amount.ts';
import {totalsText} from '../plan/view.ts';
import type {Compared} from './action.ts';

export const isEqual = ({found: {notPaid, notInFile, differ}}: Compared): boolean =>
  notPaid.part.rows + notInFile.part.rows + differ.part.rows === 0;

/** The result of `diff` for machines. */
export function comparisonResult(compared: Compared) {
  const {file, batch, found, returned} = compared;
  const listed = ({part, listed: rows}: Differences) => ({
    rows: part.rows,
    totals: part.totals.toMajor(),
    listed: rows.map((row) => {
      const back = returned.get(row.reference);
      return back === undefined
        ? row
        : {
            ...row,
            returned_on: back.day,
            return_code: back.code ?? null,
            paid_again_by: back.paidAgainBy ?? null,
          };
    }),
  });
  return {
    equal: isEqual(compared),
    file: file.file.path,
    file_sha256: file.file.sha256,
    sheet: file.sheet ?? null,
    batch_id: batch.batchId,
    rows: found.rows,
    left_out: file.invalidRows,
    not_paid: listed(found.notPaid),
    not_in_file: listed(found.notInFile),
    differ: listed(found.differ),
  };
}

/** Rows that are listed of each kind. */
const SHOWN = 10;

/** The result of `diff` for people. */
export function comparisonText(compared: Compared): string {
  const {file, batch, found, returned} = compared;
  const {rows, notPaid, notInFile, differ} = found;
  const lineName = file.sheet === undefined ? 'line' : 'row';
  const party = KINDS[batch.kind].party;
  return [
    `${file.file.name} (${counted(rows.file, 'row')}) and batch ${batch.batchId} (${rows.paid} paid)${isEqual(compared) ? ' are equal' : ''}`,
    `  Same         ${counted(rows.same, 'row')}`,
    ...kindOf('Not paid', notPaid, ({state, file: wanted, reference}) => {
      const back = returned.get(reference);
      const words =
        state === null
          ? 'not in the batch'
          : state === MAYBE_RETURNED.state
            ? MAYBE_RETURNED.text
            : state.replace('_', ' ');
      return [moneyOf(wanted), back === undefined ? words : returnedText(back)].join(', ');
    }),
    ...kindOf('Not in file', notInFile, ({paid, id}) =>
      [moneyOf(paid), ...(id === null ? [] : [id])].join(', '),
    ),
    ...kindOf('Differs', differ, (row) => fieldsText(row, party)),
    ...(file.invalidRows > 0
      ? [`  Left out     ${counted(file.invalidRows, 'row')} of the file with errors`]
      : []),
  ].join('\n');

  function kindOf(
    label: string,
    {part, listed}: Differences,
    describe: (row: RowDifference) => string,
  ): string[] {
    if (part.rows === 0) return [];
    const shown = listed.slice(0, SHOWN).map((row) => {
      const place = row.line === null ? '' : `, ${lineName} ${row.line}`;
      return `               ${row.reference}${place}: ${describe(row)}`;
    });
    const more = part.rows - shown.length;
    return [
      `  ${label.padEnd(13)}${counted(part.rows, 'row')}, ${totalsText({totals: part.totals.toMajor()})}`,
      ...shown,
      ...(more > 0 ? [`               and ${more} more; -o json lists them`] : []),
    ];
  }
}

const moneyOf = (payment: ComparedPayment | null): string =>
  payment === null ? '' : `${groupMajor(payment.amount)} ${payment.currency}`;

function fieldsText({fields, file, paid}: RowDifference, party: string): string {
  if (fields.length === 1 && fields[0] === 'record')
    return 'its record at the service differs from the row; status shows it';
  const who = fields.includes(party) ? ` to ${file?.party ?? ''}` : '';
  const whom = fields.includes(party) ? ` to ${paid?.party ?? ''}` : '';
  return `${moneyOf(file)}${who} in the file, ${moneyOf(paid)}${whom} paid`;
}
