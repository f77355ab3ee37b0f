import {bankingDay} from '../../src/sandbox/time/banking-days.ts';
import {addDays} from '../../src/sandbox/time/schedule.ts';
import type {BankLine, LineText} from '../../src/reconcile/model/line.ts';
import type {ExpectedPayment} from '../../src/reconcile/model/payment.ts';
import {Dice} from '../sim/random.ts';
import {line, payment} from './harness.ts';

/** How a bank writes its lines. */
export const DIALECTS = [
  ...['id', 'trace', 'cut10', 'cut18', 'cut35', 'cut140', 'nothing', 'file', 'batch', 'net', 'pending'],
] as const;
type Dialect = (typeof DIALECTS)[number];

/** What a line really is. */
export interface LineTruth {
  role: 'paid' | 'returned' | 'other';
  payments: string[];
}
export interface World {
  seed: number;
  dialect: Dialect;
  payments: ExpectedPayment[];
  lines: BankLine[];
  truth: Map<string, LineTruth>;
  /** Keys of payments whose only line has their id or trace as a whole word, and their amount. */
  provable: Set<string>;
  /** The same, for those that came back. */
  provablyReturned: Set<string>;
}

const RAILS = ['standard_ach', 'same_day_ach', 'wire', 'instant_bank'];
const CODES = ['R01', 'R02', 'R03', 'R10', 'R29'];
const CUTS: Partial<Record<Dialect, number>> = {cut10: 10, cut18: 18, cut35: 35, cut140: 140};
const LATEST = {standard_ach: 3, same_day_ach: 2, wire: 1, instant_bank: 1} as Record<string, number>;

/** A month of one account in its own currency; seeds are independent of each other, so several worlds fit in one book. */
export function worldOf(seed: number): World {
  return new WorldMaker(seed).make();
}

class WorldMaker {
  readonly #seed: number;
  readonly #dice: Dice;
  readonly #dialect: Dialect;
  readonly #account: string;
  readonly #lines: BankLine[] = [];
  readonly #truth = new Map<string, LineTruth>();
  readonly #named = new Map<string, ExpectedPayment[]>();
  readonly #amounts: readonly bigint[];

  constructor(seed: number) {
    this.#seed = seed;
    this.#dice = new Dice(seed, 'world');
    this.#dialect = DIALECTS[seed % DIALECTS.length]!;
    this.#account = this.#uuid();
    // Salaries are equal, invoices are not.
    const few = Array.from({length: 1 + this.#dice.below(6)}, () => this.#amount());
    this.#amounts = this.#dice.chance(0.5) ? few : [];
  }

  make(): World {
    const payments = Array.from({length: 1 + this.#dice.below(40)}, (_, n) => this.#payment(n));
    if (this.#dialect === 'file' || this.#dialect === 'batch') this.#bookGroups(payments);
    else for (const each of payments) this.#book(each);
    for (let n = this.#dice.below(8); n > 0; n -= 1) this.#noise(payments);
    this.#lines.sort((a, b) => (a.key < b.key ? -1 : 1));
    return {
      ...{seed: this.#seed, dialect: this.#dialect, payments, lines: this.#lines, truth: this.#truth},
      ...this.#provable(payments),
    };
  }

  #pick = <T>(of: readonly T[]): T => of[this.#dice.below(of.length)]!;
  #amount = (): bigint => BigInt(1 + this.#dice.below(9_000_000));
  #digits = (count: number): string => Array.from({length: count}, () => this.#dice.below(10)).join('');
  #uuid(): string {
    const hex = Array.from({length: 32}, () => this.#dice.below(16).toString(16)).join('');
    return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
  }

  #payment(n: number): ExpectedPayment {
    const id = this.#uuid();
    const isPayin = this.#dice.chance(0.2);
    const rail = isPayin ? 'standard_ach' : this.#pick(RAILS);
    const day = bankingDay('2026-03-02', this.#dice.below(15));
    const amount = this.#amounts.length > 0 ? this.#pick(this.#amounts) : this.#amount();
    // References that a person counts up, so that one may begin with another one: INV-9, INV-10, …, INV-100.
    const counted = `INV${this.#seed}-${10_000 * (this.#seed % 3) + 95 + n * this.#pick([1, 1, 10])}`;
    return payment(0, {
      ...{key: id, recordId: id, kind: isPayin ? 'payin' : 'payout', account: this.#account, rail, day},
      ...{amount: isPayin ? amount : -amount, currency: `W${this.#seed}`, status: 'settled'},
      traces: [
        ...(this.#dice.chance(0.8) ? [this.#digits(15)] : []),
        ...(this.#dice.chance(0.5) ? [counted] : []),
      ],
      row: {batch: 'march', reference: String(n), namespace: 'default'},
      groups: [`file ${rail} ${day} ${this.#dice.below(2)}`, `batch ${this.#dice.below(3)} ${day}`],
    });
  }

  /** Its line, if it has one, and what follows from it. */
  #book(of: ExpectedPayment): void {
    const roll = this.#dice.next();
    if (roll < 0.05) return; // no line
    const day = this.#bookingDay(of);
    const fee = this.#dialect === 'net' ? 25n : 0n;
    const amount = roll < 0.08 ? of.amount - 100n : of.amount - fee;
    const text = this.#text(of);
    if (this.#dialect === 'pending' && this.#dice.chance(0.8)) this.#bookPending(of, amount, day);
    if (this.#dialect !== 'pending' || this.#dice.chance(0.8)) this.#add('paid', [of], amount, day, text);
    if (roll > 0.98) this.#add('paid', [of], amount, day, text); // twice
    this.#bookReturns(of, day);
  }

  /** Replaced by a posted line under another id, or not yet. */
  #bookPending(of: ExpectedPayment, amount: bigint, day: string): void {
    if (this.#dice.chance(0.3)) this.#add('paid', [of], amount, day, this.#text(of), {state: 'pending'});
  }

  #bookReturns(of: ExpectedPayment, paid: string): void {
    if (!this.#dice.chance(0.15)) return;
    const days = this.#dice.chance(0.1) ? -3 : 1 + this.#dice.below(60);
    const code = this.#pick(CODES);
    const text = `RETURN ${code} ${this.#text(of)}`;
    const back = {returnCode: this.#dice.chance(0.5) ? code : undefined};
    this.#add('returned', [of], -of.amount, addDays(paid, days), this.#cut(text), back);
    if (this.#dice.chance(0.1))
      this.#add('returned', [of], -of.amount, addDays(paid, days + 1), this.#cut(text), back);
  }

  #bookGroups(payments: readonly ExpectedPayment[]): void {
    const prefix = this.#dialect;
    const groups = new Map<string, ExpectedPayment[]>();
    for (const each of payments) {
      const name = `${each.groups.find((group) => group.startsWith(prefix))} ${each.amount < 0n}`;
      groups.set(name, [...(groups.get(name) ?? []), each]);
    }
    for (const members of groups.values()) {
      const day = members.map((each) => this.#bookingDay(each)).sort()[0]!;
      const total = members.reduce((sum, {amount}) => sum + amount, 0n);
      this.#add('paid', members, total, day, `ACH SETTLEMENT ${members.length} ENTRIES`);
      for (const each of members) this.#bookReturns(each, day);
    }
  }

  /** Lines of other people, some of them alike. */
  #noise(payments: readonly ExpectedPayment[]): void {
    const like = this.#pick(payments);
    const amount = this.#dice.chance(0.5) ? like.amount : this.#pick([-1n, 1n]) * this.#amount();
    const text = this.#pick([
      `payout ${this.#uuid()} by wire`,
      `CARD ${this.#digits(15)} ${like.day.replaceAll('-', '')}`,
      'MONTHLY SERVICE CHARGE',
      this.#strangeReference(payments),
      like.recordId!.slice(0, 23),
      '',
    ]);
    this.#add('other', [], amount, this.#bookingDay(like), this.#cut(text));
  }

  /** That of a payment which nobody told us of. If it began with one of ours, its text, once cut, would be ours. */
  #strangeReference(payments: readonly ExpectedPayment[]): string {
    const reference = `INV${this.#seed}-${this.#digits(3)}`;
    const isOurs = payments.some(({traces}) => traces.some((trace) => reference.startsWith(trace)));
    return isOurs ? 'INVOICE' : reference;
  }

  #bookingDay({day, rail}: ExpectedPayment): string {
    const late = this.#dice.chance(0.03) ? 20 : 0;
    return bankingDay(day, this.#dice.below(LATEST[rail ?? '']! + 1) + late);
  }

  #text(of: ExpectedPayment): string {
    const {recordId, kind, rail, traces} = of;
    const id = this.#dice.chance(0.3) ? recordId!.replaceAll('-', '').toUpperCase() : recordId!;
    const trace = traces.length > 0 ? this.#pick(traces) : '';
    if (this.#dialect === 'nothing') return '';
    if (this.#dialect === 'trace') return this.#pick([`ACH ${trace}`, `TRN*1*${trace}*X`, trace]);
    return this.#cut(
      this.#pick([`${kind} ${id} by ${rail}`, `${id} ${trace}`, `${rail} ${trace} ${id}`, `REF:${trace}`]),
    );
  }

  #cut(text: string): string {
    const cut = CUTS[this.#dialect];
    return cut === undefined ? text : text.slice(0, cut);
  }

  #add(
    role: LineTruth['role'],
    of: readonly ExpectedPayment[],
    amount: bigint,
    day: string,
    text: string,
    fields: Partial<BankLine> = {},
  ): void {
    const key = `${this.#seed}/${this.#uuid()}`;
    const texts: LineText[] = text === '' ? [] : [{path: 'description', text}];
    this.#lines.push(
      line(key, {
        id: key,
        account: this.#account,
        currency: `W${this.#seed}`,
        amount,
        bookingDay: day,
        texts,
        ...fields,
      }),
    );
    this.#truth.set(key, {role, payments: of.map(({key: each}) => each).sort()});
    this.#named.set(key, [...of]);
  }

  #provable(payments: readonly ExpectedPayment[]): Pick<World, 'provable' | 'provablyReturned'> {
    const provable = new Set<string>();
    const provablyReturned = new Set<string>();
    const traces = payments.flatMap((each) => each.traces.map((trace) => fold(trace)));
    const isClear = (trace: string) => traces.filter((other) => other.startsWith(trace)).length === 1;
    const shows = (each: BankLine, of: ExpectedPayment) =>
      [
        fold(of.recordId!),
        ...of.traces.map(fold).filter((trace) => trace.replaceAll('-', '').length >= 8 && isClear(trace)),
      ].some((token) => wordsOf(each).includes(token));
    for (const of of payments) {
      const own = this.#lines.filter(
        ({key, state}) => state === 'posted' && this.#named.get(key)!.includes(of),
      );
      const [paid, ...more] = own.filter(({key}) => this.#truth.get(key)!.role === 'paid');
      const [back, ...backs] = own.filter(({key}) => this.#truth.get(key)!.role === 'returned');
      if (paid === undefined || more.length > 0 || paid.amount !== of.amount || !shows(paid, of)) continue;
      if (backs.length > 0 && backs.every((each) => shows(each, of))) continue;
      provable.add(of.key);
      if (back !== undefined && backs.length === 0 && back.bookingDay >= paid.bookingDay && shows(back, of))
        provablyReturned.add(of.key);
    }
    return {provable, provablyReturned};
  }
}

const IS_UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;
const fold = (text: string) => {
  const lower = text.toLowerCase();
  return IS_UUID.test(lower) ? lower.replaceAll('-', '') : lower;
};
const wordsOf = ({texts}: BankLine): string[] =>
  texts.flatMap(({text}) => text.split(/[^\p{L}\p{N}-]+/u).map(fold));
