import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {jsonAsSent} from '../../src/sanitize/json-as-sent.ts';

const line = (text: string) => jsonAsSent(text, false);

describe('JSON as it was sent', () => {
  it('keeps digits, exponents and escape sequences', () => {
    const sent = '{"a":9007199254740993,"b":1.10,"c":1e2,"d":"\\u00e9\\/","e":[],"f":{},"g":[-0,null,true]}';
    assert.equal(line(sent), sent);
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

  it('keeps spaces', () => {
    const sent = '{ "a" :1 ,  "b":[ ], "c":[1,  2 ]   }';
    assert.equal(line(`\n ${sent} \n`), sent);
    assert.equal(
      line('{\r\n  "a":\t1,\n  "b": [\n  ]\n}'),
      '{ "a": 1, "b": [ ] }',
      'a line break is a space',
    );
  });

  it('keeps the lines of a text that has some, for people', () => {
    assert.equal(
      jsonAsSent('{\r\n    "a":1, "b":2,\r\t"c":{}\n\n}\n', true),
      '{\n    "a":1, "b":2,\n  "c":{}\n\n}',
    );
  });

  it('keeps every value of a name that occurs more than once, and masks each', () => {
    const sent =
      '{"account_number":"000123456789","n":1,"n":{"n":[],"n":2.0},"account_number":"000987654321","n":"000123456789"}';
    assert.equal(
      line(sent),
      '{"account_number":"…6789","n":1,"n":{"n":[],"n":2.0},"account_number":"…4321","n":"…6789"}',
    );
    assert.equal(line('{"__proto__":1,"__proto__":{"a":2}}'), '{"__proto__":1,"__proto__":{"a":2}}');
    assert.equal(jsonAsSent('{"a":1,"a":2}', true), '{\n  "a": 1,\n  "a": 2\n}');
  });

  it('keeps names that look the same after masking', () => {
    const [first, second] = ['live_0123456789abcdef', 'live_0123456789abcdee'];
    const shown = line(`{"${first}":1.0,"${second}":2.0}`)!;
    assert.doesNotMatch(shown, /0123456789/);
    assert.match(shown, /^\{"[^"]*":1\.0,"[^"]*":2\.0\}$/);
  });

  it('shows what is nested as deeply as can be shown', () => {
    const sent = `${'{"a":1,"a":'.repeat(199)}{"account_number":"000123456789"}${'}'.repeat(199)}`;
    assert.equal(line(sent), sent.replace('000123456789', '…6789'));
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
