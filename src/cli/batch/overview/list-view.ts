import {groupMajor} from '../../../money/amount.ts';
import {plainValue, text, time, type View} from '../../../output/records/view.ts';
import type {Json} from '../../../narrow.ts';

/** Amounts formatted for people; machine formats are not grouped. */
const grouped = (value: Json): string => plainValue(value).replace(/\d+(?:\.\d+)?/g, groupMajor);

export const batchView: View = {
  noun: 'batch',
  plural: 'batches',
  card: [],
  columns: [
    text('Batch', 'batch_id'),
    text('State', 'state'),
    text('Mode', 'mode', 2),
    text('Accepted', 'accepted'),
    text('Planned', 'planned'),
    text('Left out', 'left_out', 2),
    {...text('Total', 'total', 1), show: grouped},
    text('Needs attention', 'needs_attention'),
    time('Updated', 'updated_at', 3),
  ],
};
