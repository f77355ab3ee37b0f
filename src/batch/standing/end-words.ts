import {counted} from '../../phrases.ts';
import type {Summary} from './summary.ts';

/** `3 records differ from their rows` */
export const differText = (records: number): string =>
  records === 1 ? '1 record differs from its row' : `${records} records differ from their rows`;

/** `53 of 300 rows accepted; 246 not approved, 1 rejected` */
export function incompleteText(summary: Summary): string {
  const {planned, accepted, already_paid: elsewhere, canceled = 0} = summary; // canceled: absent from older status files
  const parts: [number, string][] = [
    [summary.in_doubt, 'in doubt'],
    [summary.unapproved, 'not approved'],
    [summary.rejected, 'rejected'],
    [canceled, 'canceled'],
    [summary.conflict - canceled, 'in conflict'],
    [summary.staged, 'not released'],
    [summary.not_sent, 'not sent'],
  ];
  const differ = summary.differs > 0 ? `; ${differText(summary.differs)}` : '';
  const rest = parts.filter(([rows]) => rows > 0).map(([rows, words]) => `${rows} ${words}`);
  const failed = summary.failed === 0 ? '' : `, of which ${summary.failed} failed`; // a part of them
  const paid = elsewhere === 0 ? '' : `, ${elsewhere} paid by another batch`;
  return `${accepted} of ${counted(planned, 'row')} accepted${failed}${paid}${rest.length === 0 ? '' : `; ${rest.join(', ')}`}${differ}`;
}

/** `20 records canceled, 3 already released; nothing more will be sent` */
export function canceledText(summary: Summary): string {
  const {canceled = 0, accepted, in_doubt: doubts, not_sent: unsent} = summary;
  const parts: [number, string][] = [
    [accepted, 'already released'],
    [doubts, 'in doubt'],
    [unsent, 'never sent'],
  ];
  const rest = parts.filter(([rows]) => rows > 0).map(([rows, words]) => `, ${rows} ${words}`);
  const again =
    canceled + unsent > 0 ? '. To pay the canceled rows after all, run the file with another --batch-id' : '';
  return `${counted(canceled, 'record')} canceled${rest.join('')}; nothing more will be sent${again}`;
}
