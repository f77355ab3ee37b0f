import {createHash} from 'node:crypto';
import type {BankLine, StatedBalances} from '../../model/line.ts';
import {maskedNumber, type Refuse} from './refusal.ts';
import type {StatementFacts, StatementFormat, StatementOptions} from './statement.ts';
import {dayAfter} from './values.ts';

/** A line as a file states it; `number` is that of its account. */
export interface ReadLine extends Omit<BankLine, 'key' | 'source' | 'account'> {
  readonly number: string;
}

/** The balances of one statement in a file. */
export interface ReadBalances {
  readonly number: string;
  readonly currency: string;
  readonly opening: bigint;
  /** The day of the opening balance: the first day of the statement, or the day before. */
  readonly openingDay: string;
  readonly closing: bigint;
  readonly closingDay: string;
  /** The first day, if the file states it. */
  readonly from?: string | undefined;
}

/** The first and the last of some days. */
interface DayRange {
  from: string;
  to: string;
}

/** A message lists no more account numbers, and a file with this many times as many is not a statement. */
const MOST_SHOWN = 10;
const MOST_ACCOUNTS = 100 * MOST_SHOWN;

/** Passes on each line that a file states as it is read, with its key, and keeps what is about the whole file. */
export class CollectedStatement {
  #count = 0;
  /** Of the lines and balances of the account. */
  #days: DayRange | undefined;
  /** Of the posted lines of one statement. */
  #posted: DayRange | undefined;
  readonly #balances: StatedBalances[] = [];
  /** Account numbers, and whether their lines are taken. */
  readonly #numbers = new Map<string, boolean>();
  readonly #refuse: Refuse;
  readonly #options: StatementOptions & {format: StatementFormat};
  readonly #asked: string | undefined;
  readonly #take: (line: BankLine) => void;

  constructor(
    refuse: Refuse,
    options: StatementOptions & {format: StatementFormat},
    take: (line: BankLine) => void,
  ) {
    this.#refuse = refuse;
    this.#options = options;
    this.#asked = options.number?.replaceAll(/\s/g, '');
    this.#take = take;
  }

  /**
   * The file has a statement of this account; empty if it does not say which.
   * @returns whether the account is asked for, by its last characters, or else may be the one
   */
  account(number: string): boolean {
    const known = this.#numbers.get(number);
    if (known !== undefined) return known;
    const {format, isKnown} = this.#options;
    const asked = this.#asked;
    const isTaken =
      asked === undefined
        ? number === '' || isKnown?.(number, format) !== false
        : number === asked || (asked.length > 3 && number.endsWith(asked));
    if (this.#numbers.set(number, isTaken).size > MOST_ACCOUNTS)
      throw this.#refuse(undefined, `has lines of more than ${MOST_ACCOUNTS} accounts`);
    return isTaken;
  }

  /** The lines that follow are of another statement than those before. */
  begin(): void {
    this.#posted = undefined;
  }

  line(line: ReadLine): void {
    if (line.state === 'posted') this.#posted = widened(this.#posted, line.bookingDay);
    if (!this.account(line.number)) return;
    this.#count += 1;
    this.#days = widened(this.#days, line.bookingDay);
    const {account} = this.#options;
    const {id, amount, currency, bookingDay, valueDay, state, returnCode, texts} = line;
    this.#take({
      ...{key: keyOf(line, account), source: 'statement', account, id, amount, currency},
      ...{bookingDay, valueDay, state, returnCode, texts},
    });
  }

  balances({number, currency, opening, closing, openingDay, closingDay, from}: ReadBalances): void {
    const posted = this.#posted;
    if (!this.account(number)) return;
    const to = later(posted?.to ?? closingDay, closingDay);
    const stated = from ?? dayAfter(openingDay);
    const begin = earlier(earlier(stated, posted?.from ?? stated), to);
    const {account} = this.#options;
    chain(this.#balances, {account, currency, opening, closing, from: begin, to});
    this.#days = widened(widened(this.#days, begin), to);
  }

  /** @throws RemitError if the file has several accounts and does not say which is meant */
  end(): StatementFacts {
    const {format} = this.#options;
    return {
      ...{format, lines: this.#count, days: this.#days, balances: this.#balances},
      number: this.#chosen() || undefined,
    };
  }

  /** The only account that is taken, or the only one at all, of which no line was taken. */
  #chosen(): string | undefined {
    const numbers = [...this.#numbers.keys()];
    const found = numbers.filter((number) => this.#numbers.get(number));
    if (found.length === 1) return found[0];
    if (this.#asked === undefined && numbers.length < 2) return numbers[0];
    const more = numbers.length > MOST_SHOWN ? ', …' : '';
    const shown = numbers.slice(0, MOST_SHOWN).map(maskedNumber).join(', ') + more;
    const isNone = found.length === 0;
    const hint =
      !isNone && this.#asked !== undefined
        ? 'name more of its last characters with --account-number'
        : `name one by its last four characters or more: --account-number ${numbers[0]?.slice(-4) ?? 'NUMBER'}`;
    const asked = maskedNumber(this.#asked ?? '');
    const what =
      this.#asked === undefined
        ? `statements of ${numbers.length} accounts: ${shown}`
        : `${isNone ? 'no statement of the account' : 'several accounts that end with'} ${asked}; it has ${shown || 'none'}`;
    throw this.#refuse(undefined, `has ${what}`, hint);
  }
}

const earlier = (a: string, b: string): string => (b < a ? b : a);
const later = (a: string, b: string): string => (b > a ? b : a);

const widened = (range: DayRange | undefined, day: string): DayRange => ({
  from: earlier(range?.from ?? day, day),
  to: later(range?.to ?? day, day),
});

/**
 * Statements that continue one another become one: the pages of a statement, and several statements of one day.
 */
function chain(chains: StatedBalances[], next: StatedBalances): void {
  const at = chains.findLastIndex(({currency}) => currency === next.currency);
  const last = chains[at];
  if (
    last !== undefined &&
    last.closing === next.opening &&
    last.to <= next.to &&
    next.from <= dayAfter(last.to)
  )
    chains[at] = {...last, closing: next.closing, to: next.to};
  else chains.push(next);
}

/**
 * The key of a line with a bank's id has its day and amount too, because banks use ids again. Several lines of a file
 * may have one key; the book numbers them.
 */
function keyOf(line: ReadLine, account: string): string {
  const base = line.id === undefined ? contentHash(line) : `${line.id}/${line.bookingDay}/${line.amount}`;
  return `statement/${account}/${base}`;
}

function contentHash({amount, ...line}: ReadLine): string {
  const content = [
    ...[line.number, line.id, String(amount), line.currency, line.bookingDay, line.valueDay, line.state],
    ...[line.returnCode, line.texts.map(({path, text}) => [path, text])],
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
}
