import {keysOf} from '../../narrow.ts';

/** How the bank reports the lines of a treasury account, from helpful to useless. */
const BANK_DIALECTS = {
  id: 'the text has the id of the record',
  trace: 'the text has the trace number only',
  'cut-140': 'trace number and id, cut after 140 characters',
  'cut-35': 'the same, cut after 35 characters',
  'cut-18': 'the same, cut after 18 characters',
  'cut-10': 'the same, cut after 10 characters',
  empty: 'no text',
  'ach-file': 'one line for each ACH file',
  'net-fee': 'a fee is taken from each payment that arrives, and added to each that leaves',
  pending: 'a pending line first, then a posted one with another id',
} as const;

export type BankDialect = keyof typeof BANK_DIALECTS;

export const BANK_DIALECT_NAMES = keysOf(BANK_DIALECTS);

/** What a bank could write about a line. */
export interface LineWords {
  /** The text as the dialect `id` writes it. */
  readonly description: string;
  /** Trace number or end-to-end id; undefined for what has none. */
  readonly trace?: string | undefined;
  readonly returnCode?: string | undefined;
}

const CUT: Readonly<Partial<Record<BankDialect, number>>> = {
  ...{'cut-140': 140, 'cut-35': 35, 'cut-18': 18, 'cut-10': 10},
};

/** The text of a line; null if there is none. */
export function lineText(dialect: BankDialect, {description, trace, returnCode}: LineWords): string | null {
  if (dialect === 'empty') return null;
  const mark = returnCode === undefined ? [] : [`RETURN ${returnCode}`];
  if (dialect === 'trace') return [...mark, ...(trace === undefined ? [] : [trace])].join(' ') || null;
  const length = CUT[dialect];
  if (length === undefined) return returnCode === undefined ? description : `${description}, ${returnCode}`;
  return [...mark, ...(trace === undefined ? [] : [trace]), description].join(' ').slice(0, length).trimEnd();
}

/** 25 cents. */
export const BANK_FEE_MINOR = 25;
