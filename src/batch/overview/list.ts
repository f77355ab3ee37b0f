import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {batchFolder, batchIds} from '../journal/folder.ts';
import type {Kind} from '../model/kinds.ts';
import {readStatus} from '../standing/status-file.ts';
import type {BankReturns, ReturnedRow, SummaryWithReturns} from '../report/returned.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {statusOfBatch} from './status.ts';

export interface ListedBatch {
  batch_id: string;
  state: string;
  mode: string | null;
  planned: number;
  accepted: number;
  /** Rows with errors that were not planned. */
  left_out: number;
  /** `1500.75 USD + 20.00 EUR`, for the planned rows. */
  total: string;
  needs_attention: number;
  /** Part of accepted: rows whose record differs. */
  differs: number;
  /** Part of differs: rows that may be paid twice. */
  maybe_paid_twice: number;
  updated_at: string | null;
  /** Set if the batch cannot be read. */
  problem: string | null;
}

/** All batches of a state folder, the newest first. A batch that cannot be read is listed with the reason. */
export async function listBatches(options: {
  kind: Kind;
  stateDir: string;
  clock: Clock;
  /** See `WantedBatch`. */
  returnsOf?: (batch: OpenBatch) => Promise<BankReturns>;
}): Promise<ListedBatch[]> {
  const {kind, stateDir, clock, returnsOf} = options;
  const batches: ListedBatch[] = [];
  for (const batchId of batchIds(stateDir, kind)) {
    const last = readStatus(batchFolder(stateDir, kind, batchId).status);
    const updated = last?.updated_at ?? null;
    try {
      const {summary, returned} = await statusOfBatch({
        kind,
        batchId,
        stateDir,
        clock,
        ...(returnsOf === undefined ? {} : {returnsOf}),
      });
      const isOpen = ({paidAgainBy}: ReturnedRow) => paidAgainBy === undefined;
      batches.push(listed({...summary, returned: returned.filter(isOpen).length}, updated));
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      batches.push({
        ...(last === undefined ? UNKNOWN : listed(last.summary, updated)),
        batch_id: batchId,
        state: error.code === 'LOCKED' ? 'busy' : 'unreadable',
        needs_attention: 1,
        differs: last?.summary.differs ?? 0,
        maybe_paid_twice: last?.summary.maybe_paid_twice ?? 0,
        updated_at: updated,
        problem: error.message,
      });
    }
  }
  return batches.sort(
    (a, b) => (b.updated_at ?? '').localeCompare(a.updated_at ?? '') || a.batch_id.localeCompare(b.batch_id),
  );
}

const UNKNOWN = {mode: null, planned: 0, accepted: 0, left_out: 0, total: ''} as const;

const listed = (summary: SummaryWithReturns, updated: string | null): ListedBatch => ({
  batch_id: summary.batch_id,
  state: summary.state,
  mode: summary.mode,
  planned: summary.planned,
  accepted: summary.accepted,
  left_out: summary.left_out ?? 0, // absent from a status of an earlier version
  total: Object.entries(summary.totals)
    .map(([currency, totals]) => `${totals.planned} ${currency}`)
    .join(' + '),
  needs_attention:
    summary.rejected +
    summary.unapproved +
    summary.conflict -
    (summary.state === 'canceled' ? (summary.canceled ?? 0) : 0) + // these are as intended
    summary.in_doubt +
    summary.held +
    (summary.differs ?? 0) + // so is this
    (summary.returned ?? 0) + // those that no batch has paid again
    Number(summary.returns_unknown ?? false) +
    summary.failed,
  differs: summary.differs ?? 0,
  maybe_paid_twice: summary.maybe_paid_twice ?? 0,
  updated_at: updated,
  problem: null,
});
