import type {LineText} from '../../model/line.ts';
import {signedAmount} from './camt-amounts.ts';
import type {CamtElement} from './camt-elements.ts';
import type {ReadLine} from '../file/collected.ts';
import {maskedNumber, shortQuote, type Refuse, type StatementPlace} from '../file/refusal.ts';
import {isoDay, signedMinor} from '../file/values.ts';

/** One `Ntry`. Without lines, it is informational: it has no effect on the balance. */
export interface CamtEntry {
  readonly lines: readonly ReadLine[];
  readonly amount: bigint;
  readonly currency: string;
  readonly isBooked: boolean;
}

interface EntryPlace {
  readonly number: string;
  readonly refuse: Refuse;
  readonly place: StatementPlace;
}

const DETAILS = 'Ntry/NtryDtls/TxDtls';
/** Read into fields of their own; everything else is a text. */
const FIELDS = /Ntry\/(?:Amt|CdtDbtInd|RvslInd|Sts(?:\/Cd)?|(?:BookgDt|ValDt)\/(?:Dt|DtTm))$/;
/** Numbers of accounts of others, which are stored masked. */
const ACCOUNT_NUMBER = /Acct\/Id\/(?:IBAN|Othr\/Id)/;

/**
 * The lines of an entry: one, or one for each transaction if the bank states their amounts and these add up to the
 * entry exactly.
 */
export function camtLines(entry: CamtElement, details: readonly CamtElement[], at: EntryPlace): CamtEntry {
  const {amount, currency} = signedAmount(entry, 'Ntry', at);
  const status = entry.first('Ntry/Sts/Cd', 'Ntry/Sts') ?? '';
  const isBooked = status === 'BOOK';
  const whole = {amount, currency, isBooked};
  if (status === 'INFO') return {...whole, lines: []};
  if (!isBooked && status !== 'PDNG' && status !== 'FUTR')
    throw at.refuse(at.place, `the status (Sts) ${shortQuote(status)} is not BOOK, PDNG, FUTR or INFO`);
  const common = {
    number: at.number,
    currency,
    ...daysOf(entry, isBooked, at),
    state: isBooked ? 'posted' : 'pending',
  } as const;
  const texts = textsOf(entry);
  const reference = entry.at('Ntry/AcctSvcrRef');
  const amounts = partsOf(details, {amount, currency}, at);
  if (amounts === undefined) {
    const all = [...texts, ...details.flatMap(textsOf)];
    const id =
      reference ?? (details.length === 1 ? details[0]?.at(`${DETAILS}/Refs/AcctSvcrRef`) : undefined);
    return {...whole, lines: [{...common, id, amount, returnCode: returnCodeOf(details), texts: all}]};
  }
  const lines = details.map((detail, index) => ({
    ...common,
    id: detail.at(`${DETAILS}/Refs/AcctSvcrRef`),
    amount: amounts[index] ?? 0n,
    returnCode: returnCodeOf([detail]),
    texts: [...texts, ...textsOf(detail)],
  }));
  return {...whole, lines};
}

/** Pending entries often have no booking date yet; their value date is then the best that the bank states. */
function daysOf(entry: CamtElement, isBooked: boolean, at: EntryPlace) {
  const booking = entry.first('Ntry/BookgDt/Dt', 'Ntry/BookgDt/DtTm');
  const value = entry.first('Ntry/ValDt/Dt', 'Ntry/ValDt/DtTm');
  const day = booking ?? (isBooked ? undefined : value);
  if (day === undefined) throw at.refuse(at.place, 'the booking date (BookgDt) is missing');
  return {bookingDay: isoDay(day, at), valueDay: value === undefined ? undefined : isoDay(value, at)};
}

/** The amounts of several transactions, if they add up to their entry. */
function partsOf(
  details: readonly CamtElement[],
  whole: {amount: bigint; currency: string},
  at: EntryPlace,
): bigint[] | undefined {
  if (details.length < 2) return undefined;
  const amounts: bigint[] = [];
  for (const detail of details) {
    const path = [`${DETAILS}/Amt`, `${DETAILS}/AmtDtls/TxAmt/Amt`].find(
      (one) => detail.at(one) !== undefined,
    );
    const text = path === undefined ? undefined : detail.at(path);
    if (path === undefined || text === undefined || detail.at(`${path}@Ccy`) !== whole.currency)
      return undefined;
    const sum = signedMinor(text, whole.currency, '.', at);
    const indicator = detail.at(`${DETAILS}/CdtDbtInd`);
    const isCredit = indicator === undefined ? whole.amount >= 0n : indicator === 'CRDT';
    amounts.push(isCredit ? sum : -sum);
  }
  const total = amounts.reduce((sum, amount) => sum + amount, 0n);
  return total === whole.amount ? amounts : undefined;
}

/** The reason of a return; undefined if the transactions of an entry have several. */
function returnCodeOf(details: readonly CamtElement[]): string | undefined {
  const codes = new Set(
    details.map((detail) => detail.first(`${DETAILS}/RtrInf/Rsn/Cd`, `${DETAILS}/RtrInf/Rsn/Prtry`)),
  );
  return codes.size === 1 ? [...codes][0] : undefined;
}

/** Attributes are currencies of amounts, and no texts. */
const textsOf = ({leaves}: CamtElement): LineText[] =>
  leaves
    .filter(({path}) => !FIELDS.test(path) && !path.includes('@'))
    .map(({path, text}) => ({path, text: ACCOUNT_NUMBER.test(path) ? maskedNumber(text) : text}));
