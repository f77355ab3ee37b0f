import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {guardWrite, ungroup, type GuardTools} from '../../../src/cli/guard/guard.ts';
import {checkCaps} from '../../../src/cli/guard/caps.ts';
import type {WriteFacts} from '../../../src/cli/guard/facts.ts';
import {EXIT, type ErrorCode, type RemitError} from '../../../src/errors.ts';
import type {Mode} from '../../../src/contract/mode.ts';
import type {Caps} from '../../../src/profiles/profile.ts';
import {makeOutput} from '../../output/make-output.ts';

const FACTS: WriteFacts = {
  operation: 'create a payout',
  party: ['payee', 'p-1'],
  amountMinor: 12_500n,
  currency: 'USD',
  rail: {value: 'wire'},
};
const NO_AMOUNT: WriteFacts = {operation: 'cancel the payout', party: ['payout', 'x-1']};

interface Setting {
  mode?: Mode;
  live?: boolean;
  yes?: boolean;
  terminal?: boolean;
  /** What the person types or answers. */
  answer?: string | boolean;
  caps?: Caps;
  readOnly?: boolean;
  quiet?: boolean;
}

/** Runs the guard: the code it refused with (or `let through`), what was said, what was asked. */
async function guard(setting: Setting, facts: WriteFacts = FACTS) {
  const {out, stdout, stderr} = makeOutput({quiet: setting.quiet ?? false});
  const asked: string[] = [];
  const answer = async <T>(question: string): Promise<T> => {
    asked.push(question);
    return setting.answer as T;
  };
  const tools: GuardTools = {
    profile: {
      name: 'prod',
      mode: setting.mode ?? 'live',
      caps: setting.caps ?? {},
      readOnly: setting.readOnly ?? false,
      baseUrl: 'https://api.example.com',
      masked: 'live_…a1b2',
    },
    flags: {live: setting.live, yes: setting.yes},
    out,
    prompts: {confirm: answer, line: answer},
    stdin: {isTTY: setting.terminal ?? false} as GuardTools['stdin'],
    stderr: {isTTY: setting.terminal ?? false} as GuardTools['stderr'],
  };
  let end: ErrorCode | 'let through' = 'let through';
  let hint: string | undefined;
  try {
    await guardWrite(facts, tools);
  } catch (error) {
    end = (error as RemitError).code;
    hint = (error as RemitError).hint;
    assert.equal((error as RemitError).exitCode, EXIT.GUARD);
  }
  assert.equal(stdout.text, '');
  return {end, hint, said: stderr.text, asked};
}

describe('a write with a live key', () => {
  // Every combination of --live, --yes, a terminal, and what is typed there.
  for (const live of [false, true])
    for (const yes of [false, true])
      for (const terminal of [false, true])
        for (const answer of ['125.00', '125', '125.00 USD', '12500', '', 'yes', '1.25']) {
          const right = ['125.00', '125', '125.00 USD'].includes(answer);
          const expected = !live
            ? 'GUARD_LIVE'
            : terminal
              ? right
                ? 'let through'
                : 'GUARD_CONFIRM'
              : yes
                ? 'let through'
                : 'GUARD_LIVE';
          if (!terminal && answer !== '') continue;
          const words = [live && '--live', yes && '--yes', terminal ? `"${answer}" typed` : 'no terminal'];
          it(`is ${expected} with ${words.filter(Boolean).join(', ')}`, async () => {
            const {end, asked} = await guard({live, yes, terminal, answer});
            assert.equal(end, expected);
            assert.equal(asked.length, live && terminal ? 1 : 0);
          });
        }

  it('is reported as moving money only if it does', async () => {
    const money = 'to move real money, add --live to the same command';
    const write = 'to write to the live service, add --live to the same command';
    const unread = {why: 'it has none', absent: true};
    for (const [facts, hint] of [
      [FACTS, money],
      [{operation: 'approve the payout', unread}, money],
      [NO_AMOUNT, write],
      [{...FACTS, operation: 'cancel the payout', cancels: true}, write],
      [{operation: 'send POST /x', unread: {...unread, mayMoveNothing: true}}, write],
    ] as const)
      assert.equal((await guard({}, facts)).hint, hint, facts.operation);
  });

  for (const answer of [true, false])
    it(`that has no amount is asked about plainly, and ${answer ? 'done on yes' : 'left on no'}`, async () => {
      const {end, asked} = await guard({live: true, terminal: true, answer}, NO_AMOUNT);
      assert.equal(end, answer ? 'let through' : 'GUARD_CONFIRM');
      assert.deepEqual(asked, ['Cancel the payout with a live key?']);
    });

  for (const [operation, question] of [
    ['create a webhook endpoint', 'Create a webhook endpoint with a live key?'],
    ['label a treasury account', 'Label a treasury account with a live key?'],
    ['delete payment method 0192', 'Delete payment method 0192 with a live key?'],
    ['make payment method 0192 the default', 'Make payment method 0192 the default with a live key?'],
    ['DELETE /api/x', 'Send DELETE /api/x with a live key?'],
  ] as const)
    it(`asks in plain words: ${question}`, async () => {
      const {asked} = await guard({live: true, terminal: true, answer: true}, {...NO_AMOUNT, operation});
      assert.deepEqual(asked, [question]);
    });

  it('shows profile, mode, operation, payee and amount, also under --quiet', async () => {
    const {said} = await guard({live: true, yes: true, quiet: true});
    assert.equal(
      said,
      ' LIVE  profile prod, live mode, https://api.example.com, key live_…a1b2\n' +
        '  create a payout\n' +
        '    payee        p-1\n' +
        '    amount       125.00 USD (12500 minor units)\n' +
        '    rail         wire\n',
    );
  });

  for (const [answer, expected] of [
    ['12500', 'let through'],
    ['125.00', 'GUARD_CONFIRM'],
  ] as const)
    it(`whose currency is unknown is confirmed in minor units: ${answer} is ${expected}`, async () => {
      const {end, asked} = await guard({live: true, terminal: true, answer}, {...FACTS, currency: 'XQZ'});
      assert.equal(end, expected);
      assert.deepEqual(asked, ['Create a payout? Type its amount in minor units:']);
    });

  it('asks for minor units if the service chooses the currency', async () => {
    const facts = {...FACTS, currency: undefined};
    assert.equal((await guard({live: true, terminal: true, answer: '12500'}, facts)).end, 'let through');
    assert.equal((await guard({live: true, terminal: true, answer: '125.00'}, facts)).end, 'GUARD_CONFIRM');
  });
});

describe('an amount as it is typed', () => {
  for (const [typed, read] of [
    ['1,500.75', '1500.75'],
    ['12,345,678', '12345678'],
    ['1500.75', '1500.75'],
    ['1234,567', '1234,567'],
    ['1,50', '1,50'],
    ['1,500,', '1,500,'],
  ] as const)
    it(`${typed === read ? 'stays' : 'loses its commas'}: ${typed}`, () =>
      assert.equal(ungroup(typed), read));
});

describe('a write with a test key', () => {
  it('needs no word more', async () => {
    assert.deepEqual(await guard({mode: 'test'}), {end: 'let through', hint: undefined, said: '', asked: []});
  });
});

describe('a read-only profile', () => {
  for (const mode of ['test', 'live'] as const)
    it(`refuses every ${mode} write`, async () => {
      const setting = {mode, readOnly: true, live: true, yes: true, terminal: true, answer: '125.00'};
      assert.equal((await guard(setting)).end, 'GUARD_READ_ONLY');
      assert.equal((await guard(setting, NO_AMOUNT)).end, 'GUARD_READ_ONLY');
    });
});

describe('a cap', () => {
  for (const mode of ['test', 'live'] as const)
    for (const [title, caps, facts, refused] of [
      ['an amount at the cap', {max_amount_minor: {USD: 12_500}}, FACTS, false],
      ['an amount above the cap', {max_amount_minor: {USD: 12_499}}, FACTS, true],
      ['a currency without a cap', {max_amount_minor: {EUR: 99_999}}, FACTS, true],
      ['no currency', {max_amount_minor: {USD: 99_999}}, {...FACTS, currency: undefined}, true],
      [
        'an inherited name for a currency',
        {max_amount_minor: {USD: 1}},
        {...FACTS, currency: 'constructor'},
        true,
      ],
      ['a write without an amount', {max_amount_minor: {USD: 1}}, NO_AMOUNT, false],
      ['an allowed rail', {rails: ['wire']}, FACTS, false],
      ['another rail', {rails: ['standard_ach']}, FACTS, true],
      ['no rail', {rails: ['wire']}, {...FACTS, rail: {value: undefined}}, true],
      ['a write that has no rail', {rails: ['wire']}, NO_AMOUNT, false],
    ] as const) {
      it(`${refused ? 'refuses' : 'allows'} ${title} with a ${mode} key`, async () => {
        const {end, asked} = await guard({mode, live: true, yes: true, caps}, facts);
        assert.equal(end, refused ? 'GUARD_CAP' : 'let through');
        assert.deepEqual(asked, []);
      });
    }

  it('names the flag or the field that a currency is missing from', () => {
    const unnamed = {...FACTS, currency: undefined};
    for (const [source, says] of [
      [undefined, /so name one with --currency \(profile p\)$/],
      ['body', /but the body has no ISO 4217 code in currency_code/],
      ['record', /but the record has no ISO 4217 code in currency_code/],
    ] as const)
      assert.throws(() => checkCaps({...unnamed, source}, {max_amount_minor: {USD: 1}}, 'p'), {
        code: 'GUARD_CAP',
        message: says,
      });
    assert.throws(() => checkCaps({...FACTS, rail: {value: undefined}}, {rails: ['wire', 'book']}, 'p'), {
      message: /so name one with --rail: wire, book \(profile p\)$/,
    });
  });

  it('names both amounts', async () => {
    const {out} = makeOutput();
    await assert.rejects(
      guardWrite(FACTS, {
        profile: {
          name: 'p',
          mode: 'test',
          caps: {max_amount_minor: {USD: 100}},
          readOnly: false,
          baseUrl: '',
          masked: '',
        },
        flags: {},
        out,
        prompts: {} as GuardTools['prompts'],
        stdin: {} as GuardTools['stdin'],
        stderr: {} as GuardTools['stderr'],
      }),
      /125\.00 USD \(12500 minor units\) is above the cap of 1\.00 USD \(100 minor units\) \(profile p\)/,
    );
  });
});
