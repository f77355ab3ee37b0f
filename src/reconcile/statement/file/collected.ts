import {createHash} from 'node:crypto';
import type {BankLine, StatedBalances} from '../../model/line.ts';
import {maskedNumber, type Refuse} from './refusal.ts';
import type {BankStatement, StatementFormat, StatementOptions} from './statement.ts';
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
  /** How many lines had been read when the statement began. */
  readonly firstLine: number;
}

/** Collects what a file states, and gives it its account and its keys at the end. */
export class CollectedStatement {
  informational = 0;
  readonly #lines: ReadLine[] = [];
  readonly #balances: StatedBalances[] = [];
  readonly #numbers = new Set<string>();
  readonly #refuse: Refuse;

  constructor(refuse: Refuse) {
    this.#refuse = refuse;
  }

  get count(): number {
    return this.#lines.length;
  }

  /** The file has a statement of this account; empty if it does not say which. */
  account(number: string): void {
    this.#numbers.add(number);
  }

  line(line: ReadLine): void {
    this.#numbers.add(line.number);
    this.#lines.push(line);
  }

  balances(read: ReadBalances): void {
    const {number: account, currency, opening, closing, openingDay, closingDay, from} = read;
    const posted = this.#lines.slice(read.firstLine).filter(({state}) => state === 'posted');
    const days = posted.map(({bookingDay}) => bookingDay);
    const first = days.reduce(earlier, days[0] ?? closingDay);
    const to = days.reduce(later, closingDay);
    const stated = from ?? (days.length > 0 && first <= openingDay ? openingDay : dayAfter(openingDay));
    const begin = days.length > 0 ? earlier(stated, first) : stated;
    this.#balances.push({account, currency, opening, closing, from: earlier(begin, to), to});
  }

  end(format: StatementFormat, options: StatementOptions): BankStatement {
    const number = this.#chosen(format, options);
    const isChosen = (stated: string): boolean => number === undefined || stated === number;
    const accountOf = (stated: string): string => options.account ?? accountName(stated);
    const lines = this.#lines.filter((line) => isChosen(line.number));
    const balances = this.#balances.filter((stated) => isChosen(stated.account));
    return {
      format,
      lines: keyed(lines, accountOf),
      balances: chained(balances).map((stated) => ({...stated, account: accountOf(stated.account)})),
      accounts: [...this.#numbers].filter((stated) => stated !== '').map(maskedNumber),
      number: (number ?? (this.#numbers.size === 1 ? [...this.#numbers][0] : undefined)) || undefined,
      informational: this.informational,
    };
  }

  /** The account that is asked for; undefined for all. */
  #chosen(format: StatementFormat, {account, number, isKnown}: StatementOptions): string | undefined {
    const numbers = [...this.#numbers];
    const shown = numbers.map(maskedNumber).join(', ');
    const hint = 'name one by its last four characters or more: --account-number 1234';
    if (number === undefined) {
      if (numbers.length < 2 || account === undefined) return undefined;
      const [known, ...more] = numbers.filter((stated) => isKnown?.(stated, format) === true);
      if (known !== undefined && more.length === 0) return known;
      throw this.#refuse(undefined, `has statements of ${numbers.length} accounts: ${shown}`, hint);
    }
    const asked = number.replaceAll(/\s/g, '');
    const found = numbers.filter(
      (stated) => stated === asked || (asked.length > 3 && stated.endsWith(asked)),
    );
    const [only] = found;
    if (only !== undefined && found.length === 1) return only;
    const what = found.length === 0 ? 'no statement of the account' : 'several accounts that end with';
    throw this.#refuse(undefined, `has ${what} ${maskedNumber(asked)}; it has ${shown || 'none'}`, hint);
  }
}

/** A file that is read without an account id: account numbers are not stored. */
const accountName = (number: string): string =>
  `${maskedNumber(number)}/${createHash('sha256').update(number).digest('hex').slice(0, 8)}`;

const earlier = (a: string, b: string): string => (b < a ? b : a);
const later = (a: string, b: string): string => (b > a ? b : a);

/**
 * Statements that continue one another become one: the pages of a statement, and several statements of one day.
 */
function chained(balances: readonly StatedBalances[]): StatedBalances[] {
  const chains: StatedBalances[] = [];
  for (const next of balances) {
    const at = chains.findLastIndex(
      ({account, currency}) => account === next.account && currency === next.currency,
    );
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
  return chains;
}

/**
 * The key of a line with a bank's id has its day and amount too, because banks use ids again. Lines that are equal in
 * all of it are numbered in the order of their content, so that the order of the file changes nothing.
 */
function keyed(lines: readonly ReadLine[], accountOf: (number: string) => string): BankLine[] {
  const alike = new Map<string, {hash: string; at: number}[]>();
  lines.forEach((line, at) => {
    const hash = contentHash(line);
    const base = line.id === undefined ? hash : `${line.id}/${line.bookingDay}/${line.amount}`;
    const name = `statement/${accountOf(line.number)}/${base}`;
    const found = alike.get(name);
    if (found === undefined) alike.set(name, [{hash, at}]);
    else found.push({hash, at});
  });
  const keys: string[] = [];
  for (const [name, same] of alike) {
    if (same.length > 1) same.sort((a, b) => (a.hash < b.hash ? -1 : Number(a.hash > b.hash)));
    same.forEach(({at}, number) => (keys[at] = number === 0 ? name : `${name}/${number + 1}`));
  }
  return lines.map(({number, ...line}, at) => ({
    key: keys[at] ?? '',
    source: 'statement',
    account: accountOf(number),
    ...line,
  }));
}

function contentHash({amount, ...line}: ReadLine): string {
  const content = [
    ...[line.number, line.id, String(amount), line.currency, line.bookingDay, line.valueDay, line.state],
    ...[line.returnCode, line.texts.map(({path, text}) => [path, text])],
  ];
  return createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 32);
}
