import assert from 'node:assert/strict';
import {inspect} from 'node:util';
import {idText, isId, isIdField, isSameId, withTextIds} from '../../src/contract/ids.ts';
import {ExactNumber, type JsonFields} from '../../src/narrow.ts';
import {checkService} from '../../src/service/file/parse.ts';

const UUID = '018f0000-0000-7000-8000-00000000000a';

describe('an id', () => {
  for (const [text, isUuid, isAny] of [
    [UUID, true, true],
    [UUID.toUpperCase(), true, true],
    [`${UUID}0`, false, true],
    [`x${UUID}`, false, true],
    ['po_17', false, true],
    ['A:b~c.d-9', false, true],
    ['7', false, true],
    ['x'.repeat(144), false, true],
    ['x'.repeat(145), false, false],
    ['-x', false, false], // a flag
    ['=1+1', false, false], // a formula
    ['a b', false, false],
    ['a/b', false, false],
    ['', false, false],
  ] as const)
    it(`is ${isUuid ? 'a UUID' : isAny ? 'another id' : 'none'}: ${JSON.stringify(text.slice(0, 50))}`, () => {
      assert.deepEqual([isId(text, 'uuid'), isId(text, 'any')], [isUuid, isAny]);
    });

  it('is the same in another case only if it is a UUID', () => {
    assert.equal(isSameId(UUID, UUID.toUpperCase()), true);
    assert.equal(isSameId('po_a', 'po_A'), false);
    assert.equal(isSameId('po_a', 'po_a'), true);
  });

  it('is in a field named id, or whose name ends so', () => {
    assert.deepEqual(['id', 'payee_id', 'paid', 'id_type'].map(isIdField), [true, true, false, false]);
  });

  for (const [value, text] of [
    ['po_17', 'po_17'],
    [17, '17'],
    [0, '0'],
    [-1, undefined],
    [1.5, undefined],
    [2 ** 53, undefined], // it may have been rounded
    [new ExactNumber('9007199254740993'), '9007199254740993'],
    [new ExactNumber('-9007199254740993'), undefined],
    [new ExactNumber('1.5'), undefined],
    [new ExactNumber('9'.repeat(41)), undefined],
    [null, undefined],
    [{}, undefined],
  ] as const)
    it(`is ${text ?? 'unreadable'} if it is sent as ${inspect(value)}`, () =>
      assert.equal(idText(value), text));

  it('becomes text in the fields of a record, unless one was rounded', () => {
    const record = {id: 7, payee_id: 'a', payer_id: null, amount: 5};
    const fields = ['id', 'payee_id', 'payer_id'];
    assert.deepEqual(withTextIds<JsonFields>(record, fields), {...record, id: '7'});
    assert.deepEqual(record.id, 7);
    assert.equal(withTextIds<JsonFields>({...record, payer_id: 2 ** 53}, fields), undefined);
    const plain = {id: 'x'};
    assert.equal(withTextIds(plain, fields), plain);
  });

  it('may have either format in a service file, and no other', () => {
    for (const format of ['uuid', 'any']) checkService({ids: {format}}, 'service');
    assert.throws(() => checkService({ids: {format: 'number'}}, 'service'), {code: 'SERVICE_FILE'});
  });
});
