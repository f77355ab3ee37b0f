import assert from 'node:assert/strict';
import {lossText, readBody} from '../../src/webhooks/delivery/losses.ts';

const read = (text: string) => readBody(Buffer.from(text));
const lost = (text: string) => read(text).lost.map(({path, kind, sent}) => [path, kind, sent]);

describe('what the parsed form of a body does not show', () => {
  it('is nothing for an ordinary event', () => {
    const event =
      '{"id":"e1","type":"a.b","data":{"amount":500,"list":[1,-2.50,{"a":"\\"x\\": 1"}],"t":true,"n":null}}';
    assert.deepEqual(read(event), {body: JSON.parse(event), lost: []});
    assert.deepEqual(read('\ufeff [ 1 , "a" ] '), {body: [1, 'a'], lost: []});
    assert.deepEqual(read('not json'), {body: null, lost: []});
    assert.deepEqual(read(''), {body: null, lost: []});
  });

  it('is a number that a double cannot represent', () => {
    for (const sent of [
      '9007199254740993',
      '-9007199254740993',
      '123456789012345678901',
      '0.1234567890123456789',
      '1e400',
    ])
      assert.deepEqual(lost(`{"data":{"amount":${sent}}}`), [['data.amount', 'number', sent]], sent);
    for (const sent of [
      '9007199254740991',
      '9007199254740992',
      '0.1',
      '1.50',
      '1E3',
      '1.0e-3',
      '-0',
      '0.0',
      '1e21',
    ])
      assert.deepEqual(lost(`[${sent}]`), [], sent);
    assert.deepEqual(lost('[0,[1,9007199254740993]]'), [['1.1', 'number', '9007199254740993']]);
    assert.deepEqual(lost('9007199254740993'), [['', 'number', '9007199254740993']]);
    assert.match(
      lossText({path: 'data.amount', kind: 'number', sent: '9007199254740993'}),
      /data\.amount was sent as 9007199254740993: most programs read 9007199254740992/,
    );
  });

  it('is a name that occurs twice, however it is written', () => {
    const {body, lost: found} = read('{"data":{"id":"a","x":{"id":1},"\\u0069d" : "b"}}');
    assert.deepEqual(body, {data: {id: 'b', x: {id: 1}}});
    assert.deepEqual(found, [{path: 'data.id', kind: 'duplicate_key', sent: null}]);
    assert.deepEqual(lost('[{"a":1},{"a":2},"a",{"b":"a"}]'), []);
    assert.deepEqual(lost('{"a":"{\\"a\\":1}","b\\\\":1,"b\\\\":2}'), [
      ['b\\\\'.slice(0, 2), 'duplicate_key', null],
    ]);
    assert.match(lossText(found[0]!), /data\.id occurs more than once/);
    for (const many of [7, 8, 9, 10, 30]) {
      const names = Array.from({length: many}, (_, nth) => `"n${nth}":1`);
      assert.deepEqual(lost(`{${names.join()}}`), [], String(many));
      assert.deepEqual(
        lost(`{${[...names, `"n${many - 1}":2`, '"last":3', '"n0":4'].join()}}`),
        [`n${many - 1}`, 'n0'].map((name) => [name, 'duplicate_key', null]),
      );
    }
  });

  it('is everything if the nesting would overflow a stack', () => {
    const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
    assert.equal(read(deep(200)).lost.length, 0);
    assert.deepEqual(read(deep(201)), {body: null, lost: [{path: '', kind: 'too_deep', sent: null}]});
    assert.equal(read(deep(400_000)).body, null);
    assert.match(lossText(read(deep(201)).lost[0]!), /nested more than 200 levels deep/);
  });

  it('is listed up to a limit, with long numbers cut', () => {
    const many = read(`[${Array.from({length: 1000}, () => '9007199254740993').join(',')}]`);
    assert.equal(many.lost.length, 20);
    assert.equal(read(`[1${'0'.repeat(5000)}1]`).lost[0]!.sent!.length, 61);
  });

  it('agrees with JSON.parse on every number of a sample', () => {
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let count = 0; count < 20_000; count += 1) {
      const digits = Array.from({length: 1 + Math.floor(random() * 22)}, () =>
        Math.floor(random() * 10),
      ).join('');
      const sent = String(BigInt(digits));
      const printed = BigInt(Number(sent).toLocaleString('fullwide', {useGrouping: false})) === BigInt(sent);
      assert.equal(lost(`[${sent}]`).length === 0, printed, sent);
    }
  });
});
