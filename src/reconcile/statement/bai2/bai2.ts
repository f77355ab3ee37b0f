import {Bai2Totals} from './bai2-totals.ts';
import {bai2Records, type Bai2Record} from './bai2-records.ts';
import type {CollectedStatement} from '../file/collected.ts';
import {shortQuote, type Refuse} from '../file/refusal.ts';
import type {StatementOptions} from '../file/statement.ts';
import type {TextLine} from '../file/source.ts';
import {currencyDecimals, shortDay, wholeMinor, type ValuePlace} from '../file/values.ts';

const OPENING_LEDGER = '010';
const CLOSING_LEDGER = '015';
/** As-of-date modifiers of reports whose transactions may still change. */
const INTERIM = new Set(['1', '3']);
const UPDATE = '1';
const CORRECTION = '3';

interface Group {
  day: string;
  currency: string;
  isInterim: boolean;
  isCorrection: boolean;
}

interface Account {
  number: string;
  currency: string;
  opening: bigint | undefined;
  closing: bigint | undefined;
}

/** Reads BAI2, the cash management balance report of US banks; amounts are in minor units. */
export async function readBai2(
  lines: AsyncIterable<TextLine>,
  into: CollectedStatement,
  refuse: Refuse,
  options: StatementOptions,
): Promise<void> {
  const reader = new Bai2Reader(into, refuse, options);
  for await (const record of bai2Records(lines, refuse)) reader.take(record);
  reader.end();
}

class Bai2Reader {
  readonly #into: CollectedStatement;
  readonly #refuse: Refuse;
  readonly #totals: Bai2Totals;
  readonly #currencyDefault: string;
  #group: Group | undefined;
  #account: Account | undefined;

  constructor(into: CollectedStatement, refuse: Refuse, {currencyDefault = 'USD'}: StatementOptions) {
    this.#into = into;
    this.#refuse = refuse;
    this.#totals = new Bai2Totals(refuse);
    this.#currencyDefault = currencyDefault;
  }

  take(record: Bai2Record): void {
    this.#totals.record(record);
    if (record.code === '02') this.#openGroup(record);
    else if (record.code === '03') this.#openAccount(record);
    else if (record.code === '16') this.#transaction(record);
    else if (record.code === '49') this.#closeAccount();
  }

  end(): void {
    this.#totals.end();
  }

  #openGroup({fields, line}: Bai2Record): void {
    const [, , , status = '', day = '', , currency = '', modifier = ''] = fields;
    const at = {refuse: this.#refuse, place: {line}};
    const isCorrection = status === CORRECTION;
    if (status !== UPDATE && !isCorrection)
      throw this.#refuse(
        {line},
        `the group status ${shortQuote(status)} is not 1 (update): it deletes or tests`,
      );
    this.#group = {
      day: shortDay(day, at),
      currency: currency || this.#currencyDefault,
      isInterim: INTERIM.has(modifier),
      isCorrection,
    };
  }

  #openAccount({fields, line}: Bai2Record): void {
    const at = {refuse: this.#refuse, place: {line}};
    if (this.#group === undefined) throw this.#refuse({line}, 'an account outside of a group');
    const [, number = '', stated = '', ...summaries] = fields;
    const currency = stated || this.#group.currency;
    currencyDecimals(currency, at);
    const account: Account = {number, currency, opening: undefined, closing: undefined};
    this.#into.account(number);
    this.#into.begin();
    for (let rest = summaries; rest.length > 0;) {
      const [type = '', text = '', , ...after] = rest;
      if (text !== '') {
        const amount = wholeMinor(text, at);
        this.#totals.amount(amount);
        if (type === OPENING_LEDGER) account.opening = amount;
        if (type === CLOSING_LEDGER) account.closing = amount;
      }
      rest = afterFunds(after, at).rest;
    }
    this.#account = account;
  }

  #transaction({fields, line}: Bai2Record): void {
    const at = {refuse: this.#refuse, place: {line}};
    const [group, account] = [this.#group, this.#account];
    if (group === undefined || account === undefined)
      throw this.#refuse({line}, 'a transaction outside of an account');
    const [, type = '', text = '', ...after] = fields;
    if (group.isCorrection)
      throw this.#refuse(
        {line},
        'the group corrects transactions of another file; ask the bank for a whole statement',
      );
    const sign = signOf(type);
    if (sign === undefined)
      throw this.#refuse({line}, `the type code ${shortQuote(type)} is neither a credit nor a debit`);
    const amount = text === '' ? 0n : wholeMinor(text, at);
    this.#totals.amount(amount);
    const {valueDay, rest} = afterFunds(after, at);
    const [bankReference = '', customerReference = '', ...words] = rest;
    this.#into.line({
      number: account.number,
      id: bankReference.trim() || undefined,
      amount: sign * amount,
      currency: account.currency,
      bookingDay: group.day,
      valueDay,
      state: group.isInterim ? 'pending' : 'posted',
      returnCode: undefined,
      texts: [
        {path: 'type_code', text: type},
        {path: 'bank_reference', text: bankReference.trim()},
        {path: 'customer_reference', text: customerReference.trim()},
        {path: 'text', text: words.join(',').trim()},
      ].filter((leaf) => leaf.text !== ''),
    });
  }

  #closeAccount(): void {
    const [group, account] = [this.#group, this.#account];
    this.#account = undefined;
    if (group === undefined || account === undefined || group.isInterim) return;
    const {number, currency, opening, closing} = account;
    if (opening === undefined || closing === undefined) return;
    const {day} = group;
    this.#into.balances({
      number,
      currency,
      opening,
      closing,
      openingDay: day,
      closingDay: day,
      from: day,
    });
  }
}

/** Ranges of type codes (BAI2, appendix A). Others are balances, or belong to no direction. */
function signOf(type: string): 1n | -1n | undefined {
  if (!/^\d{3}$/.test(type)) return undefined;
  const code = Number(type);
  if ((code >= 100 && code < 400) || (code >= 920 && code < 960)) return 1n;
  if ((code >= 400 && code < 700) || code >= 960) return -1n;
  return undefined;
}

/** Skips the funds type and its fields: immediate and later amounts, a value day, or pairs of days and amounts. */
function afterFunds(
  fields: readonly string[],
  at: ValuePlace,
): {valueDay: string | undefined; rest: string[]} {
  const [type = '', ...rest] = fields;
  const [first = ''] = rest;
  if (type === 'V') return {valueDay: first === '' ? undefined : shortDay(first, at), rest: rest.slice(2)};
  if (type === 'S') return {valueDay: undefined, rest: rest.slice(3)};
  if (type === 'D') {
    if (!/^\d{1,3}$/.test(first)) throw at.refuse(at.place, 'the number of distributions is missing');
    return {valueDay: undefined, rest: rest.slice(1 + 2 * Number(first))};
  }
  if (/^[Z012]?$/.test(type)) return {valueDay: undefined, rest};
  throw at.refuse(at.place, `the funds type ${shortQuote(type)} is unknown`);
}
