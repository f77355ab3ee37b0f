import type {Summary} from './summary.ts';

/** `53 of 300 rows accepted; 246 not approved, 1 rejected` */
export function incompleteText(summary: Summary): string {
  const {planned, accepted, already_paid: elsewhere, canceled = 0} = summary; // canceled: absent from older status files
  const parts: [number, string][] = [
    [summary.failed, 'failed'],
    [summary.in_doubt, 'in doubt'],
    [summary.unapproved, 'not approved'],
    [summary.rejected, 'rejected'],
    [canceled, 'canceled'],
    [summary.conflict - canceled, 'in conflict'],
    [summary.staged, 'not released'],
    [summary.not_sent, 'not sent'],
  ];
  const rest = parts.filter(([rows]) => rows > 0).map(([rows, words]) => `${rows} ${words}`);
  const paid = elsewhere === 0 ? '' : `, ${elsewhere} paid by another batch`;
  return `${accepted} of ${planned} ${planned === 1 ? 'row' : 'rows'} accepted${paid}; ${rest.join(', ')}`;
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
  return `${canceled} ${canceled === 1 ? 'record' : 'records'} canceled${rest.join('')}; nothing more will be sent`;
}
