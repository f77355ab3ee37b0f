import {nextTurn} from '../../clock.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {readConfirmations} from '../journal/confirmations.ts';
import type {Journal} from '../journal/journal.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import {foldReference} from '../model/identity.ts';
import {type Outcome, REGISTRY_CODE} from '../model/outcome.ts';
import {pagesOf} from '../model/pages.ts';
import type {Plan} from '../model/plan-facts.ts';
import {contentOf, paidByBatch} from './entry.ts';
import {NOTE_END} from './notes.ts';
import {claimantIdOf, scopeIdOf} from './owners.ts';

/** What a journal shows about the reference of one of its rows. */
interface ReadClaim {
  standing: 'ended' | 'freed' | null;
  isPaid: boolean;
  id: string | null;
  /** When the key may first have been used. */
  since: number | null;
  /**
   * The row is known only as that of another batch, or another batch has its reference: the claim that is read from the
   * journal of that batch goes first.
   */
  weakOf?: string;
}

const PAGE = 1000;

/** The journal of a weak claim, until the real one is read. */
const NO_JOURNAL = 'none';

/** At the same generation, a payment goes before a valid claim, and that before an ended one. */
const RANK = (of: string) =>
  `(${of}.paid * 3 + case when ${of}.standing is null then 2 when ${of}.standing = 'ended' then 1 else 0 end)`;
const IS_SAME_KEY = 'excluded.generation = entries.generation';
const IS_SAME_JOURNAL = `entries.claimant in (select known.id from claimants known
  join claimants own on own.journal = known.journal where own.id = excluded.claimant)`;
const INSERT = `
  insert into entries (scope, fold, reference, claimant, generation, fingerprint, at, since, id, paid, standing, content)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
/** What one journal shows of a record holds for the claim of another one that has the same record. */
const IS_SAME_RECORD = `${IS_SAME_KEY} and lower(entries.id) = lower(excluded.id)`;
/** There is one journal for each name of a batch, so an earlier one of this name is gone, and its record is read here. */
const IS_SAME_BATCH = `entries.claimant in (select known.id from claimants known
  join claimants own on own.batch = known.batch where own.id = excluded.claimant)`;
const IS_WEAK = `entries.claimant in (select id from claimants where journal = '${NO_JOURNAL}')`;
const IS_WEAK_OF_THIS_BATCH = `entries.claimant in (select known.id from claimants known
  join claimants own on own.batch = known.batch where known.journal = '${NO_JOURNAL}' and own.id = excluded.claimant)`;
/**
 * What a journal records about its own claim is newer than the registry, and than what another batch has found in it. A
 * payment stays one until its journal shows that it ended, whatever another batch has claimed since. So does one that
 * only the journal of another batch shows: this one may have been killed before it recorded the answer.
 */
const READ_IN = `${INSERT}
  on conflict (scope, fold, reference) do update set
    claimant = excluded.claimant, generation = excluded.generation, fingerprint = excluded.fingerprint,
    since = case when ${IS_SAME_KEY} then min(coalesce(entries.since, excluded.since), coalesce(excluded.since, entries.since))
      else excluded.since end,
    id = case when ${IS_SAME_KEY} then coalesce(excluded.id, entries.id) else excluded.id end,
    paid = case when ${IS_WEAK} and excluded.standing is null and ${IS_SAME_RECORD} then max(entries.paid, excluded.paid) else excluded.paid end,
    standing = excluded.standing, content = excluded.content
  where (excluded.generation > entries.generation and (entries.paid = 0 or excluded.paid = 1 or ${IS_SAME_JOURNAL} or ${IS_WEAK_OF_THIS_BATCH}))
    or (${IS_SAME_KEY} and (${RANK('excluded')} > ${RANK('entries')}
      or ${IS_WEAK}
      or ((${IS_SAME_JOURNAL} or (${IS_SAME_BATCH} and ${IS_SAME_RECORD})) and (entries.paid = 0 or excluded.standing = 'ended'))))`;
const READ_IN_WEAK = `${INSERT}
  on conflict (scope, fold, reference) do update set paid = 1
  where excluded.paid = 1 and entries.standing is null and ${IS_SAME_RECORD}`;

/**
 * Writes what a journal shows about its references into the registry: generations, ids, ages, ended and unanswered
 * marks. Reading it again changes nothing, so it may be interrupted.
 * @returns how many references the journal had used
 */
export async function readIn(db: SqliteDatabase, journal: Journal, plan: Plan): Promise<number> {
  const binding = journal.fact('binding');
  if (binding === undefined) return 0; // it was never run
  const {kind, namespace, batchId, journalId} = plan;
  const profile = readConfirmations(journal).at(-1)?.profile ?? '';
  const scope = scopeIdOf(db, {mode: binding.mode, baseUrl: binding.baseUrl, kind, namespace});
  const own = claimantIdOf(db, {profile, batchId, journalId});
  journal.makeDoubtExplicit();
  let count = 0;
  for (const page of pagesOf((after, limit) => journal.rows.after(after, limit), PAGE)) {
    db.transaction(() => {
      for (const row of page) {
        const claim = claimIn(journal, row, batchId);
        if (claim === undefined) continue;
        count++;
        const {weakOf} = claim;
        const claimant =
          weakOf === undefined ? own : claimantIdOf(db, {profile, batchId: weakOf, journalId: NO_JOURNAL});
        write(db, {
          scope,
          claimant,
          row,
          claim,
          at: claim.since ?? journal.writtenAt(row.n) ?? plan.plannedAt,
        });
      }
    });
    await nextTurn(); // the heartbeats of the locks must continue
  }
  const noteEnd = db.prepare(NOTE_END);
  db.transaction(() => {
    for (const {reference, id} of journal.former.endedRecords()) noteEnd.run(scope, reference, id, own);
  });
  if (count > 0 && !plan.hasReferences)
    db.prepare('update scopes set content_plan = coalesce(content_plan, ?) where id = ?').run(
      plan.planHash,
      scope,
    );
  return count;
}

function write(
  db: SqliteDatabase,
  {
    scope,
    claimant,
    row,
    claim,
    at,
  }: {scope: number; claimant: number; row: JournalRow; claim: ReadClaim; at: number},
): void {
  const {reference, generation, fingerprint, party, amount, currency} = row;
  const {standing, isPaid, id, since, weakOf} = claim;
  db.prepare(weakOf === undefined ? READ_IN : READ_IN_WEAK).run(
    ...[scope, foldReference(reference), reference, claimant, generation, fingerprint, at, since, id],
    ...[isPaid ? 1 : 0, standing, contentOf(row)],
  );
  if (standing === null)
    db.prepare(
      'insert or ignore into claims_by_content (party, amount, currency, scope, reference, at) values (?, ?, ?, ?, ?, ?)',
    ).run(party, amount, currency, scope, reference, at);
  if (row.outcome?.state === 'rejected' && since !== null)
    db.prepare(
      'insert or ignore into unanswered (scope, reference, generation, fingerprint) values (?, ?, ?, ?)',
    ).run(scope, reference, generation, fingerprint);
}

/** Undefined for a row that was never sent, and whose key is the first of its reference. */
function claimIn(journal: Journal, row: JournalRow, batchId: string): ReadClaim | undefined {
  const {outcome, generation} = row;
  const since = outcome === undefined ? (journal.coveredSince(row.n) ?? null) : outcome.stagedAt;
  const claimed = {standing: null, isPaid: false, id: outcome?.id ?? null, since};
  const wasFreed = generation > 0 || (outcome?.state === 'rejected' && since !== null);
  const freed: ReadClaim | undefined = wasFreed ? {...claimed, standing: 'freed', id: null} : undefined;
  if (outcome === undefined) return since === null ? freed : claimed;
  const {state, id} = outcome;
  if (id !== null && (state === 'accepted' || state === 'dead_key') && journal.former.hasEnded(id))
    return {...claimed, standing: 'ended'};
  if (state === 'accepted') return {...claimed, isPaid: true};
  if (state === 'already_paid') return paidElsewhere(outcome, claimed);
  if (state === 'rejected' || state === 'conflict') return freed;
  if (state === 'not_sent') return since === null ? freed : claimed;
  return outcome.code === REGISTRY_CODE ? {...claimed, weakOf: batchId} : claimed;
}

function paidElsewhere(outcome: Outcome, claimed: ReadClaim): ReadClaim | undefined {
  const weakOf = outcome.code === REGISTRY_CODE ? paidByBatch(outcome.message) : undefined;
  return weakOf === undefined ? undefined : {...claimed, isPaid: true, weakOf};
}
