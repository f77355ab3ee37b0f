import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {fitColumns, GAP, type ColumnSize} from '../../../src/output/records/fit.ts';

const id = (rank = 0): ColumnSize => ({rank, width: 36, short: 9, least: 36});
const word = (rank: number, width: number): ColumnSize => ({rank, width, short: width, least: width});
const words = (rank: number, width: number): ColumnSize => ({rank, width, short: width, least: 8});

/** The columns of a move: id, status, amount, from, to, description, created. */
const MOVE = [id(), word(0, 7), word(0, 12), id(1), id(1), words(1, 24), word(2, 14)];

describe('the columns of a table on a terminal', () => {
  it('are complete if they fit', () => {
    assert.deepEqual(fitColumns(MOVE, 200), {kept: [0, 1, 2, 3, 4, 5, 6], shortened: new Set()});
  });

  it('shorten the ids of others before their own', () => {
    assert.deepEqual(fitColumns(MOVE, 130), {kept: [0, 1, 2, 3, 4, 5, 6], shortened: new Set([3, 4])});
  });

  it('keep from, to and description at 80 characters, and lose the time first', () => {
    assert.deepEqual(fitColumns(MOVE, 80), {kept: [0, 1, 2, 3, 4, 5], shortened: new Set([0, 3, 4])});
  });

  it('lose what matters least before an id is shortened, and get it back if it fits afterwards', () => {
    const sizes = [id(), word(0, 30), word(1, 10), word(3, 5)];
    assert.deepEqual(fitColumns(sizes, 82), {kept: [0, 1, 2], shortened: new Set()});
    assert.deepEqual(fitColumns(sizes, 79), {kept: [0, 1, 2, 3], shortened: new Set([0])});
  });

  it('get back those that matter more first, up to the last cell', () => {
    const sizes = [id(), word(0, 30), word(4, 8), word(3, 8)];
    for (const [room, kept] of [
      [60, [0, 1, 3]],
      [51, [0, 1, 3]],
      [50, [0, 1]],
    ] as const)
      assert.deepEqual(fitColumns(sizes, room), {kept, shortened: new Set([0])}, `${room}`);
  });

  it('fit whenever those that are always shown do, and keep these', () => {
    const size = fc.record({
      ...{rank: fc.nat(4), width: fc.integer({min: 1, max: 60})},
      ...{cut: fc.nat(50), brk: fc.nat(50)},
    });
    const sizes = fc.array(
      size.map(({rank, width, cut, brk}) => ({
        ...{rank, width, short: Math.max(1, width - cut)},
        least: Math.max(1, width - brk),
      })),
      {minLength: 1, maxLength: 9},
    );
    fc.assert(
      fc.property(sizes, fc.integer({min: 20, max: 200}), (columns, room) => {
        const {kept, shortened} = fitColumns(columns, room);
        const widthOf = (index: number) => {
          const {width, short, least} = columns[index]!;
          return Math.min(shortened.has(index) ? short : width, Math.max(least, 16));
        };
        const always = columns.flatMap(({rank}, index) => (rank === 0 ? [index] : []));
        for (const index of always) assert.ok(kept.includes(index));
        const total = kept.reduce((sum, index) => sum + widthOf(index) + GAP, -GAP);
        assert.ok(total <= room || kept.every((index) => columns[index]!.rank === 0));
      }),
    );
  });
});
