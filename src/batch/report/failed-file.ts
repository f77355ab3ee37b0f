import {hasFailed} from '../../contract/lifecycle.ts';
import {formatMajor} from '../../money/amount.ts';
import {ownJson} from '../../narrow.ts';
import {METADATA} from '../input/columns.ts';
import type {JournalRow} from '../journal/rows/row.ts';
import type {Journal} from '../journal/journal.ts';
import type {FileRecord} from '../journal/rows/report-rows.ts';
import type {Plan} from '../model/plan-facts.ts';
import {columnsOf, ROW_FIELDS} from '../model/row-fields.ts';

/**
 * Whether a row belongs in failed.csv, to be corrected and run as a separate batch: it was left out because of
 * errors, the service rejected it, or a GET showed that its record failed and the registry has been updated. Any
 * other row has a record, or its reference is taken.
 */
export const isFailed = (record: FileRecord): boolean =>
  record.reference === null ||
  record.state === 'rejected' ||
  (record.state === 'accepted' && hasFailed(record.ended));

/**
 * The layout of failed.csv: canonical headers, so that it can be read back without --map, and always a reference. A
 * planned row is written from its plan; a row with errors has no plan and is written as it is in the file.
 */
export class FailedLayout {
  readonly header: readonly string[];
  readonly #plan: Plan;
  readonly #journal: Journal;

  constructor(plan: Plan, journal: Journal) {
    this.#plan = plan;
    this.#journal = journal;
    const {columns, header} = plan;
    if (columns === undefined) {
      this.header = header; // planned by an earlier version
      return;
    }
    const used = new Set(columns.map((name) => (name === 'amount' ? this.#amountColumn : name)));
    used.add('reference').add('currency_code');
    this.header = [
      ...columnsOf(plan.kind).filter((name) => used.has(name)),
      ...columns.filter((name) => name.startsWith(METADATA)),
    ];
  }

  get #amountColumn(): string {
    return this.#plan.minorAmounts === true ? 'amount_in_minor_units' : 'amount';
  }

  /**
   * @param n number of the record; @param cells as stored with the plan
   * @param reference the one under which the row is paid again, if it is not its own
   */
  line(n: number, cells: readonly string[], isPlanned: boolean, reference?: string): readonly string[] {
    const {columns} = this.#plan;
    if (columns === undefined) return cells;
    const row = isPlanned ? this.#journal.rows.after(n - 1, 1)[0] : undefined;
    if (row !== undefined) {
      const again = reference === undefined ? row : {...row, reference};
      return this.header.map((name) => this.#valueOf(again, name));
    }
    return this.header.map((name) => {
      const at = columns.findIndex((column) => (column === 'amount' ? this.#amountColumn : column) === name);
      return at === -1 ? '' : (cells[at] ?? '');
    });
  }

  #valueOf(row: JournalRow, name: string): string {
    if (name === 'reference') return row.reference;
    if (name === 'amount') return formatMajor(BigInt(row.amount), row.currency);
    if (name.startsWith(METADATA)) {
      const metadata = ownJson<Record<string, string>>(row.metadata ?? '{}'); // written by the plan
      return metadata[name.slice(METADATA.length)] ?? '';
    }
    const field = ROW_FIELDS.find(({wire}) => wire[this.#plan.kind] === name);
    return String((field && row[field.name]) ?? '');
  }
}
