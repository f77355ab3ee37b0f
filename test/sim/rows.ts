import type {Kind} from '../../src/batch/model/kinds.ts';
import type {Dice} from './random.ts';

/** One payment of a simulated file. */
export interface SimRow {
  reference: string;
  party: string;
  amount: number;
  currency: string;
  rail: string | null;
  note: string | null;
}

/** Whether a body asks for the payment of the row. */
export const isPaymentOf = (row: SimRow, body: Record<string, unknown>, kind: Kind): boolean =>
  body['amount_in_minor_units'] === row.amount &&
  body['currency_code'] === row.currency &&
  body[kind === 'payout' ? 'payee_id' : 'payer_id'] === row.party;

export const partyId = (n: number): string => `018f0000-0000-7000-8000-${String(n).padStart(12, '0')}`;

/** Parties with these numbers are refused, or have their approvals fail, or get another rail than asked for. */
export const REFUSED_FROM = 100;
export const UNAPPROVED_FROM = 200;
export const DISTORTED_FROM = 300;
export const partyNumber = (party: unknown): number => Number(String(party).slice(-12));
export const isRefusedParty = (party: unknown): boolean =>
  partyNumber(party) >= REFUSED_FROM && partyNumber(party) < UNAPPROVED_FROM;

export const isUnapprovedParty = (party: unknown): boolean =>
  partyNumber(party) >= UNAPPROVED_FROM && partyNumber(party) < DISTORTED_FROM;

export function drawRow(dice: Dice, reference: string): SimRow {
  const special = dice.draw({none: 20, refused: 2, unapproved: 1, distorted: 1});
  const base = {none: 1, refused: REFUSED_FROM, unapproved: UNAPPROVED_FROM, distorted: DISTORTED_FROM}[
    special
  ];
  return {
    reference,
    party: partyId(base + dice.below(4)),
    amount: 1 + dice.below(dice.chance(0.1) ? 9_000_000_000_000 : 100_000),
    currency: dice.chance(0.9) ? 'USD' : 'JPY',
    rail: dice.chance(0.3) ? 'same_day_ach' : null,
    note: dice.chance(0.2) ? `note "${dice.below(9)}", more` : null,
  };
}

export function csvOf(rows: readonly SimRow[], partyColumn: 'payee_id' | 'payer_id'): string {
  const lines = rows.map(({reference, party, amount, currency, rail, note}) =>
    [
      reference,
      party,
      amount,
      currency,
      rail ?? '',
      note === null ? '' : `"${note.replaceAll('"', '""')}"`,
    ].join(','),
  );
  return `reference,${partyColumn},amount_in_minor_units,currency_code,rail,metadata.note\n${lines.join('\n')}\n`;
}

/** Of a results file of ours, where every cell is quoted: reference and state of each record, in order. */
export function readResults(text: string): {reference: string; state: string}[] {
  const [header, ...lines] = text.split('\r\n').filter((line) => line !== '');
  const columns = cellsOf(header!);
  const [reference, state] = [columns.indexOf('remit_reference'), columns.indexOf('remit_state')];
  return lines.map((line) => {
    const cells = cellsOf(line);
    return {reference: cells[reference]!, state: cells[state]!};
  });
}

const cellsOf = (line: string): string[] => line.slice(1, -1).split('","');
