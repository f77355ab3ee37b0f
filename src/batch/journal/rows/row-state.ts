import {NOT_COMPARED_CODE, type RowState} from '../../model/outcome.ts';

/** States of rows that a phase processes; `new` has no outcome yet. */
export type Taken = 'new' | 'not_sent' | 'in_doubt' | 'staged' | 'held' | 'unapproved';

/** SQL: the outcome `o` is not that of a held row which no release sends. */
export const IS_COMPARED = `not (o.state = 'held' and o.code is '${NOT_COMPARED_CODE}')`;

/** The last row of all windows that include a state. The subquery is uncorrelated, so it is computed once. */
const topOf = (state: Taken) =>
  `(select coalesce(max(w.last), 0) from windows w where instr(w.takes, ',${state},') > 0)`;
/**
 * Whether a window that includes the row's state was opened after its outcome was written. The cheap condition comes
 * first.
 */
const overtaken = (state: RowState & Taken) =>
  `when o.state = '${state}' and ${IS_COMPARED} and r.n <= ${topOf(state)} and exists (select 1 from windows w where w.seq > o.window_seq
     and w.first <= r.n and w.last >= r.n and instr(w.takes, ',${state},') > 0) then 'in_doubt'`;

/**
 * SQL for the state of a planned row `r` with outcome `o`: its outcome, unless a later window put it in doubt again.
 */
export const STATE = `case
  when o.n is null and r.n <= ${topOf('new')} then 'in_doubt'
  when o.n is null then 'not_sent'
  ${(['not_sent', 'staged', 'held', 'unapproved'] as const).map(overtaken).join('\n  ')}
  else o.state end`;
