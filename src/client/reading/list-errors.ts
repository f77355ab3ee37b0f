import {RemitError} from '../../errors.ts';

export function repeatedCursor(cursor: string): RemitError {
  return new RemitError(
    'CURSOR_REPEATED',
    'the service sent the same page cursor twice; the list was stopped there',
    {
      details: {cursor},
    },
  );
}

export const tooManyPages = (pages: number, cursor: string): RemitError =>
  new RemitError(
    'LIST_CUT',
    `the service sent ${pages} pages and has more; the list was stopped there, and continues at the cursor ${cursor}`,
    {details: {cursor}},
  );

export const endless = (pages: number): RemitError =>
  new RemitError(
    'LIST_CUT',
    `the service sent ${pages} empty pages in a row, each with another next_cursor; the list was stopped there`,
  );

export const repeatedPage = (): RemitError =>
  new RemitError(
    'LIST_CUT',
    'the service sent the records of the previous page again, with another next_cursor; the list was stopped there',
  );

export function unclearEnd(keys: readonly string[]): RemitError {
  const names = keys.join(', ');
  return new RemitError(
    'LIST_CUT',
    `the service announced more pages (${names}), but sent no usable next_cursor: the list is incomplete`,
    {details: {keys}},
  );
}
