import {isSameId} from '../../contract/ids.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {DECLARED_NOT_PAID} from '../model/declared.ts';
import {FORMER_CODE, isLeftForFormer, LOST, type Outcome} from '../model/outcome.ts';

/** What an operator has found out about a row in doubt, outside this tool. */
export type Resolution = {paid: string; status?: string} | 'not-paid';

const DECLARED = 'declared paid by the operator';

/** Whether a row counts as paid only because the operator declared it; such a declaration can be revoked. */
export const isWord = (outcome: Outcome | undefined): boolean =>
  outcome?.state === 'accepted' && outcome.status === null && outcome.message === DECLARED;

const knownOf = ({n, outcome}: JournalRow): Outcome =>
  outcome ?? {
    ...{n, state: 'in_doubt', id: null, status: null, stagedAt: null, http: null, code: null},
    ...{message: null, requestId: null, attempts: 0, orphan: null},
  };

/** The outcome before the row was declared paid, so that a record known at that time is fetched again. */
export function doubtBefore(row: JournalRow, kept: Outcome | null | undefined): Outcome {
  if (kept === undefined || kept === null) return {...knownOf(row), state: 'in_doubt', id: null};
  return {...kept, n: row.n, state: isLeftForFormer(kept) ? kept.state : 'in_doubt'};
}

/** @param known.since when a row without an outcome may first have been sent */
export function resolvedOutcome(
  row: JournalRow,
  resolution: Resolution,
  {since, isGone}: {since: number; isGone: boolean},
): Outcome {
  const known = knownOf(row);
  const isLeft = isLeftForFormer(known);
  if (resolution !== 'not-paid')
    return {
      ...known,
      ...(isLeft || known.code === FORMER_CODE || known.state === 'staged'
        ? leftBehind(known, resolution.paid)
        : {}),
      state: 'accepted',
      id: resolution.paid,
      status: resolution.status ?? (known.state === 'accepted' ? known.status : null), // what the service has shown
      code: null,
      message: DECLARED,
    };
  if (isLeft || known.state === 'collision') return {...known, code: null, message: DECLARED_NOT_PAID};
  // A row with a record is released again, one without is created again; both with the same key.
  const hasRecord = known.id !== null && !isGone && !(known.http === 404 && known.message === LOST);
  return {
    ...known,
    ...(hasRecord ? {} : {id: null, status: null, http: null}),
    stagedAt: known.stagedAt ?? since, // a row that was never sent has none
    state: hasRecord ? 'staged' : 'not_sent',
    code: null,
    message: DECLARED_NOT_PAID,
  };
}

/** An earlier record has paid the row: its own, if it has one, was staged and is not released. */
const leftBehind = (
  {id, orphan}: Outcome,
  paid: string,
): Pick<Outcome, 'orphan'> & Partial<Pick<Outcome, 'stagedAt'>> => ({
  orphan: id === null || isSameId(id, paid) ? orphan : id,
  ...(id !== null && isSameId(id, paid) ? {} : {stagedAt: null}),
});
