import type {CellRole} from '../batch/input/cell-text.ts';
import {ACCOUNT_FIELDS, BANK_FIELDS} from '../contract/markets.ts';
import {REFERENCE_METADATA_KEY} from '../batch/model/identity.ts';
import {nearest} from '../nearest.ts';

/** The columns of a file of payees or payers. */
const PARTY = ['reference', 'name', 'type', 'email', 'country', 'currency', 'holder_name', 'account_type'];
const NUMBERS: readonly string[] = [...new Set(ACCOUNT_FIELDS.map(({name}) => name))];
const BANK: readonly string[] = [...new Set(BANK_FIELDS.map(({name}) => name))];
const CARD = ['card_number', 'exp_month', 'exp_year'];
const METADATA = 'metadata.';

/** Columns whose cells are account or card numbers: they are never shown, nor written to disk. */
const SECRET: ReadonlySet<string> = new Set([...NUMBERS, 'card_number']);

/** Whether a cell may contain a number of an account, or one that was put into the wrong column. */
export const isSecret = (column: string): boolean => SECRET.has(column) || BANK.includes(column);

/** The columns of bank accounts and of cards, without those that only some countries have. */
export const ACCOUNT_COLUMNS = {bank: BANK, numbers: NUMBERS, card: CARD};

/** The position of each column in a record. */
export interface Columns {
  headers: readonly string[];
  at: ReadonlyMap<string, number>;
  metadata: readonly {key: string; index: number}[];
}

const fold = (text: string): string => text.toLowerCase().replace(/[\s_-]+/gu, '');

/**
 * Reads a header. Names match regardless of case, spaces, underscores and hyphens. An unknown column is an error, because
 * a misspelt one would silently not be sent.
 * @param isPayer a payer has no cards
 */
export function readColumns(
  headers: readonly string[],
  {isPayer}: {isPayer: boolean},
): {columns: Columns; problems: string[]} {
  const known = [...PARTY, ...BANK, ...NUMBERS, ...(isPayer ? [] : CARD)];
  const problems: string[] = [];
  const at = new Map<string, number>();
  const metadata: {key: string; index: number}[] = [];
  headers.forEach((header, index) => {
    const text = header.trim();
    const shown = JSON.stringify(text.slice(0, 40).replaceAll(/\d{5,}/g, '…'));
    const name = known.find((one) => fold(one) === fold(text));
    if (text.toLowerCase().startsWith(METADATA)) {
      const key = text.slice(METADATA.length);
      if (key === '' || key === '__proto__') problems.push(`${shown} names no metadata key`);
      else if (key === REFERENCE_METADATA_KEY)
        problems.push(`${REFERENCE_METADATA_KEY} is reserved: the reference is sent under this key`);
      else if (metadata.some((other) => other.key === key))
        problems.push(`two columns mean ${METADATA}${key}`);
      else metadata.push({key, index});
    } else if (name === undefined) {
      const near = nearest(text.toLowerCase(), known);
      problems.push(
        `unknown column ${shown}${near === undefined ? '' : ` (did you mean ${near}?)`}; the columns are ${known.join(', ')}, metadata.KEY`,
      );
    } else if (at.has(name)) problems.push(`two columns mean ${name}`);
    else at.set(name, index);
  });
  for (const name of ['reference', 'name'])
    if (!at.has(name)) problems.push(`the file has no column ${name}`);
  if (![...NUMBERS, 'card_number'].some((name) => at.has(name)))
    problems.push(`the file has no column with account numbers: ${[...SECRET].join(', ')}`);
  return {columns: {headers, at, metadata}, problems};
}

/** How the cells of a sheet are read. */
export const rolesOf = ({at, metadata}: Columns): ReadonlyMap<number, CellRole> =>
  new Map([
    ...[...at].map(([name, index]): [number, CellRole] => [index, isSecret(name) ? 'digits' : 'name']),
    ...metadata.map(({index}): [number, CellRole] => [index, 'metadata']),
  ]);
