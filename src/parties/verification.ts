import {hasFailed, LIFECYCLES} from '../contract/lifecycle.ts';
import {type Clock, poll} from '../clock.ts';
import type {ImportJournal, Recorded} from './journal.ts';
import {differInWords, methodDifferences, type ShownMethod, shownMethod} from './match.ts';
import type {PartyRow} from './row.ts';
import type {PartyService, RowProblem} from './party-service.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;

interface Verifying {
  rows: readonly PartyRow[];
  journal: ImportJournal;
  service: Pick<PartyService, 'methods' | 'setDefault'>;
  clock: Clock;
  signal: AbortSignal;
  /** Whether to wait, and to make verified accounts the default. Otherwise they are read once. */
  waits: {timeoutMs: number} | undefined;
  onProgress: (pending: number) => void;
}

/**
 * Reads bank accounts and cards that were not verified when they were last read, and waits until none is pending. Each
 * becomes the default once it is verified, if its party has no other: the service refuses that before.
 * @returns how many are still pending, and the rows that need a person
 */
export async function followVerification(
  run: Verifying,
): Promise<{pending: number; problems: readonly RowProblem[]}> {
  const {rows, journal, clock, signal, waits, onProgress} = run;
  const problems = new Map<string, RowProblem>();
  let pending = 0;
  const step = async () => {
    pending = 0;
    for (const row of rows) {
      signal.throwIfAborted();
      const recorded = journal.find(row.reference);
      if (recorded?.method_id == null || recorded.is_default === 1 || problems.has(row.reference)) continue;
      const found = await look(row, recorded, run);
      if (found === 'pending') onProgress(++pending);
      else if (found !== undefined) problems.set(row.reference, found);
    }
    return pending === 0 ? true : undefined;
  };
  await poll({
    ...{step, clock, timeoutMs: waits?.timeoutMs ?? 0},
    pauseMs: (pauses) => Math.min(FIRST_MS * 2 ** pauses, LONGEST_MS),
    sleep: (ms) => clock.sleep(ms, signal),
  });
  return {pending, problems: [...problems.values()]};
}

/** Reads the bank account or card of a row. Undefined if it is the default, or another one is. */
async function look(
  row: PartyRow,
  {party_id: partyId, method_id: methodId}: Recorded,
  {journal, service, waits}: Verifying,
): Promise<'pending' | RowProblem | undefined> {
  if (partyId === null || methodId === null) return undefined;
  let own: ShownMethod | undefined;
  let hasDefault = false; // a person may have chosen another one
  for await (const record of service.methods(partyId)) {
    const method = shownMethod(record);
    if (method?.id.toLowerCase() === methodId.toLowerCase()) own = method;
    hasDefault ||= method?.isDefault === true;
  }
  if (own === undefined)
    return {row, is: 'gone', why: `its bank account or card ${methodId} is not at the service any more`};
  const differences = methodDifferences(own, row, partyId);
  if (differences.length > 0)
    return {
      ...{row, is: 'other_record'},
      why: `its bank account or card ${methodId} is another one: its ${differInWords(differences)}`,
    };
  journal.methodIs(row.reference, {...own, isDefault: hasDefault});
  if (hasFailed(own.verification))
    return {
      row,
      is: 'unverified',
      why: `its bank account or card ${methodId} could not be verified; give the row another account and import it again, or add one by hand (payment-methods add)`,
    };
  if (hasDefault) return undefined;
  if (own.verification === LIFECYCLES.paymentMethod.initial || waits === undefined) return 'pending';
  const set = await service.setDefault(partyId, methodId);
  if (set.is !== 'done') return {row, is: 'not_default', why: set.why};
  const isOwn = shownMethod(set.record)?.id.toLowerCase() === methodId.toLowerCase();
  if (!isOwn) return {row, is: 'not_default', why: 'the service answered with another bank account or card'};
  journal.methodIs(row.reference, {...own, isDefault: true});
  return undefined;
}
