import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ExactNumber} from '../../../src/narrow.ts';
import {pickFields, readFields, runQuery, selectedValue} from '../../../src/output/records/select.ts';

describe('fields of a record', () => {
  const record = {id: 1, m: {a: {b: 2}, c: null}, list: [{id: 3}]};

  it('are found by a dotted path, and only own ones', () => {
    assert.equal(selectedValue(record, 'm.a.b'), 2);
    assert.equal(selectedValue(record, 'list.0.id'), 3);
    assert.equal(selectedValue(record, 'm.c'), null);
    for (const path of ['m.x', 'm.c.d', 'id.x', 'constructor', 'm.toString', ''])
      assert.equal(selectedValue(record, path), undefined, path);
    for (const value of [null, 'text', 5]) assert.equal(selectedValue(value, 'id'), undefined);
  });

  it('are found by as many paths as a service invents', () => {
    const names = Array.from({length: 2500}, (_, n) => `field_${n}`);
    const wide = {m: Object.fromEntries(names.map((name, n) => [name, n]))};
    for (let round = 0; round < 2; round += 1)
      for (const [n, name] of names.entries()) assert.equal(selectedValue(wide, `m.${name}`), n);
  });

  it('are selected in the requested order, nested as before, null if missing', () => {
    assert.equal(
      JSON.stringify(pickFields(record, ['m.a.b', 'id', 'm.c', 'x'])),
      '{"m":{"a":{"b":2},"c":null},"id":1,"x":null}',
    );
    assert.deepEqual(pickFields([record, 'text', null], ['id']), [{id: 1}, 'text', null]);
    assert.equal(pickFields(record, []), record);
    assert.deepEqual(pickFields(record, ['__proto__.x', 'id']), {id: 1});
    assert.deepEqual(pickFields({a: 5}, ['a', 'a.b']), {a: {b: null}});
  });

  it('are named by a comma-separated list without empty names', () => {
    assert.deepEqual(readFields(' id, m.a '), ['id', 'm.a']);
    for (const text of ['', 'id,', 'id,,m', 'm..a', '.a'])
      assert.throws(() => readFields(text), {code: 'USAGE', hint: /--fields id,status/});
  });

  it('keep all digits in a query, unless it computes: then the first rounded number is reported', async () => {
    const long = new ExactNumber('12345678901234567890.5');
    const inexact = {list: [{n: 1}, {n: long, name: 'long'}, {n: new ExactNumber('1.00000000000000000001')}]};
    for (const [query, found, reported] of [
      ['list[1].n', long, []],
      ['list[?n > `2`].name', ['long'], [long]],
      ['max(list[].n)', Number(long.text), [long]],
    ] as const) {
      const rounded: ExactNumber[] = [];
      assert.deepEqual(await runQuery(inexact, query, (number) => rounded.push(number)), found, query);
      assert.deepEqual(rounded, reported, query);
    }
  });

  it('are refused as usage where a query does not fit', async () => {
    const never = () => assert.fail('no number is rounded');
    assert.equal(await runQuery(record, 'm.a.b', never), 2);
    await assert.rejects(runQuery(record, 'length(id)', never), {
      code: 'USAGE',
      message: /does not fit this result/,
    });
  });
});
