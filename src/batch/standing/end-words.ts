import {counted} from '../../phrases.ts';
import type {Summary} from './summary.ts';

/** What is to be checked: `1 row may be paid twice; 3 records differ from their rows` */
export function checkText({
  differs = 0,
  maybe_paid_twice: twice = 0,
}: Partial<Pick<Summary, 'differs' | 'maybe_paid_twice'>>): string {
  const parts = [
    ...(twice > 0 ? [`${counted(twice, 'row')} may be paid twice`] : []),
    ...(differs > twice ? [differText(differs - twice)] : []),
  ];
  return parts.join('; ');
}

/** `3 records differ from their rows` */
export const differText = (records: number): string =>
  records === 1 ? '1 record differs from its row' : `${records} records differ from their rows`;

/** Rows that are not paid, in number and in words: `246 not approved, 1 rejected` */
function leftRows(summary: Summary): {rows: number; words: string} {
  const {canceled = 0} = summary; // absent from older status files
  const parts: [number, string][] = [
    [summary.in_doubt, 'in doubt'],
    [summary.unapproved, 'not approved'],
    [summary.rejected, 'rejected'],
    [canceled, 'canceled'],
    [summary.conflict - canceled, 'in conflict'],
    [summary.staged, 'not released'],
    [summary.not_sent, 'not sent'],
  ];
  return {
    rows: parts.reduce((sum, [rows]) => sum + rows, 0),
    words: parts
      .filter(([rows]) => rows > 0)
      .map(([rows, words]) => `${rows} ${words}`)
      .join(', '),
  };
}

/** `3 rows are left: 1 not released, 2 in doubt`; undefined if every row is paid or was sent and has failed. */
export function leftText(summary: Summary): string | undefined {
  const {rows, words} = leftRows(summary);
  return rows === 0 ? undefined : `${counted(rows, 'row')} ${rows === 1 ? 'is' : 'are'} left: ${words}`;
}

/** `53 of 300 rows accepted; 246 not approved, 1 rejected` */
export function incompleteText(summary: Summary): string {
  const {planned, accepted, already_paid: elsewhere} = summary;
  const failed = summary.failed === 0 ? '' : `, of which ${summary.failed} failed`; // a part of them
  const paid = elsewhere === 0 ? '' : `, ${elsewhere} paid by another batch`;
  return [
    `${accepted} of ${counted(planned, 'row')} accepted${failed}${paid}`,
    leftRows(summary).words,
    checkText(summary),
  ]
    .filter((part) => part !== '')
    .join('; ');
}

/** `20 records canceled, 3 already released; nothing more will be sent` */
export function canceledText(summary: Summary): string {
  const {canceled = 0, accepted, already_paid: elsewhere, in_doubt: doubts, not_sent: unsent} = summary;
  const {conflict} = summary;
  const parts: [number, string][] = [
    [accepted, 'already released'],
    [elsewhere, 'paid by another batch'],
    [doubts, 'in doubt'],
    [conflict - canceled, 'in conflict'],
    [unsent, 'not sent'],
  ];
  const rest = parts.filter(([rows]) => rows > 0).map(([rows, words]) => `${rows} ${words}`);
  const records = canceled > 0 || rest.length === 0 ? [`${counted(canceled, 'record')} canceled`] : [];
  const again =
    canceled + unsent > 0 ? '. To pay the canceled rows after all, run the file with another --batch-id' : '';
  return `${[...records, ...rest].join(', ')}; nothing more will be sent${again}`;
}
