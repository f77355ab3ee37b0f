import type {Field} from './view.ts';
import type {Json} from '../../narrow.ts';

const FULL = '█';
const EIGHTHS = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];

/** A bar of `share` (0 to 1) of `cells`; a share above zero is always visible. */
export function barText(share: number, cells: number, {utf8}: {utf8: boolean}): string {
  const length = Math.max(0, Math.min(1, share)) * cells;
  if (!utf8) return '#'.repeat(length > 0 ? Math.max(1, Math.round(length)) : 0);
  const eighths = length > 0 ? Math.max(1, Math.round(length * 8)) : 0;
  return FULL.repeat(Math.floor(eighths / 8)) + (EIGHTHS[eighths % 8] ?? '');
}

const CELLS = 24;

/** A column of bars for a terminal: which share of the largest value each record has. */
export function bars(shareOf: (record: Json) => number, utf8: boolean): Field {
  return {
    label: '',
    path: 'share',
    rank: 1,
    show: (_value, record, eye) => barText(shareOf(record), eye.columns >= 100 ? CELLS : CELLS / 2, {utf8}),
  };
}
