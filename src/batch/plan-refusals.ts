import {RemitError} from '../errors.ts';
import type {InputFacts, InputFile} from './csv-input.ts';
import type {Issue} from './issues.ts';

/** A pipe that broke off leaves a shorter number as readily as a shorter file; only an ended line proves its end. */
export function checkEnd(input: InputFile, facts: InputFacts, options: {allowCutInput?: boolean}): string[] {
  if (facts.endsWithNewline) return [];
  if (input.isPipe && !options.allowCutInput)
    throw new RemitError(
      'CSV_INVALID',
      `the input from ${input.name} does not end with a line end: it may have been cut`,
      {
        hint: 'check what writes it; if the last row is whole, add a line end or say --allow-cut-input',
      },
    );
  return [`the last line of ${input.name} has no line end; check that the file is whole`];
}

/** `errors`: the first of them; `count`: of all. */
export function invalidFile(input: InputFile, errors: Issue[], count: number): RemitError {
  const rows = new Set(errors.filter((issue) => issue.row > 0).map((issue) => issue.row)).size;
  const where = rows > 0 ? ` in ${rows} ${rows === 1 ? 'row' : 'rows'}` : '';
  return new RemitError(
    'CSV_INVALID',
    `${input.name} has ${count} ${count === 1 ? 'error' : 'errors'}${where}; nothing was sent`,
    {
      details: {file: input.path, errors_total: count, errors},
      hint:
        rows > 0
          ? 'mend the file and plan again, or plan the rows without errors with --valid-only'
          : errors.some(({code}) => code === 'amount-unit')
            ? 'say which with --amount-unit and plan again'
            : 'mend the header and plan again',
    },
  );
}

export function noValidRow(input: InputFile, errors: Issue[], count: number): RemitError {
  if (count > 0) {
    const refusal = invalidFile(input, errors, count);
    return new RemitError('CSV_INVALID', `${input.name} has no row without errors; nothing was sent`, {
      details: refusal.details,
    });
  }
  return new RemitError('CSV_INVALID', `${input.name} has a header and no rows; nothing was sent`, {
    hint: 'remit payouts batch template prints a file to start from',
  });
}
