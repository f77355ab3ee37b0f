import {DIFFERING_FIELDS} from './row-fields.ts';

/**
 * What `--accept` can state, so that a script can continue where a batch would be refused. The value is a number of
 * rows, a name, or nothing. Help and usage errors print the meaning.
 */
export const ACCEPTABLE = {
  duplicates: {value: 'N', meaning: 'N rows repeat a party, amount and currency'},
  similar: {value: 'N', meaning: 'N references differ only in case or spaces'},
  'paid-elsewhere': {
    value: 'NAME',
    meaning: 'NAME used these references for other payments',
  },
  'lost-journal': {
    value: 'NAME',
    meaning: 'the journal of batch NAME cannot be read, and it paid none of these rows',
  },
  differences: {value: null, meaning: `release although ${DIFFERING_FIELDS} differ`},
  rest: {value: null, meaning: 'release although rows are in doubt or in conflict'},
  refusals: {value: null, meaning: '4xx answers before the first success are final'},
  'key-trust': {
    value: null,
    meaning: '--direct with a live key: the service remembers keys',
  },
  'hidden-rows': {value: 'N', meaning: 'N hidden, filtered or struck-through rows of the sheet are included'},
  'cut-input': {value: null, meaning: 'piped input is complete without a final newline'},
} as const satisfies Record<string, {value: 'N' | 'NAME' | null; meaning: string}>;

export type AcceptName = keyof typeof ACCEPTABLE;
type NameTaking<Value> = {
  [Name in AcceptName]: (typeof ACCEPTABLE)[Name]['value'] extends Value ? Name : never;
}[AcceptName];
export type CountedName = NameTaking<'N'>;
export type BareName = NameTaking<null>;

/** The arguments that state this: `--accept duplicates=2`. Hints are always built with this function. */
export function accepting(name: BareName): [string, string];
export function accepting(name: CountedName, rows: number): [string, string];
export function accepting(name: 'paid-elsewhere' | 'lost-journal', place: string): [string, string];
export function accepting(name: AcceptName, value?: number | string): [string, string] {
  return ['--accept', value === undefined ? name : `${name}=${value}`];
}

/** The command that was typed, with these arguments added and those flags left out. */
export type Retype = (words: readonly string[], without?: readonly string[]) => string;
