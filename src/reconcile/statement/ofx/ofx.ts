import type {LineText} from '../../model/line.ts';
import type {CollectedStatement} from '../file/collected.ts';
import {ofxElements, type OfxEvent} from './ofx-elements.ts';
import {maskedNumber, shortQuote, type Refuse} from '../file/refusal.ts';
import type {StatementOptions} from '../file/statement.ts';
import {dayOfParts, signedMinor, type ValuePlace} from '../file/values.ts';

/** A bank account or a credit card account. */
const STATEMENTS = new Set(['STMTRS', 'CCSTMTRS']);
/** Posted and pending transactions. */
const TRANSACTIONS = new Set(['STMTTRN', 'STMTTRNP']);
/** Account of the statement; that of another party has another name. */
const ACCOUNTS = new Set(['BANKACCTFROM', 'CCACCTFROM']);
/** Read into fields of their own; everything else is a text. */
const FIELDS = new Set(['TRNAMT', 'DTPOSTED', 'DTTRAN', 'DTAVAIL', 'DTUSER']);

interface Transaction {
  readonly isPending: boolean;
  readonly line: number;
  readonly values: Map<string, string>;
  readonly texts: LineText[];
}

/** Reads OFX 1 and 2. It states the balance at the end only, so no balances are read. */
export async function readOfx(
  chunks: AsyncIterable<string>,
  into: CollectedStatement,
  refuse: Refuse,
  options: StatementOptions,
): Promise<void> {
  const reader = new OfxReader(into, refuse, options);
  for await (const event of ofxElements(chunks, refuse)) reader.take(event);
  reader.end();
}

class OfxReader {
  readonly #into: CollectedStatement;
  readonly #refuse: Refuse;
  readonly #path: string[] = [];
  readonly #currencyDefault: string | undefined;
  #statements = 0;
  #number = '';
  #currency: string | undefined;
  #transaction: Transaction | undefined;

  constructor(into: CollectedStatement, refuse: Refuse, {currencyDefault}: StatementOptions) {
    this.#into = into;
    this.#refuse = refuse;
    this.#currencyDefault = currencyDefault;
  }

  take(event: OfxEvent): void {
    const {kind, name, line} = event;
    if (kind === 'value') this.#value(name, event.text, line);
    else if (kind === 'open') this.#open(name, line);
    else {
      this.#path.pop();
      if (TRANSACTIONS.has(name)) this.#close();
    }
  }

  end(): void {
    if (this.#statements === 0) throw this.#refuse(undefined, 'has no bank statement (STMTRS or CCSTMTRS)');
  }

  #open(name: string, line: number): void {
    if (this.#path.length === 0 && name !== 'OFX')
      throw this.#refuse({line}, `begins with <${name}>, not <OFX>`);
    this.#path.push(name);
    if (STATEMENTS.has(name)) {
      this.#statements++;
      this.#number = '';
      this.#currency = this.#currencyDefault;
    }
    if (!TRANSACTIONS.has(name)) return;
    if (!this.#path.some((part) => STATEMENTS.has(part)))
      throw this.#refuse({line}, 'a transaction outside of a bank statement: it is of an investment account');
    this.#transaction = {isPending: name === 'STMTTRNP', line, values: new Map<string, string>(), texts: []};
  }

  #value(name: string, text: string, line: number): void {
    const parent = this.#path.at(-1);
    if (parent === 'STATUS' && name === 'SEVERITY' && text === 'ERROR')
      throw this.#refuse({line}, 'the bank answered with an error instead of a statement');
    if (parent !== undefined && STATEMENTS.has(parent) && name === 'CURDEF' && text !== '')
      this.#currency = text;
    if (parent !== undefined && ACCOUNTS.has(parent) && name === 'ACCTID') {
      this.#number = text;
      this.#into.account(text);
    }
    const transaction = this.#transaction;
    if (transaction === undefined || text === '') return;
    const within = this.#path.slice(this.#path.findIndex((part) => TRANSACTIONS.has(part)) + 1);
    const path = [...within, name].join('/');
    if (transaction.values.has(path)) throw this.#refuse({line}, `a second <${name}> in one transaction`);
    transaction.values.set(path, text);
    if (FIELDS.has(path)) return;
    transaction.texts.push({path, text: name === 'ACCTID' ? maskedNumber(text) : text});
  }

  #close(): void {
    const transaction = this.#transaction;
    this.#transaction = undefined;
    if (transaction === undefined) return;
    const {isPending, line, values, texts} = transaction;
    const at = {refuse: this.#refuse, place: {line}};
    const dayField = isPending ? 'DTTRAN' : 'DTPOSTED';
    const [amount, day, available] = ['TRNAMT', dayField, 'DTAVAIL'].map((name) => values.get(name));
    if (amount === undefined) throw this.#refuse({line}, 'a transaction without <TRNAMT>');
    if (day === undefined) throw this.#refuse({line}, `a transaction without <${dayField}>`);
    const currency = values.get('CURRENCY/CURSYM') ?? this.#currency;
    if (currency === undefined || currency === '')
      throw this.#refuse({line}, 'the currency is missing (<CURDEF>)', 'name it with --currency');
    this.#into.line({
      number: this.#number,
      id: values.get('FITID'),
      amount: signedMinor(amount, currency, '.,', at),
      currency,
      bookingDay: ofxDay(day, at),
      valueDay: available === undefined ? undefined : ofxDay(available, at),
      state: isPending ? 'pending' : 'posted',
      returnCode: undefined,
      texts,
    });
  }
}

/** `20260331`, `20260331120000.000[-5:EST]`: the day as the bank states it. */
function ofxDay(text: string, at: ValuePlace): string {
  const [, year = '', month = '', day = ''] =
    /^(\d{4})(\d{2})(\d{2})(?:\d{4}|\d{6})?(?:\.\d+)?(?:\[[^\]]*\])?$/.exec(text) ?? [];
  if (year === '') throw at.refuse(at.place, `${shortQuote(text)} is not a date such as 20260331`);
  return dayOfParts([year, month, day], at);
}
