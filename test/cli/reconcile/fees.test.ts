import assert from 'node:assert/strict';
import {RemitError} from '../../../src/errors.ts';
import {matchOptions, readFee} from '../../../src/cli/reconcile/match-options.ts';

describe('the fees of a reconcile', () => {
  it('are amounts or percentages, of a rail or of all', () => {
    for (const [text, rail, fee] of [
      ['wire=25.00 USD', 'wire', {amount: 2500n, currency: 'USD'}],
      ['wire=25USD', 'wire', {amount: 2500n, currency: 'USD'}],
      ['15 jpy', undefined, {amount: 15n, currency: 'JPY'}],
      ['instant_card=1.5%', 'instant_card', {basisPoints: 150n}],
      ['0.25%', undefined, {basisPoints: 25n}],
      ['99.99%', undefined, {basisPoints: 9999n}],
    ] as const)
      assert.deepEqual(readFee(text), {rail, fee}, text);
    const fees = [readFee('1%')];
    assert.equal(matchOptions(0, 'live', fees).fees, fees);
    assert.equal(matchOptions(0, 'live').fees, undefined); // those of the last run
  });

  it('are refused if they are anything else', () => {
    for (const [text, words] of [
      ['fax=25.00 USD', /names no rail: instant_bank/],
      ['constructor=25.00 USD', /names no rail/],
      ['wire=25.00', /no amount or percentage/],
      ['wire=', /no amount or percentage/],
      ['-25.00 USD', /no amount or percentage/],
      ['100%', /no amount or percentage/],
      ['1.555%', /no amount or percentage/],
      [`${'9'.repeat(38)} USD`, /no fee|no amount/],
      ['25.005 USD', /no fee: .*decimals/],
      ['25.00 XXX', /no fee: /],
      ['0.00 USD', /is zero/],
      ['0%', /is zero/],
    ] as const)
      assert.throws(
        () => readFee(text),
        (error) =>
          error instanceof RemitError &&
          error.code === 'USAGE' &&
          words.test(error.message) &&
          error.message.startsWith(`--fee ${JSON.stringify(text)}`),
        text,
      );
  });
});
