import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {guardedAmountText} from '../../../src/cli/guard/amount-text.ts';

describe('an amount in a confirmation', () => {
  for (const [minor, currency, text] of [
    [1_250_000n, 'USD', '12,500.00 USD (1250000 minor units)'],
    [125n, 'JPY', '125 JPY (125 minor units)'],
    [125n, undefined, "125 minor units of the source account's currency"],
    [125n, 'XXQ', '125 minor units of XXQ, an unknown currency'],
  ] as const)
    it(`is ${text}`, () => assert.equal(guardedAmountText(minor, currency), text));
});
