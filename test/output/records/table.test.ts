import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {boundedCell} from '../../../src/output/records/table.ts';
import {text} from '../../../src/output/records/view.ts';
import {ansiPaint} from '../../../src/output/text/colour.ts';
import {makeOutput} from '../make-output.ts';

const view = {
  noun: 'value',
  plural: 'values',
  card: [],
  columns: [text('Where', 'where'), text('Effect', 'effect')],
};
const records = [
  {where: 'amount', effect: 'the bank sends it back two days on'},
  {where: 'last two digits', effect: 'it is paid'},
];

describe('a cell of a table', () => {
  const cut = (cell: string) => boundedCell(cell, {terminal: true});

  it('is cut after 2000 characters on a terminal, but not within one', () => {
    assert.equal(cut('a'.repeat(2000)), 'a'.repeat(2000));
    assert.equal(cut('a'.repeat(2001)), `${'a'.repeat(2000)}…`);
    assert.equal(cut(`${'a'.repeat(1999)}😀😀`), `${'a'.repeat(1999)}…`);
    assert.equal(cut(`${'a'.repeat(1998)}😀😀`), `${'a'.repeat(1998)}😀…`);
    assert.equal(boundedCell('a'.repeat(3000), {terminal: false}), 'a'.repeat(3000));
  });

  it('ends its colours', () => {
    const [red, end] = ansiPaint('red', '|').split('|') as [string, string];
    assert.equal(cut(ansiPaint('red', 'a'.repeat(3000))), `${red}${'a'.repeat(2000 - red.length)}…${end}`);
    const atEnd = 'a'.repeat(1998);
    assert.equal(cut(`${atEnd}${ansiPaint('red', 'b')}`), `${atEnd}…${red}${end}`);
  });
});

describe('a table on a terminal', () => {
  it('is wrapped between words if it is wider than the terminal, even by one character', async () => {
    for (let columns = 16; columns <= 60; columns += 1) {
      const {out, stdout} = makeOutput({colour: 'never'}, {columns});
      await out.list(records, view);
      const lines = stdout.text.trimEnd().split('\n');
      for (const line of lines) assert.ok(line.length <= columns, `${columns}: ${line}`);
      if (columns >= 51) assert.equal(lines.length, 3, `${columns} characters are enough`);
    }
  });

  it('with a long text takes no longer for each of its lines', async () => {
    const long = 'Invoice 4711 of March '.repeat(40_000);
    const {out, stdout} = makeOutput({colour: 'never'}, {columns: 80});
    await out.list([{where: 'here', effect: long}], view);
    assert.equal(stdout.text.replaceAll(/\s+/g, ' ').includes(long.trim().slice(0, 200)), true);
    assert.ok(stdout.text.split('\n').length > 20, 'it is wrapped');
    assert.match(stdout.text, /…/);
    const wide = makeOutput({colour: 'never'}, {columns: 80});
    await wide.out.list([{where: '界'.repeat(50_000), effect: 'none'}], view);
    assert.ok(wide.stdout.text.length < 50_000);
  });
});
