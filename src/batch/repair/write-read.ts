import {LIFECYCLES} from '../../contract/lifecycle.ts';
import type {Clock} from '../../clock.ts';
import {heldText} from '../answers/difference.ts';
import {heldCode} from '../answers/outcome-of.ts';
import type {Journal} from '../journal/journal.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {APPROVAL_LOST, DIFFERS_CODE, type FieldDifference, type Outcome} from '../model/outcome.ts';
import type {Plan} from '../model/plan-facts.ts';
import type {Entries} from '../registry/entries.ts';
import type {Registry} from '../registry/registry.ts';

/** Where what was read is written. */
interface Writing {
  journal: Journal;
  plan: Plan;
  clock: Clock;
  registry: Pick<Registry, 'ended' | 'paid' | 'withdrawPaid' | 'flush'> & {entries: Pick<Entries, 'find'>};
}

/** A row that was shown as failed, but whose record later showed another payment: it is unknown whether it failed. */
export const isWithdrawn = ({status, code}: Outcome): boolean => status === null && code === DIFFERS_CODE;

/** What a GET showed about a row, beyond the journal. */
export interface ReadRow {
  row: RecordedRow;
  /** Null if the record shows another payment: then nothing shows how that of the row ended. */
  status: string | null;
  isEnded: boolean;
  code?: string;
  message?: string;
  /** Its record is not approved, and differs from the row: the row is held. */
  differences?: readonly FieldDifference[];
}

/**
 * The registry is written first: another batch may claim an ended record, whatever happens to this command. Other batches
 * may no longer claim a row whose record was shown as failed and now is not.
 */
export function writeRead(read: readonly ReadRow[], asking: Writing): void {
  const {journal, plan, registry, clock} = asking;
  const ended = read.filter(({isEnded}) => isEnded);
  const others = read.filter(({isEnded}) => !isEnded);
  for (const {row} of ended) registry.ended(row.reference, row.outcome.id, row.generation);
  for (const each of others) keepClaim(each, asking);
  registry.flush();
  for (const {row} of others) journal.withdrawEnded(row.outcome.id);
  for (const {row, status, isEnded, code = null, message = null, differences} of read) {
    const {outcome} = row;
    if (differences !== undefined) {
      const held = {code: heldCode({differences}), message: heldText(differences, plan.kind), differences};
      journal.record({...outcome, state: 'held', status, ...PLAIN, ...held}, clock.now());
      continue;
    }
    if (isEnded && status !== null) journal.noteEnded(row.n, outcome.id, status);
    const isUnapproved = isOpen(status, plan);
    const state = isUnapproved ? 'unapproved' : status === 'canceled' ? 'dead_key' : 'accepted';
    const isKept = state === outcome.state && isEnded && !isWithdrawn(outcome);
    const plain = isKept ? {} : {...PLAIN, code, message: isUnapproved ? APPROVAL_LOST : message};
    journal.record({...outcome, state, status, ...plain}, clock.now());
  }
  journal.flush();
  journal.markTold(ended.map(({row}) => row.outcome.id));
}

/** Its approval is lost: the record pays nothing now. */
const isOpen = (status: string | null, {kind}: Plan): boolean => status === LIFECYCLES[kind].initial;

/** Other batches could claim the reference of an ended record; now they no longer can. */
function keepClaim({row, status}: ReadRow, {plan, registry}: Writing): void {
  const {reference, outcome} = row;
  const {id} = outcome;
  const claim = registry.entries.find(reference);
  if (claim?.standing !== 'ended' || claim.journal !== plan.journalId || claim.id !== id) return;
  if (isOpen(status, plan)) registry.withdrawPaid(reference, id);
  else registry.paid(reference, id);
}

const PLAIN = {http: null, code: null, message: null, requestId: null} as const;
