import {ownJson} from '../../narrow.ts';
import type {SqliteDatabase, SqlValue} from '../../store/port/port.ts';
import type {ExpectedPayment} from '../model/payment.ts';
import {type PaymentToken, paymentTokens} from '../model/tokens.ts';
import {BookPart} from './book-part.ts';
import {HELD_ROWS, HeldInsert} from './held-insert.ts';
import {hiddenTokens} from './hidden-words.ts';

/** A change with its payments is committed after this many: a million would be one too large to undo. */
const PAGE = 5000;

export interface PaymentRow {
  p: number;
  key: string;
  record: string | null;
  kind: ExpectedPayment['kind'];
  account: string | null;
  amount: number | bigint;
  currency: string;
  rail: string | null;
  status: string | null;
  day: string;
  batch: string | null;
  reference: string | null;
  namespace: string | null;
  traces: string;
  declared: string;
}

export const PAYMENT_COLUMNS = `q.p, q.key, q.record, q.kind, q.account, q.amount, q.currency, q.rail, q.status, q.day,
  q.batch, q.reference, q.namespace, t.traces, t.declared`;

export const paymentOfRow = (row: PaymentRow): ExpectedPayment => ({
  key: row.key,
  recordId: row.record ?? undefined,
  kind: row.kind,
  account: row.account ?? undefined,
  amount: BigInt(row.amount),
  currency: row.currency,
  rail: row.rail ?? undefined,
  status: row.status ?? undefined,
  day: row.day,
  traces: ownJson<string[]>(row.traces), // written by StoredPayments, as the next
  row:
    row.batch === null
      ? undefined
      : {batch: row.batch, reference: row.reference ?? '', namespace: row.namespace ?? ''},
  groups: ownJson<string[]>(row.declared),
});

const COLUMNS = [
  ...['key', 'record', 'owner', 'kind', 'account', 'amount'],
  ...['currency', 'rail', 'status', 'day', 'batch', 'reference', 'namespace'],
];
/** Adds payments to one scope. After an error it may hold payments that were not added, so it is not used again. */
export class StoredPayments extends BookPart {
  readonly #payments: HeldInsert;
  readonly #texts: HeldInsert;
  readonly #tokens: HeldInsert;
  readonly #groups: HeldInsert;
  /** Keys of payments that are not inserted yet, and whether one of them has no record. */
  readonly #held = new Set<string>();
  #holdsDoubt = false;
  #last: number;
  readonly #key: string;

  constructor(db: SqliteDatabase, scope: number, key: string) {
    super(db, scope);
    this.#key = key;
    const update = COLUMNS.map((name) => `${name} = excluded.${name}`).join(', ');
    this.#payments = new HeldInsert(
      ...([db, 'payments', ['p', 'scope', ...COLUMNS], `on conflict (p) do update set ${update}`] as const),
    );
    this.#texts = new HeldInsert(db, 'payment_texts', ['p', 'traces', 'declared']);
    this.#tokens = new HeldInsert(db, 'payment_tokens', ['scope', 'token', 'p', 'kind']);
    this.#groups = new HeldInsert(db, 'payment_groups', ['scope', 'name', 'p']);
    this.#last = db.prepare<{p: number}>('select coalesce(max(p), 0) as p from payments').one().p;
  }

  add(payments: Iterable<ExpectedPayment>): void {
    const source = payments[Symbol.iterator]();
    while (this.db.transaction(() => this.#addPage(source)) === PAGE);
  }

  /** @returns how many it added */
  #addPage(source: Iterator<ExpectedPayment>): number {
    let count = 0;
    for (; count < PAGE; count += 1) {
      const next = source.next();
      if (next.done === true) break;
      this.#put(next.value);
    }
    this.#writeHeld();
    return count;
  }

  #writeHeld(): void {
    for (const table of [this.#payments, this.#texts, this.#tokens, this.#groups]) table.write();
    this.#held.clear();
    this.#holdsDoubt = false;
  }

  #put(payment: ExpectedPayment): void {
    const isDoubt = payment.recordId === undefined;
    if (this.#held.size >= HELD_ROWS || this.#held.has(payment.key) || (this.#holdsDoubt && !isDoubt))
      this.#writeHeld();
    if (!isDoubt) this.#forgetDoubt(payment);
    const before = this.#numberOf(payment.key);
    if (before !== undefined) this.#forgetTexts(before);
    this.#held.add(payment.key);
    this.#holdsDoubt ||= isDoubt;
    this.#hold(before ?? (this.#last += 1), payment);
  }

  #hold(p: number, payment: ExpectedPayment): void {
    this.#payments.hold(p, this.scope, ...columnsOf(payment));
    this.#texts.hold(p, JSON.stringify(payment.traces), JSON.stringify(payment.groups));
    for (const {token, kind} of this.#tokensOf(payment))
      this.#tokens.hold(this.scope, token, p, kind === 'id' ? 1 : 2);
    for (const group of new Set(payment.groups)) this.#groups.hold(this.scope, groupName(group, payment), p);
  }

  #numberOf(key: string): number | undefined {
    return this.db
      .prepare<{p: number}>('select p from payments where scope = ? and key = ?')
      .get(this.scope, key)?.p;
  }

  /** The record of a row is known now: what stood for the row without a record would be a second payment. */
  #forgetDoubt({key, row}: ExpectedPayment): void {
    if (row === undefined) return;
    const doubts = this.db
      .prepare<{p: number}>(
        `select p from payments where scope = ? and batch = ? and reference = ? and record is null and key <> ?`,
      )
      .all(this.scope, row.batch, row.reference, key);
    for (const {p} of doubts) {
      this.#forgetTexts(p);
      this.db.prepare('delete from payments where p = ?').run(p);
      this.db.prepare('delete from found_payments where p = ?').run(p);
      this.db.prepare('delete from candidates where p = ?').run(p);
    }
  }

  /** With those that the texts of a statement have only as a hash. */
  #tokensOf(payment: ExpectedPayment): PaymentToken[] {
    return paymentTokens(payment).flatMap(({token, kind}) =>
      [token, ...hiddenTokens([token], this.#key)].map((one) => ({token: one, kind})),
    );
  }

  #forgetTexts(p: number): void {
    const row = this.db
      .prepare<PaymentRow>(
        `select ${PAYMENT_COLUMNS} from payments q join payment_texts t on t.p = q.p where q.p = ?`,
      )
      .one(p);
    const payment = paymentOfRow(row);
    for (const {token} of this.#tokensOf(payment))
      this.db
        .prepare('delete from payment_tokens where scope = ? and token = ? and p = ?')
        .run(this.scope, token, p);
    for (const group of payment.groups)
      this.db
        .prepare('delete from payment_groups where scope = ? and name = ? and p = ?')
        .run(this.scope, groupName(group, payment), p);
    this.db.prepare('delete from payment_texts where p = ?').run(p);
  }
}

/** A bank books what a group has in one currency, account and direction as one line. */
const groupName = (group: string, {currency, account, amount}: ExpectedPayment): string =>
  JSON.stringify([group, currency, account ?? null, amount < 0n]);

const columnsOf = (payment: ExpectedPayment): SqlValue[] => [
  ...[payment.key, payment.recordId ?? null, (payment.recordId ?? payment.key).toLowerCase()],
  ...[payment.kind, payment.account ?? null, payment.amount, payment.currency],
  ...[payment.rail ?? null, payment.status ?? null, payment.day],
  ...[payment.row?.batch ?? null, payment.row?.reference ?? null, payment.row?.namespace ?? null],
];
