import type {CamtElement} from './camt-elements.ts';
import {shortQuote, type Refuse, type StatementPlace} from '../file/refusal.ts';
import {signedMinor} from '../file/values.ts';

/** `Amt` with its currency, and the sign that `CdtDbtInd` gives it. */
export function signedAmount(
  element: CamtElement,
  within: string,
  at: {refuse: Refuse; place: StatementPlace},
): {amount: bigint; currency: string} {
  const need = (name: string): string => {
    const text = element.at(`${within}/${name}`);
    if (text === undefined) throw at.refuse(at.place, `${within}/${name} is missing`);
    return text;
  };
  const currency = need('Amt@Ccy');
  const sum = signedMinor(need('Amt'), currency, '.', at);
  const indicator = need('CdtDbtInd');
  if (indicator !== 'CRDT' && indicator !== 'DBIT')
    throw at.refuse(at.place, `${within}/CdtDbtInd is ${shortQuote(indicator)}, not CRDT or DBIT`);
  return {amount: indicator === 'CRDT' ? sum : -sum, currency};
}
