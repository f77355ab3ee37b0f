import {RemitError} from '../../errors.ts';
import {assumedKey} from '../../service/file/assumption.ts';
import type {Page} from './page.ts';
import type {Printable} from '../../narrow.ts';

export function repeatedCursor(cursor: string): RemitError {
  const assumption = assumedKey(39, 'paging.cursor', 'the parameter of the cursor is assumed');
  return new RemitError(
    'CURSOR_REPEATED',
    `the service sent the same page cursor twice; the list was stopped there (${assumption.text})`,
    {details: {cursor, assumption}},
  );
}

export function tooManyPages(pages: number, cursor: string): RemitError {
  const assumption = nextPage();
  return new RemitError(
    'LIST_CUT',
    `the service sent ${pages} pages and has more; the list was stopped there, and continues at the cursor ${cursor} (${assumption.text})`,
    {details: {cursor, assumption}},
  );
}

export function endless(pages: number): RemitError {
  const assumption = nextPage();
  return new RemitError(
    'LIST_CUT',
    `the service sent ${pages} empty pages in a row, each with another next_cursor; the list was stopped there (${assumption.text})`,
    {details: {assumption}},
  );
}

const nextPage = () => assumedKey(39, 'paging.by', 'the way to the next page is assumed');

export function repeatedPage(): RemitError {
  const assumption = assumedKey(39, 'paging.cursor', 'the parameter of the cursor is assumed');
  return new RemitError(
    'LIST_CUT',
    `the service sent the records of an earlier page again, with another cursor; the list was stopped there (${assumption.text})`,
    {details: {assumption}},
  );
}

/** The list may continue after a page, but nothing leads there. */
export function unclearEnd({moreBy = [], cursorKey, missing, items}: Page<Printable>): RemitError {
  const assumption =
    cursorKey !== undefined
      ? assumedKey(39, 'envelopes.next', 'the place of the cursor is assumed')
      : missing?.key === 'envelopes.total'
        ? assumedKey(39, 'envelopes.total', 'the place of the number of all records is assumed')
        : nextPage();
  const seen =
    moreBy.length > 0
      ? `the service announced more pages (${moreBy.join(', ')}), but sent no usable next_cursor`
      : missing === undefined
        ? `the service sent ${recordsOf(items.length)}, and nothing in the answer states whether the list ends there`
        : `the service sent ${recordsOf(missing.read)}, but states that the list has ${missing.total}`;
  const state = moreBy.length === 0 && missing === undefined ? 'may be' : 'is';
  return new RemitError('LIST_CUT', `${seen}: the list ${state} incomplete (${assumption.text})`, {
    details: {keys: moreBy, assumption},
  });
}

const recordsOf = (count: number): string => (count === 1 ? '1 record' : `${count} records`);
