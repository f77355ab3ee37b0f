import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {paymentTokens, tokensOf} from '../../../src/reconcile/model/tokens.ts';

const words = (text: string) => tokensOf(text).map(({token}) => token);
const atEnd = (text: string) => tokensOf(text).flatMap(({token, ends}) => (ends ? [token] : []));
const UUID = '5f0c6d3e-1111-4222-8333-abcdefabcdef';
const HEX = UUID.replaceAll('-', '');

describe('tokens', () => {
  it('are whole words of eight characters or more, in lower case, and a UUID without dashes', () => {
    assert.deepEqual(words('PAY INV-12345 short 1234567'), ['inv-12345', 'pay inv-12345 short 1234567']);
    assert.deepEqual(words(''), []);
    assert.deepEqual(words('-- // ..'), []);
    assert.deepEqual(words(`(${UUID.toUpperCase()}),`), [HEX]);
    assert.deepEqual(words('ÄÖÜ12345'), ['äöü12345']);
  });

  it('are the runs of letters and digits, and the words between spaces with their signs', () => {
    assert.deepEqual(words('TRN*1*123456789*X'), ['123456789', 'trn*1*123456789*x']);
    assert.deepEqual(words('USD 123,456.78'), ['123,456.78', 'usd 123,456.78']);
  });

  it('of a payment are no days, in any form, and longer numbers are none', () => {
    const tokens = (trace: string) =>
      paymentTokens({recordId: undefined, traces: [trace], amount: -1n}).map(({token}) => token);
    for (const day of ['20260303', '31122026', '12312026']) {
      assert.deepEqual(tokens(day), [], day);
      for (const longer of [`9${day}`, `${day}9`]) assert.deepEqual(tokens(longer), [longer], longer);
    }
  });

  it('have every UUID, also between dashes', () => {
    assert.ok(words(`payout-${UUID}-1`).includes(HEX));
    assert.ok(!words(`x${UUID}`).includes(HEX));
    assert.ok(!words(`${UUID}0`).includes(HEX));
  });

  it('have other dashes as they are written', () => {
    assert.deepEqual(words('12345678-9'), ['12345678-9']);
    assert.deepEqual(words('123\u2010456\u2014789'), ['123-456-789']);
    assert.deepEqual(words('INV-1234'), []); // seven letters and digits
    assert.ok(words('REF:INV\u201012345/9').includes('inv-12345'));
    const moved = `${UUID.slice(0, 4)}-${UUID.slice(4)}`;
    assert.ok(!words(moved).includes(HEX));
  });

  it('know whether they end their text', () => {
    assert.deepEqual(atEnd('INV-12345 INV-123456'), ['inv-123456', 'inv-12345 inv-123456']);
    assert.deepEqual(atEnd('INV-12345 /'), ['inv-12345']);
    assert.deepEqual(atEnd('INV-12345 x INV-12345'), ['inv-12345 x inv-12345']);
    assert.deepEqual(atEnd('INV-12345 x'), ['inv-12345 x']);
  });

  it('are at most 64 characters, in texts of any length', () => {
    assert.deepEqual(words('a'.repeat(64)), ['a'.repeat(64)]);
    assert.deepEqual(words('a'.repeat(65)), []);
    assert.deepEqual(words(`${'word '.repeat(100_000)}INV-12345`), ['inv-12345']);
    assert.deepEqual(words('.'.repeat(1_000_000)), []);
    assert.deepEqual(words(`${'.'.repeat(63)}${'a'.repeat(64)}`), ['a'.repeat(64)]);
  });
});

describe('tokens of a payment', () => {
  const of = (recordId: string | undefined, traces: string[], amount = -5n) =>
    paymentTokens({recordId, traces, amount}).map(({kind, token}) => `${kind} ${token}`);

  it('are its id and its traces, each once', () => {
    assert.deepEqual(of(UUID, [HEX, 'INV-12345', 'inv-12345', 'short']), [`id ${HEX}`, 'trace inv-12345']);
    assert.deepEqual(of(undefined, ['INV-12345']), ['trace inv-12345']);
    assert.deepEqual(of('1234567', []), []);
  });

  it('are no days and not its amount', () => {
    assert.deepEqual(of('12345678', ['20260131', '31012026', '01312026', '2026-01-31'], -12345678n), []);
    assert.deepEqual(of(undefined, ['12345678'], 12345678n), []);
    assert.deepEqual(of(undefined, ['20261331', '2026-01-32', '99999999']), [
      ...['trace 20261331', 'trace 2026-01-32', 'trace 99999999'],
    ]);
  });
});
