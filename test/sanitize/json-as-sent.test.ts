import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {jsonAsSent} from '../../src/sanitize/json-as-sent.ts';

const line = (text: string) => jsonAsSent(text, false);

describe('JSON as it was sent', () => {
  it('keeps digits, exponents and escape sequences', () => {
    const sent = '{"a":9007199254740993,"b":1.10,"c":1e2,"d":"\\u00e9\\/","e":[],"f":{},"g":[-0,null,true]}';
    assert.equal(line(sent), sent);
    assert.equal(line(`\n${sent.replaceAll(',', ' ,\t')} `), sent, 'only white space is replaced');
  });

  it('has one value per line for people', () => {
    assert.equal(
      jsonAsSent('{"a":[1.0,{"b":{}}],"c":[]}', true),
      '{\n  "a": [\n    1.0,\n    {\n      "b": {}\n    }\n  ],\n  "c": []\n}',
    );
    assert.equal(jsonAsSent('1.50', true), '1.50');
  });

  it('masks protected values, and keeps what surrounds them', () => {
    const sent = '{"n":1.10,"account_number":"000123456789","x":{"card_number":4111111111111111},"y":2.0}';
    assert.equal(line(sent), '{"n":1.10,"account_number":"…6789","x":{"card_number":"…1111"},"y":2.0}');
  });

  it('masks a value that has its protected name twice', () => {
    const sent = '{"account_number":"000123456789","account_number":"000987654321"}';
    assert.equal(line(sent), '{"account_number":"…4321"}');
  });

  it('reads names in the order in which they were sent', () => {
    assert.equal(
      line('{"b":1.0,"2":2.0,"1":3.0,"__proto__":4.0}'),
      '{"b":1.0,"2":2.0,"1":3.0,"__proto__":4.0}',
    );
  });

  it('shows invisible characters as escape sequences', () => {
    assert.equal(line('{"a\u202e":"b\u202ec"}'), '{"a\\u202e":"b\\u202ec"}');
  });

  it('is undefined for other text, and for nesting that cannot be shown', () => {
    for (const text of ['', 'no json', '{"a":}', `${'['.repeat(201)}${']'.repeat(201)}`])
      assert.equal(line(text), undefined, text.slice(0, 20));
  });

  it('lays out a long text', () => {
    const text = JSON.stringify(Array.from({length: 20_000}, (_, n) => ({n, text: `"${n}\\`})));
    assert.equal(line(text), text);
  });
});
