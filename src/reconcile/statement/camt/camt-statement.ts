import {signedAmount} from './camt-amounts.ts';
import type {CamtElement} from './camt-elements.ts';
import type {CollectedStatement} from '../file/collected.ts';
import {camtLines} from './camt-entry.ts';
import {CamtTotals} from './camt-totals.ts';
import type {Refuse, StatementPlace} from '../file/refusal.ts';
import {isoDay} from '../file/values.ts';

interface CamtBalance {
  readonly amount: bigint;
  readonly currency: string;
  readonly day: string;
}

/** One `Stmt`: the parts arrive in the order of the file. */
export class CamtStatement {
  readonly #into: CollectedStatement;
  readonly #refuse: Refuse;
  readonly #totals: CamtTotals;
  readonly #balances = new Map<string, CamtBalance>();
  #number = '';
  #from: string | undefined;

  constructor(into: CollectedStatement, refuse: Refuse) {
    this.#into = into;
    this.#refuse = refuse;
    into.begin();
    this.#totals = new CamtTotals(refuse);
  }

  take(name: string, element: CamtElement, details: readonly CamtElement[], place: StatementPlace): void {
    const at = {refuse: this.#refuse, place};
    if (name === 'Acct') {
      this.#number = element.first('Acct/Id/IBAN', 'Acct/Id/Othr/Id')?.replaceAll(' ', '') ?? '';
      this.#into.account(this.#number);
    } else if (name === 'FrToDt') {
      const from = element.first('FrToDt/FrDtTm', 'FrToDt/FrDt');
      this.#from = from === undefined ? undefined : isoDay(from, at);
    } else if (name === 'TxsSummry') this.#totals.stated(element);
    else if (name === 'Bal') this.#balance(element, place);
    else {
      const entry = camtLines(element, details, {number: this.#number, ...at});
      this.#totals.entry(entry);
      for (const line of entry.lines) this.#into.line(line);
    }
  }

  end(place: StatementPlace): void {
    this.#totals.check(place);
    const first = this.#balances.get('OPBD') ?? this.#balances.get('PRCD');
    const last = this.#balances.get('CLBD');
    if (first === undefined || last === undefined) return;
    if (first.currency !== last.currency)
      throw this.#refuse(place, `opens in ${first.currency} and closes in ${last.currency}`);
    this.#into.balances({
      number: this.#number,
      currency: first.currency,
      opening: first.amount,
      openingDay: first.day,
      closing: last.amount,
      closingDay: last.day,
      from: this.#from,
    });
  }

  #balance(element: CamtElement, place: StatementPlace): void {
    const type = element.at('Bal/Tp/CdOrPrtry/Cd') ?? '';
    if (!['OPBD', 'PRCD', 'CLBD'].includes(type)) return;
    const at = {refuse: this.#refuse, place};
    const {amount, currency} = signedAmount(element, 'Bal', at);
    const day = element.first('Bal/Dt/Dt', 'Bal/Dt/DtTm');
    if (day === undefined) throw this.#refuse(place, `the balance ${type} has no date (Dt)`);
    if (this.#balances.has(type)) throw this.#refuse(place, `a second balance ${type} in one statement`);
    this.#balances.set(type, {amount, currency, day: isoDay(day, at)});
  }
}
