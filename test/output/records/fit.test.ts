import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {fitColumns, GAP, type ColumnSize} from '../../../src/output/records/fit.ts';

const id = (rank = 0): ColumnSize => ({rank, width: 36, least: 36});
const word = (rank: number, width: number): ColumnSize => ({rank, width, least: width});
const words = (rank: number, width: number): ColumnSize => ({rank, width, least: 8});

/** The columns of a move: id, status, amount, from, to, description, created. */
const MOVE = [id(), word(0, 7), word(0, 12), id(2), id(2), words(1, 24), word(1, 14)];

describe('the columns of a table on a terminal', () => {
  it('are complete if they fit', () => {
    assert.deepEqual(fitColumns(MOVE, 200), [0, 1, 2, 3, 4, 5, 6]);
  });

  it('lose the ids of others before the time and the description, and the id of the record never', () => {
    assert.deepEqual(fitColumns(MOVE, 160), [0, 1, 2, 3, 5, 6]);
    assert.deepEqual(fitColumns(MOVE, 120), [0, 1, 2, 5, 6]);
    assert.deepEqual(fitColumns(MOVE, 79), [0, 1, 2, 5]);
    assert.deepEqual(fitColumns(MOVE, 40), [0, 1, 2]);
  });

  it('lose what matters least once texts are broken', () => {
    const sizes = [id(), words(0, 30), word(1, 10), word(3, 5)];
    assert.deepEqual(fitColumns(sizes, 82), [0, 1, 2, 3]);
    assert.deepEqual(fitColumns(sizes, 72), [0, 1, 2]);
  });

  it('get back those that matter more first, up to the last cell', () => {
    const sizes = [word(0, 9), word(0, 30), word(4, 8), word(3, 8)];
    for (const [room, kept] of [
      [61, [0, 1, 2, 3]],
      [60, [0, 1, 3]],
      [51, [0, 1, 3]],
      [50, [0, 1]],
    ] as const)
      assert.deepEqual(fitColumns(sizes, room), kept, `${room}`);
  });

  it('fit whenever those that are always shown do, and keep these', () => {
    const size = fc.record({rank: fc.nat(4), width: fc.integer({min: 1, max: 60}), brk: fc.nat(50)});
    const sizes = fc.array(
      size.map(({rank, width, brk}) => ({rank, width, least: Math.max(1, width - brk)})),
      {minLength: 1, maxLength: 9},
    );
    fc.assert(
      fc.property(sizes, fc.integer({min: 20, max: 200}), (columns, room) => {
        const kept = fitColumns(columns, room);
        const widthOf = (index: number) => {
          const {width, least} = columns[index]!;
          return Math.min(width, Math.max(least, 16));
        };
        const always = columns.flatMap(({rank}, index) => (rank === 0 ? [index] : []));
        for (const index of always) assert.ok(kept.includes(index));
        const total = kept.reduce((sum, index) => sum + widthOf(index) + GAP, -GAP);
        assert.ok(total <= room || kept.every((index) => columns[index]!.rank === 0));
      }),
    );
  });
});
