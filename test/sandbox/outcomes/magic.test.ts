import assert from 'node:assert/strict';
import {
  ACH_RETURNS,
  BANK_REJECTIONS,
  CARD_DECLINES,
  codeOn,
  codesOf,
} from '../../../src/sandbox/outcomes/bank-codes.ts';
import {BANK_FIELDS, wrongIn} from '../../../src/contract/markets.ts';
import {hasLuhnChecksum} from '../../../src/sandbox/records/bank-details.ts';
import {
  accountBehaviour,
  bankOf,
  cardBehaviour,
  endingOfTransfer,
  fateOf,
  magicTable,
} from '../../../src/sandbox/outcomes/magic.ts';
import {
  SCENARIOS,
  moveScenarioOf,
  scenarioOf,
  type Scenario,
} from '../../../src/sandbox/outcomes/scenarios.ts';

const transfer = {
  scenario: null as Scenario | null,
  behaviour: null as string | null,
  amountMinor: 12_500,
  rail: 'standard_ach',
  magicAmounts: true,
};
const table = magicTable({magicAmounts: true});
const valuesOf = (where: string) => table.filter((row) => row.where === where).map(({value}) => value);

describe('magic values', () => {
  it('have the effect that the table describes', () => {
    for (const {where, value, effect} of table) {
      const code = /R\d\d/.exec(effect)?.[0];
      if (where === 'account number' && code !== undefined)
        assert.equal(accountBehaviour(value, 'Elm'), `refused ${code}`);
      else if (where === 'account number')
        assert.equal(accountBehaviour(value, 'Elm'), effect.includes('settle') ? 'settles' : 'refused');
      if (where === 'card number')
        assert.equal(
          cardBehaviour(value),
          effect.startsWith('declined') ? `refused ${effect.split(', ')[1]}` : 'settles',
        );
      if (where === 'holder name')
        assert.equal(accountBehaviour('5', value), effect.includes('pending') ? 'stays_pending' : 'fails');
      if (where === 'routing number') assert.equal(effect.split(': ')[0], bankOf(value).name);
      if (where === 'scenario')
        assert.ok(scenarioOf(Object.fromEntries([value.split('=')]) as Record<string, string>));
      if (where === 'move') assert.equal(moveScenarioOf(`please ${value}.`), value);
      if (where === 'amount')
        assert.equal(
          fateOf({...transfer, amountMinor: Math.round(Number(value) * 100)}),
          `returned ${code!}`,
        );
    }
  });

  it('cover every return, decline and scenario', () => {
    const returns = Object.keys(ACH_RETURNS).map((code) => code.slice(1));
    assert.deepEqual(
      valuesOf('amount'),
      returns.map((digits) => `55.${digits}`),
    );
    assert.deepEqual(
      valuesOf('account number').slice(2),
      returns.map((digits) => `100${digits}`),
    );
    assert.equal(valuesOf('card number').length, Object.keys(CARD_DECLINES).length + 1);
    assert.equal(valuesOf('scenario').length, Object.keys(SCENARIOS).length);
  });

  it('have valid check digits', () => {
    assert.deepEqual(
      valuesOf('routing number').filter((number) => wrongIn(BANK_FIELDS[0]!, number) !== undefined),
      [],
    );
    assert.deepEqual(
      valuesOf('card number').filter((number) => !hasLuhnChecksum(number)),
      [],
    );
  });

  it('have no effect on similar values', () => {
    for (const account of ['10099', '010001', '100011', '1111111', '1234567890', '000123456789'])
      assert.equal(accountBehaviour(account, 'Elm Works'), null, account);
    for (const amountMinor of [5500, 5505, 5599, 155_01, 550_100, 55])
      assert.equal(fateOf({...transfer, amountMinor}), null, String(amountMinor));
    assert.equal(moveScenarioOf('remove_207x'), null);
    assert.equal(scenarioOf({'sandbox.scenario': 'toString'}), null);
  });

  it('have a precedence: scenario before account, account before amount', () => {
    const all = {...transfer, scenario: 'settle_slow', behaviour: 'settles', amountMinor: 5501} as const;
    assert.equal(fateOf(all), 'settle_slow');
    assert.equal(fateOf({...all, scenario: null}), 'settles');
    assert.equal(fateOf({...all, scenario: null, behaviour: null}), 'returned R01');
    assert.equal(fateOf({...all, scenario: null, behaviour: null, magicAmounts: false}), null);
    assert.equal(fateOf({...all, scenario: null, behaviour: null, rail: 'wire'}), null);
    assert.ok(!magicTable({magicAmounts: false}).some(({where}) => where === 'amount'));
  });

  it('are returned on ACH; other rails refuse them at once, with their own codes', () => {
    const ending = (rail: string) => endingOfTransfer('refused R03', rail, false);
    assert.deepEqual(ending('standard_ach'), {kind: 'comes_back', code: 'R03', blames: true});
    assert.deepEqual(ending('instant_bank'), {kind: 'rejected', code: 'AC03', blames: true});
    assert.deepEqual(ending('wire'), {kind: 'rejected', code: 'AC03', blames: true});
    assert.deepEqual(endingOfTransfer('refused expired_card', 'instant_card', true), {
      kind: 'rejected',
      code: 'expired_card',
      blames: true,
    });
    assert.deepEqual(endingOfTransfer('returned R03', 'standard_ach', false), {
      kind: 'comes_back',
      code: 'R03',
      blames: false,
    });
    assert.equal(endingOfTransfer('fails_after_debited', 'instant_bank', true).kind, 'rejected');
    assert.equal(endingOfTransfer('fails_after_debited', 'wire', false).kind, 'comes_back');
  });

  it('translate to a code that each rail knows', () => {
    const codes = [ACH_RETURNS, BANK_REJECTIONS, CARD_DECLINES].flatMap((list) => Object.keys(list));
    for (const rail of ['standard_ach', 'same_day_ach', 'instant_bank', 'wire', 'instant_card'])
      for (const code of codes)
        assert.ok(Object.hasOwn(codesOf(rail), codeOn(rail, code)), `${rail} ${code}`);
  });
});
