import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {keysOf} from '../../narrow.ts';
import {counted} from '../../phrases.ts';
import type {SqliteDatabase} from '../../store/port/port.ts';
import {batchFolder, batchIds} from '../journal/folder.ts';
import {type OpenBatch, openBatch} from '../journal/open-batch.ts';
import {accepting, type Retype} from '../model/accept.ts';
import {KINDS} from '../model/kinds.ts';
import {type JournalName, Journals, type ListedJournal, nameKey, stampOf} from './journals.ts';
import {readIn} from './read-in.ts';

/** How a command treats journals that its registry does not know. */
export interface JournalCheck {
  /** The batch of the command, which is open. */
  own: OpenBatch;
  /** Batches whose journals cannot be read, from `--accept lost-journal=BATCH`; `all` for a command that sends nothing. */
  lostJournals: readonly string[] | 'all';
  retype: Retype;
  /** Called with what was read in. */
  tell: (text: string) => void;
}

interface ReadJournal {
  batchId: string;
  claims: number;
}

/**
 * Compares the registry with the journals of its state folder, and reads in those that it does not list, or that are
 * ahead of it. A journal whose files have not changed since the last comparison is not opened.
 * @param lockedAtMs when the lock of the registry was taken, by the clock of the file system
 * @throws RemitError STATE_DAMAGED for a journal that cannot be read and was not accepted as lost; LOCKED if another
 *   process has a journal that is not listed
 */
export async function readMissing(
  db: SqliteDatabase,
  options: JournalCheck & {stateDir: string; lockedAtMs: number; clock: Clock},
): Promise<void> {
  const journals = new Journals(db);
  const listed = journals.all();
  const read = await readRound(db, journals, listed, options);
  // What one journal shows can depend on another: a reference is free for a batch once the record of another has ended.
  if (read.length > 1) await readRound(db, journals, listed, options);
  if (read.length > 0) options.tell(readText(read));
}

async function readRound(
  db: SqliteDatabase,
  journals: Journals,
  listed: ReadonlyMap<string, ListedJournal>,
  options: Parameters<typeof readMissing>[1],
): Promise<ReadJournal[]> {
  const read: ReadJournal[] = [];
  const compare = async ({plan, journal}: OpenBatch) => {
    const mark = journal.fact('claims');
    if (journals.isUpToDate(listed.get(nameKey(plan)), plan.journalId, mark)) return;
    const claims = await readIn(db, journal, plan);
    const next = journals.list(plan, plan.journalId, mark);
    if (journal.fact('binding') !== undefined) journal.setFact('claims', next);
    if (claims > 0) read.push({batchId: plan.batchId, claims});
  };
  await compare(options.own);
  for (const name of otherJournals(options)) {
    const known = listed.get(nameKey(name));
    const folder = batchFolder(options.stateDir, name.kind, name.batchId);
    if (known !== undefined && known.stamp === stampOf(folder).text) continue;
    try {
      const batch = await openOther(name, known !== undefined, options);
      if (batch === undefined) continue; // its process has compared it
      await compare(batch).finally(() => batch.close());
    } catch (error) {
      refuseUnreadable(error, name, options);
      if (options.lostJournals !== 'all') journals.accept(name, stampOf(folder).text);
      continue;
    }
    // A file that was changed in the same tick of the clock could change again without a new stamp.
    const {text, newestMs} = stampOf(folder);
    if (newestMs < options.lockedAtMs) journals.stamp(name, text);
  }
  return read;
}

function* otherJournals({stateDir, own: {plan}}: {stateDir: string; own: OpenBatch}): Generator<JournalName> {
  for (const kind of keysOf(KINDS))
    for (const batchId of batchIds(stateDir, kind).sort())
      if (kind !== plan.kind || batchId !== plan.batchId) yield {kind, batchId};
}

/** Undefined if another process has a journal that is listed: that process compared the two when it opened them. */
async function openOther(
  {kind, batchId}: JournalName,
  isListed: boolean,
  {stateDir, clock}: {stateDir: string; clock: Clock},
): Promise<OpenBatch | undefined> {
  const purpose = `the registry reads batch ${batchId}`;
  try {
    return await openBatch({stateDir, kind, batchId, purpose, brief: true, atOnce: isListed, clock});
  } catch (error) {
    if (isListed && error instanceof RemitError && error.code === 'LOCKED') return undefined;
    throw error;
  }
}

function refuseUnreadable(
  error: unknown,
  {batchId}: JournalName,
  {lostJournals, retype}: JournalCheck,
): void {
  if (!(error instanceof RemitError) || error.code !== 'STATE_DAMAGED') throw error;
  if (lostJournals === 'all' || lostJournals.includes(batchId)) return;
  throw new RemitError(
    'STATE_DAMAGED',
    `the journal of batch ${batchId} cannot be read, so what that batch has paid is not known: ${error.message}; nothing was sent`,
    {
      cause: error,
      hint: `restore it from a backup; or, if none of the rows to send were paid by batch ${batchId}: ${retype(accepting('lost-journal', batchId))}`,
      details: {lost_journal: batchId},
    },
  );
}

const NAMED = 3;

function readText(read: readonly ReadJournal[]): string {
  const names = read.slice(0, NAMED).map(({batchId}) => batchId);
  const more = read.length > NAMED ? `, and ${read.length - NAMED} more` : '';
  const claims = read.reduce((sum, each) => sum + each.claims, 0);
  return `the registry of this state folder lacked ${counted(claims, 'reference')} of ${counted(read.length, 'batch', 'batches')} (${names.join(', ')}${more}): it is new, or was restored from a backup. They were read from the journals. References of batches whose journals are gone cannot be restored, so such a batch could be paid again`;
}
