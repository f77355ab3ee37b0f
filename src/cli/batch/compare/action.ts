import {batchIds} from '../../../batch/journal/folder.ts';
import type {OpenBatch} from '../../../batch/journal/open-batch.ts';
import {KINDS} from '../../../batch/model/kinds.ts';
import type {JournalRow} from '../../../batch/journal/rows/row.ts';
import {pagesOf} from '../../../batch/model/pages.ts';
import {compareRows, type Comparison} from '../../../batch/plan/compare.ts';
import {type DraftPlan, withoutKeeping} from '../../../batch/plan/plan.ts';
import {mayBeBack, MAYBE_RETURNED, type ReturnedRow, returnedRows} from '../../../batch/report/returned.ts';
import {publishedText, readBatch} from '../../../batch/overview/read-batch.ts';
import {RemitError} from '../../../errors.ts';
import {returnsReader} from '../returns.ts';
import {type FileToRead, readFromFlags} from '../plan/action.ts';

/** A file that was compared with a batch. */
export interface Compared {
  file: DraftPlan['plan'];
  batch: OpenBatch['plan'];
  found: Comparison;
  /** Rows that the bank has returned, by reference. */
  returned: ReadonlyMap<string, ReturnedRow>;
}

/**
 * Compares a file with what a batch has paid. Nothing is sent, and the file is not planned.
 * @param batchId undefined: the batch of this state folder that has references of the file
 */
export function compareFile(wanted: FileToRead, batchId: string | undefined): Promise<Compared> {
  const {kind, local, stateDir} = wanted;
  return readFromFlags(wanted, (options) =>
    withoutKeeping(options, async (draft) => {
      for (const warning of draft.plan.warnings) local.out.warn(warning);
      const batch = await open(wanted, batchId ?? (await batchOf(wanted, draft)));
      try {
        const returns = returnedRows(batch.journal, await returnsReader(local, stateDir)(batch));
        const {found: returned} = returns;
        const compared = {
          journal: batch.journal,
          backState: ({n, outcome}: JournalRow) =>
            returned.has(n) ? 'returned' : mayBeBack(returns, outcome?.id) ? MAYBE_RETURNED.state : undefined,
        };
        const found = await compareRows(kind, draft.journal, compared);
        const published = publishedText(batch);
        if (published !== undefined) local.out.note(published);
        const back = new Map([...returned.values()].map((row) => [row.reference, row]));
        return {file: draft.plan, batch: batch.plan, found, returned: back};
      } finally {
        await batch.close();
      }
    }),
  );
}

const open = ({kind, stateDir, local: {clock}}: FileToRead, batchId: string): Promise<OpenBatch> =>
  readBatch({stateDir, kind, batchId, clock}, `comparison with batch ${batchId}`);

/**
 * @throws RemitError NO_BATCH if no batch has a reference of the file, USAGE if several have, LOCKED if it may be in a
 *   batch that another process has and publishes no copy of
 */
async function batchOf(wanted: FileToRead, draft: DraftPlan): Promise<string> {
  const {kind, stateDir, file, local, retype} = wanted;
  const found: string[] = [];
  const busy: RemitError[] = [];
  for (const id of batchIds(stateDir, kind).sort()) {
    try {
      const batch = await open(wanted, id);
      try {
        if (sharesReference(draft, batch)) found.push(id);
      } finally {
        await batch.close();
      }
    } catch (error) {
      if (!(error instanceof RemitError) || error.code !== 'LOCKED') throw error;
      busy.push(error);
    }
  }
  const [only, ...others] = found;
  const [first] = busy;
  if (only === undefined)
    throw (
      first ??
      new RemitError('NO_BATCH', `no batch in ${stateDir} has a reference of ${file}`, {
        hint: (commands) =>
          `see the batches: ${commands.read(KINDS[kind].topic, 'batch', 'list')}; --state-dir names another state folder`,
      })
    );
  if (others.length > 0)
    throw new RemitError('USAGE', `several batches have references of ${file}: ${found.join(', ')}`, {
      hint: `name one: ${retype([only])}`,
    });
  for (const {message} of busy) local.out.warn(`not searched for references of the file: ${message}`);
  return only;
}

const PAGE = 1000;

function sharesReference(draft: DraftPlan, batch: OpenBatch): boolean {
  if (draft.plan.namespace !== batch.plan.namespace) return false;
  for (const page of pagesOf((after) => draft.journal.rows.references(after, PAGE), PAGE))
    if (page.some(({reference}) => batch.journal.rows.of(reference) !== undefined)) return true;
  return false;
}
