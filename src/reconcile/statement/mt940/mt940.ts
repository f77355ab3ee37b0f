import {isDay} from '../../model/day.ts';
import type {LineText} from '../../model/line.ts';
import type {CollectedStatement} from '../file/collected.ts';
import {mt940Fields, type Mt940Field} from './mt940-fields.ts';
import {shortQuote, type Refuse} from '../file/refusal.ts';
import type {TextLine} from '../file/source.ts';
import {dayOfParts, shortDay, signedMinor, type ValuePlace} from '../file/values.ts';

/** A line of this many characters was cut by the format, so the next line continues its last word. */
const FULL_LINE = 65;
/** Some banks count the tag `:86:`. */
const FULL_FIRST_LINE = FULL_LINE - ':86:'.length;
/** The subfields `?20` to `?29` and `?60` to `?63` of German banks are parts of one text. */
const FULL_SUBFIELD = 27;

interface OpenStatement {
  readonly currency: string;
  readonly opening: bigint;
  readonly openingDay: string;
}

interface OpenLine {
  readonly field: Mt940Field;
  readonly texts: LineText[];
}

/** Reads MT940, the customer statement of SWIFT. */
export async function readMt940(
  lines: AsyncIterable<TextLine>,
  into: CollectedStatement,
  refuse: Refuse,
): Promise<void> {
  const reader = new Mt940Reader(into, refuse);
  for await (const field of mt940Fields(lines, refuse)) reader.take(field);
  reader.end();
}

class Mt940Reader {
  readonly #into: CollectedStatement;
  readonly #refuse: Refuse;
  #number = '';
  #statement: OpenStatement | undefined;
  #open: OpenLine | undefined;
  #statements = 0;

  constructor(into: CollectedStatement, refuse: Refuse) {
    this.#into = into;
    this.#refuse = refuse;
  }

  take(field: Mt940Field): void {
    const {tag, line, lines} = field;
    if (tag !== '86' && tag !== 'NS') this.#closeLine();
    if (tag === '61') this.#open = {field, texts: []};
    else if (tag === '86') this.#open?.texts.push(...textsOf(':86:', lines));
    else if (tag === '60F' || tag === '60M') this.#openStatement(field);
    else if (tag === '62F' || tag === '62M') this.#closeStatement(field);
    else if (tag === '25' || tag === '25P') this.#number = accountIn(lines[0]);
    else if (tag === '34F') throw this.#refuse({line}, 'is an interim report (MT942), not a statement');
    else if (this.#statement !== undefined && (tag === '20' || tag === 'end'))
      throw this.#refuse({line}, 'the statement ends without a closing balance (:62F:)');
  }

  end(): void {
    this.#closeLine();
    if (this.#statement !== undefined)
      throw this.#refuse(undefined, 'is truncated: the closing balance (:62F:) is missing');
    if (this.#statements === 0) throw this.#refuse(undefined, 'has no statement: no opening balance (:60F:)');
  }

  #openStatement({lines, line}: Mt940Field): void {
    const at = {refuse: this.#refuse, place: {line}};
    const {amount: opening, day: openingDay, currency} = balanceIn(lines[0], at);
    this.#statements++;
    this.#into.begin();
    this.#statement = {currency, opening, openingDay};
  }

  #closeStatement({lines, line}: Mt940Field): void {
    const at = {refuse: this.#refuse, place: {line}};
    const statement = this.#statement;
    if (statement === undefined) throw this.#refuse({line}, 'a closing balance without an opening balance');
    this.#statement = undefined;
    const {amount: closing, day: closingDay, currency} = balanceIn(lines[0], at);
    if (currency !== statement.currency)
      throw this.#refuse(
        {line},
        `the closing balance is in ${currency}, the opening balance in ${statement.currency}`,
      );
    this.#into.balances({number: this.#number, ...statement, closing, closingDay});
  }

  #closeLine(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    const {line, lines} = open.field;
    const at = {refuse: this.#refuse, place: {line}};
    if (this.#statement === undefined) throw this.#refuse({line}, 'a transaction outside of a statement');
    const {currency} = this.#statement;
    const [first, ...details] = lines;
    const [, value = '', entry, mark = '', amount = '', type = '', references = ''] = LINE.exec(first) ?? [];
    if (mark === '') throw this.#refuse({line}, `${shortQuote(first)} is not a transaction`);
    const [reference = '', bankReference = ''] = references.split('//');
    const sum = signedMinor(amount, currency, ',', at);
    this.#into.line({
      number: this.#number,
      id: isReference(bankReference) ? bankReference.trim() : undefined,
      amount: mark === 'C' || mark === 'RD' ? sum : -sum,
      currency,
      ...daysOf(value, entry, at),
      state: 'posted',
      returnCode: undefined,
      texts: [
        {path: ':61:/type', text: type},
        {path: ':61:/reference', text: reference.trim()},
        {path: ':61:/bank_reference', text: bankReference.trim()},
        {path: ':61:/details', text: details.join('\n').trim()},
        ...open.texts,
      ].filter(({text}) => text !== ''),
    });
  }
}

/** Value day, entry day or four spaces, credit or debit or the reversal of one, a letter of the currency, amount, type, references. */
const LINE = /^(\d{6})(?:(\d{4})| {4})?(R?[CD])[A-Z]?(\d[\d,]{0,20})([A-Z][A-Z0-9]{3})(.{0,80})$/;

/** Some banks add the currency to the number. */
const accountIn = (text: string): string => text.replaceAll(' ', '').replace(/(?<=\d)[A-Z]{3}$/, '');

const isReference = (text: string): boolean => text.trim() !== '' && text.trim() !== 'NONREF';

/** `C260331USD1234,56` */
function balanceIn(text: string, at: ValuePlace): {amount: bigint; day: string; currency: string} {
  const [, mark = '', day = '', currency = '', amount = ''] =
    /^([CD])(\d{6})([A-Z]{3})(\d[\d,]{0,20})\s*$/.exec(text) ?? [];
  if (mark === '')
    throw at.refuse(at.place, `${shortQuote(text)} is not a balance such as C260331USD1234,56`);
  const sum = signedMinor(amount, currency, ',', at);
  return {amount: mark === 'D' ? -sum : sum, day: shortDay(day, at), currency};
}

/**
 * The entry day has no year: it is the one closest to the value day. Without it, both days are the same. Some banks
 * compute interest with 30 days in February: a value day that no calendar has is left out if there is an entry day.
 */
function daysOf(
  value: string,
  entry: string | undefined,
  at: ValuePlace,
): {bookingDay: string; valueDay: string | undefined} {
  const isInterestDay =
    entry !== undefined &&
    ['0229', '0230'].includes(value.slice(2)) &&
    !isDay(`20${value.slice(0, 2)}-02-${value.slice(4)}`);
  const near = shortDay(isInterestDay ? `${value.slice(0, 4)}28` : value, at);
  const valueDay = isInterestDay ? undefined : near;
  if (entry === undefined) return {bookingDay: near, valueDay};
  const [month, day] = [entry.slice(0, 2), entry.slice(2)];
  const distance = (year: string): number =>
    Math.abs(Date.parse(`${year}-${month}-${day}`) - Date.parse(near));
  const thisYear = Number(near.slice(0, 4));
  const years = [thisYear, thisYear - 1, thisYear + 1].map(String);
  const year = years.reduce((best, other) => (distance(other) < distance(best) ? other : best));
  return {bookingDay: dayOfParts([year, month, day], at), valueDay};
}

/** The lines of a text, and the same text without the cuts that the format made inside of words. */
function textsOf(path: string, lines: readonly string[]): LineText[] {
  const text = lines.join('\n').trim();
  const uncut = lines
    .map(
      (line, at) =>
        line + (line.length === FULL_LINE || (at === 0 && line.length === FULL_FIRST_LINE) ? '' : '\n'),
    )
    .join('')
    .trim();
  const purpose = [...uncut.replaceAll('\n', '').matchAll(/\?(?:2\d|6[0-3])([^?]*)/g)]
    .map(([, part = '']) => part + (part.length === FULL_SUBFIELD ? '' : '\n'))
    .join('')
    .trim();
  return [
    {path, text},
    {path: `${path}/uncut`, text: uncut === text ? '' : uncut},
    {path: `${path}/purpose`, text: purpose},
  ];
}
