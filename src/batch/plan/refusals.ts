import {counted} from '../../phrases.ts';
import {RemitError} from '../../errors.ts';
import {type InputFacts, type InputFile, startFrom} from '../input/csv-input.ts';
import {accepting, type Retype} from '../model/accept.ts';
import type {IssueCounts} from '../input/issue-groups.ts';
import type {Issue} from '../model/issue.ts';
import type {SheetPlace, SourceEnd} from '../input/record.ts';

export const bare: Retype = (words) => words.join(' ');

/**
 * A truncated pipe may shorten the last number as well as the file; only a final newline shows that it is complete.
 */
export function checkEnd(
  input: InputFile,
  facts: InputFacts,
  {allowCutInput, retype = bare}: {allowCutInput?: boolean; retype?: Retype},
): string[] {
  if (facts.endsWithNewline) return [];
  if (input.isPipe && !allowCutInput)
    throw new RemitError(
      'CSV_INVALID',
      `the input from ${input.name} does not end with a newline: it may be truncated`,
      {
        hint: `check the program that writes it; if the last row is complete, add a newline, or: ${retype(accepting('cut-input'))}`,
      },
    );
  return [`${input.name} does not end with a newline; check that the file is complete`];
}

/**
 * Rows that a filter or a person has hidden, or has struck through, are in the file, but the person who checks the sheet does not see them. So
 * they are neither paid nor left out without a word.
 */
export function checkHidden(
  input: InputFile,
  sheet: SheetPlace | undefined,
  {count, lines}: SourceEnd['hiddenRecords'],
  {allowHiddenRows, retype = bare}: {allowHiddenRows?: number | undefined; retype?: Retype},
): string[] {
  if (count === (allowHiddenRows ?? 0) || sheet === undefined)
    return count === 0
      ? []
      : [
          `${counted(count, 'row')} of the sheet ${count === 1 ? 'is' : 'are'} hidden, filtered out or struck through, and included`,
        ];
  const named = `${lines.join(', ')}${count > lines.length ? ', …' : ''}`;
  const found =
    count === 0
      ? `no row of sheet ${sheet.name} is hidden or struck through`
      : `sheet ${sheet.name} has ${counted(count, 'row')} that ${count === 1 ? 'is' : 'are'} hidden, filtered out or struck through (${named})`;
  const isStated = allowHiddenRows !== undefined;
  const stated = isStated ? `, not ${allowHiddenRows} as stated with --accept hidden-rows` : '';
  throw new RemitError('CSV_INVALID', `${input.name}: ${found}${stated}; nothing was sent`, {
    details: {hidden_rows: count},
    hint:
      count === 0
        ? 'leave out --accept hidden-rows'
        : isStated
          ? `check the rows of the sheet; if all of them are intended, state --accept hidden-rows=${count}`
          : `show all rows (Data > Clear), delete those that are not to be paid, remove the strikethrough of the others, and save; or include them: ${retype(accepting('hidden-rows', count))}`,
  });
}

/** What is wrong with a file. */
export interface FileErrors extends IssueCounts {
  /** The first issues, in row order. */
  errors: Issue[];
}

export function invalidFile(input: InputFile, found: FileErrors): RemitError {
  const {errors, issues, rows, groups} = found;
  const where = rows > 0 ? ` in ${counted(rows, 'row')}` : '';
  return new RemitError(
    'CSV_INVALID',
    `${input.name} has ${counted(issues, 'error')}${where}; nothing was sent`,
    {
      details: {file: input.path, errors_total: issues, error_groups: groups, errors},
      hint:
        rows > 0
          ? 'fix the file and plan again, or plan the rows without errors with --valid-only'
          : errors.some(({code}) => code === 'amount-unit')
            ? 'plan again with --amount-unit major, or with --amount-unit minor'
            : 'fix the header, or add --map and --ignore-column, and run the command again',
    },
  );
}

export function noValidRow(input: InputFile, found: FileErrors): RemitError {
  if (found.issues > 0) {
    const {details} = invalidFile(input, found);
    const isUnit = found.groups.some(({code}) => code === 'amount-unit');
    const why = isUnit
      ? 'needs --amount-unit: the unit of its amounts cannot be told'
      : 'has no row without errors';
    return new RemitError('CSV_INVALID', `${input.name} ${why}; nothing was sent`, {details});
  }
  return new RemitError('CSV_INVALID', `${input.name} has a header and no rows; nothing was sent`, {
    hint: input.template === undefined ? undefined : startFrom(input.template),
  });
}
