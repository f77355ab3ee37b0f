import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {LIFECYCLES, type Lifecycle} from '../../src/contract/lifecycle.ts';
import {tableRows} from '../repo/markdown.ts';
import {readText, sourcesUnder} from '../repo/tree.ts';

/** Numbers of assumptions that sources name: `assumed(4)`, `Assumption 10`, `assumptions 1, 2 and 12 to 14`, `row 52`, `Row 41`. */
function rowsNamedIn(text: string): number[] {
  const phrase = /assumed\((\d+)\)|\b(?:assumptions?|rows?) ((?:\d+(?:, | and | to )?)+)/gi;
  return [...text.matchAll(phrase)].flatMap(([, call, list = '']) =>
    call !== undefined
      ? [Number(call)]
      : [...list.matchAll(/(\d+)(?: to (\d+))?/g)].flatMap(([, from, to]) => {
          const [first, last] = [Number(from), Number(to ?? from)];
          return Array.from({length: last - first + 1}, (_, index) => first + index);
        }),
  );
}

describe('docs of the contract', () => {
  const rows = tableRows(readText('docs/internals/assumptions.md')).map(({cells}) => Number(cells[0]));

  it('have one assumption for each number, without a gap', () => {
    assert.deepEqual(
      [...rows].sort((a, b) => a - b),
      Array.from({length: rows.length}, (_, index) => index + 1),
    );
  });

  it('have a row for every assumption that the sources name', () => {
    assert.deepEqual(
      rowsNamedIn('assumed(4), row 52; assumptions 1, 2 and 12 to 14. Row 41: five rows'),
      [4, 52, 1, 2, 12, 13, 14, 41],
    );
    const unknown = sourcesUnder('src/contract').flatMap(({path, text}) =>
      rowsNamedIn(text)
        .filter((row) => !rows.includes(row))
        .map((row) => `${path} names row ${row}, which docs/internals/assumptions.md does not have`),
    );
    assert.equal(unknown.join('\n'), '');
  });

  it('draw every lifecycle as the contract has it', () => {
    const documented = tableRows(readText('docs/reference/lifecycles.md')).map(({heading, cells}) => [
      heading,
      ...cells,
    ]);
    const declared = Object.entries(LIFECYCLES as Record<string, Lifecycle>).flatMap(([name, {next, good}]) =>
      Object.entries(next).map(([from, to]) => {
        const end = good.includes(from) ? 'an end: success' : 'an end: failure';
        return [name, from, to.length > 0 ? to.join(', ') : end];
      }),
    );
    assert.deepEqual(
      documented,
      declared,
      'correct docs/reference/lifecycles.md or src/contract/lifecycle.ts',
    );
  });
});
