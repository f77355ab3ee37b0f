import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Kind} from '../model/kinds.ts';
import type {Registry} from '../registry/registry.ts';
import {toFindRecord} from './declared-record.ts';
import {mayBeReplaced} from './replaced.ts';

/** A row with the record that is said to have paid it. */
export interface DeclaredRecord {
  row: JournalRow;
  id: string;
}

/** Two rows with the same party and amount look alike: one record paid only one of them. */
export function refuseTaken({journal, plan}: OpenBatch, records: readonly DeclaredRecord[]): void {
  const named = new Map<string, string>();
  for (const {row, id} of records) {
    const {reference} = row;
    const key = id.toLowerCase();
    const owner = named.get(key) ?? journal.rows.ofRecord(id)?.reference ?? reference;
    if (owner !== reference) throw takenBy(plan.kind, {id, row, owner: `row ${owner}`});
    named.set(key, reference);
  }
}

/** The same for the records of other batches. */
export function refuseTakenElsewhere(
  registry: Registry,
  kind: Kind,
  records: readonly DeclaredRecord[],
): void {
  const rowOf = new Map(records.map(({row, id}) => [id.toLowerCase(), row]));
  for (const {id, reference: owner, batch, isOurScope} of registry.entries.withRecords([...rowOf.keys()])) {
    const row = must(rowOf.get(id.toLowerCase()), 'row of a record');
    // In another namespace only a row that was rejected may be replaced by that payment.
    if (owner !== row.reference || (!isOurScope && !mayBeReplaced(row)))
      throw takenBy(kind, {id, row, owner: `row ${owner} of batch ${batch}`});
  }
}

const takenBy = (kind: Kind, {id, row, owner}: {id: string; row: JournalRow; owner: string}): RemitError =>
  new RemitError(
    'LOCAL_VALIDATION',
    `${kind} ${id} is recorded for ${owner}, and cannot be recorded for row ${row.reference} as well; nothing was changed`,
    {hint: toFindRecord(row, kind)},
  );
