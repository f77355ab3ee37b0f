import type {Clock} from '../clock.ts';
import type {ImportJournal, Recorded} from './journal.ts';
import {shownMethod} from './match.ts';
import type {PartyRow} from './row.ts';
import type {PartyService, RowProblem} from './run.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 15_000;

interface Verifying {
  rows: readonly PartyRow[];
  journal: ImportJournal;
  service: Pick<PartyService, 'methods' | 'setDefault'>;
  clock: Clock;
  signal: AbortSignal;
  /** 0 to look once. */
  timeoutMs: number;
  onProgress: (pending: number) => void;
}

/**
 * Waits until no bank account or card of the rows is pending, and makes each the default once it is verified: the service
 * refuses that before.
 * @returns whether none is pending, and the rows whose account was refused
 */
export async function followVerification(
  run: Verifying,
): Promise<{isDone: boolean; problems: readonly RowProblem[]}> {
  const {rows, journal, clock, signal, timeoutMs, onProgress} = run;
  const end = clock.monotonic() + timeoutMs;
  for (let waitMs = FIRST_MS; ; waitMs = Math.min(waitMs * 2, LONGEST_MS)) {
    let pending = 0;
    for (const row of rows) {
      signal.throwIfAborted();
      const recorded = journal.find(row.reference);
      if (recorded === undefined || !isUnderWay(recorded)) continue;
      if (await isPending(row, recorded, run)) onProgress(++pending);
    }
    const leftMs = end - clock.monotonic();
    if (pending > 0 && leftMs > 0) await clock.sleep(Math.min(waitMs, leftMs), signal);
    else return {isDone: pending === 0, problems: rows.flatMap((row) => problemOf(row, journal))};
  }
}

const isUnderWay = ({method_id: id, verification, is_default: isDefault}: Recorded): boolean =>
  id !== null && verification !== 'failed' && (verification === 'pending' || isDefault === 0);

/** Reads the bank account or card of a row. */
async function isPending(
  {reference}: PartyRow,
  {party_id: partyId, method_id: methodId}: Recorded,
  {journal, service}: Verifying,
): Promise<boolean> {
  if (partyId === null || methodId === null) return false;
  for await (const record of service.methods(partyId)) {
    const method = shownMethod(record);
    if (method?.id.toLowerCase() !== methodId.toLowerCase()) continue;
    const isNew = method.verification === 'verified' && !method.isDefault;
    const isDefault = isNew && (await service.setDefault(partyId, methodId)).is === 'done';
    journal.methodIs(reference, {...method, isDefault: method.isDefault || isDefault});
    return method.verification === 'pending' || (isNew && !isDefault);
  }
  return false;
}

function problemOf(row: PartyRow, journal: ImportJournal): RowProblem[] {
  const {verification, method_id: id} = journal.find(row.reference) ?? {};
  if (verification !== 'failed') return [];
  return [{row, is: 'unverified', why: `the service has refused its bank account or card ${id}`}];
}
