import type {ExpectedPayment} from '../model/payment.ts';

/**
 * The payments of batches, which the service lists as well: each is expected once, with what both say of it. A row in
 * doubt has no record yet. If exactly one record of the list has its reference, kind, amount and currency, that is its record.
 */
export class PlannedPayments {
  readonly #recorded = new Map<string, ExpectedPayment>();
  /** Rows without a record by what a record of theirs would show; undefined if two rows would show the same. */
  readonly #doubts = new Map<string, ExpectedPayment | undefined>();
  readonly #openDoubts = new Set<ExpectedPayment>();
  /** Records that could be that of a row in doubt; undefined from the second one on. */
  readonly #candidates = new Map<string, string | undefined>();

  add(payment: ExpectedPayment): void {
    if (payment.recordId !== undefined) {
      this.#recorded.set(payment.recordId, payment);
      return;
    }
    this.#openDoubts.add(payment);
    for (const shown of shownBy(payment))
      this.#doubts.set(shown, this.#doubts.has(shown) ? undefined : payment);
  }

  /** Notes a record of the list, before any is joined. */
  see(record: ExpectedPayment): void {
    if (record.recordId !== undefined && this.#recorded.has(record.recordId)) return;
    for (const shown of shownBy(record))
      if (this.#doubts.get(shown) !== undefined)
        this.#candidates.set(shown, this.#candidates.has(shown) ? undefined : record.key);
  }

  /** The record with the row that it pays, once all records of the list were seen. */
  join(record: ExpectedPayment): ExpectedPayment {
    const planned = this.#recorded.get(record.key) ?? this.#doubtOf(record);
    if (planned === undefined) return record;
    if (planned.recordId === undefined) this.#openDoubts.delete(planned);
    else this.#recorded.delete(planned.recordId);
    return {
      ...record,
      row: planned.row,
      traces: [...new Set([...record.traces, ...planned.traces])],
      groups: [...new Set([...record.groups, ...planned.groups])],
    };
  }

  #doubtOf(record: ExpectedPayment): ExpectedPayment | undefined {
    const shown = shownBy(record).find((one) => this.#candidates.get(one) === record.key);
    return shown === undefined ? undefined : this.#doubts.get(shown);
  }

  /** Those of which no record was in the list. */
  *rest(): Generator<ExpectedPayment> {
    yield* this.#recorded.values();
    yield* this.#openDoubts;
  }
}

const shownBy = ({kind, amount, currency, traces}: ExpectedPayment): string[] =>
  traces.map((trace) => JSON.stringify([kind, String(amount), currency, trace]));
