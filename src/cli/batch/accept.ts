import {Flags} from '@oclif/core';
import {ACCEPTABLE, type AcceptName, type CountedName} from '../../batch/model/accept.ts';
import {RemitError} from '../../errors.ts';

/** The statements of the `--accept` flags of one command. */
export interface Accepted {
  duplicates?: number;
  similar?: number;
  hiddenRows?: number;
  paidElsewhere: readonly string[];
  lostJournals: readonly string[];
  differences: boolean;
  rest: boolean;
  refusals: boolean;
  keyTrust: boolean;
  cutInput: boolean;
}

/** One `--accept NAME[=VALUE]`, checked. */
export interface Statement {
  name: AcceptName;
  value: string | null;
}

/** `--accept` of one verb, with the names that apply to it. */
export const acceptFlag = (names: readonly AcceptName[]) => ({
  accept: Flags.custom<Statement>({
    helpGroup: 'ACCEPTANCE',
    ...helpOf(names),
    parse: async (text) => readStatement(text, names),
  })({multiple: true, multipleNonGreedy: true}),
});

function helpOf(names: readonly AcceptName[]): {helpValue: string; description: string} {
  const [only] = names;
  if (only !== undefined && names.length === 1)
    return {helpValue: form(only), description: ACCEPTABLE[only].meaning};
  return {
    helpValue: 'NAME[=VALUE]',
    description: `continue although a check would refuse; can be repeated\n${namesText(names)}`,
  };
}

const form = (name: AcceptName): string => {
  const {value} = ACCEPTABLE[name];
  return value === null ? name : `${name}=${value}`;
};

const namesText = (names: readonly AcceptName[]): string =>
  names.map((name) => `${form(name).padEnd(21)}${ACCEPTABLE[name].meaning}`).join('\n');

function readStatement(text: string, names: readonly AcceptName[]): Statement {
  const at = text.indexOf('=');
  const [typed, value] = at === -1 ? [text, null] : [text.slice(0, at), text.slice(at + 1)];
  const refuse = (why: string): never => {
    throw new RemitError('USAGE', `--accept ${text}: ${why}`, {
      hint: `it takes one of these:\n  ${namesText(names).replaceAll('\n', '\n  ')}`,
    });
  };
  const name =
    names.find((known) => known === typed) ?? refuse(`${typed} is not a name that this command accepts`);
  const wanted = ACCEPTABLE[name].value;
  if (wanted === null && value !== null) refuse(`${name} does not take a value`);
  if (wanted !== null && (value === null || value === '')) refuse(`a value is missing, as in ${form(name)}`);
  if (wanted === 'N' && !/^\d{1,9}$/.test(value ?? '')) refuse(`the value of ${name} is a number of rows`);
  return {name, value};
}

/** @throws RemitError USAGE if a number is stated twice with different values */
export function readAccepted(stated: readonly Statement[] = []): Accepted {
  const valuesOf = (wanted: AcceptName) =>
    new Set(stated.flatMap(({name, value}) => (name === wanted && value !== null ? [value] : [])));
  const has = (name: AcceptName) => stated.some((statement) => statement.name === name);
  const rows = (name: CountedName): number | undefined => {
    const [first, second] = valuesOf(name);
    if (second !== undefined)
      throw new RemitError('USAGE', `--accept states ${name}=${first} and ${name}=${second}`, {
        hint: `state one number: ${form(name)}: ${ACCEPTABLE[name].meaning}`,
      });
    return first === undefined ? undefined : Number(first);
  };
  const [duplicates, similar, hiddenRows] = [rows('duplicates'), rows('similar'), rows('hidden-rows')];
  return {
    ...(duplicates === undefined ? {} : {duplicates}),
    ...(similar === undefined ? {} : {similar}),
    ...(hiddenRows === undefined ? {} : {hiddenRows}),
    paidElsewhere: [...valuesOf('paid-elsewhere')],
    lostJournals: [...valuesOf('lost-journal')],
    differences: has('differences'),
    rest: has('rest'),
    refusals: has('refusals'),
    keyTrust: has('key-trust'),
    cutInput: has('cut-input'),
  };
}
