import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {readDetails} from '../../../src/sandbox/records/bank-details.ts';
import {profiled} from '../../cli/guard/profiled.ts';
import {runCli, scratch, type CliOptions} from '../../cli/run-cli.ts';
import {RecordingClock} from '../../client/recording-clock.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID} from '../fixtures.ts';

const NUMBER = '4242424242424242';
/** Clocks in the last millisecond of April 2026 and in the first of May, with the same in December. */
const AT = {
  april: Date.UTC(2026, 4, 1) - 1,
  may: Date.UTC(2026, 4, 1),
  december: Date.UTC(2027, 0, 1) - 1,
  january: Date.UTC(2027, 0, 1),
};

describe('the expiry of a card', () => {
  for (const [when, month, year, isValid] of [
    ['april', 4, 2026, true],
    ['april', 3, 2026, false],
    ['may', 4, 2026, false],
    ['may', 5, 2026, true],
    ['may', 4, 2027, true],
    ['may', 12, 2025, false],
    ['december', 12, 2026, true],
    ['january', 12, 2026, false],
  ] as const) {
    const nowMs = AT[when];
    const run = (words: readonly string[], options: CliOptions = {}) =>
      runCli(words, {
        ...{env: profiled({mode: 'test'}), clock: new RecordingClock(nowMs)},
        service: () => answer(201, {id: METHOD_ID, type: 'card', last4: '4242'}),
        ...options,
      });
    const title = `in ${when}: ${month}/${year} ${isValid ? 'is valid' : 'has expired'}`;
    const add = ['payment-methods', 'add', '--payee', PAYEE_ID, '--type', 'card'];
    const isPastYear = year < new Date(nowMs).getUTCFullYear();

    it(`${title}, as flags and within --data`, async () => {
      const flags = ['--card-number', NUMBER, '--exp-month', String(month), '--exp-year', String(year)];
      const data = JSON.stringify({card: {exp_month: month, exp_year: year}});
      const file = join(scratch(), 'body.json');
      writeFileSync(file, data);
      for (const words of [flags, ['--data', `@${file}`, '--card-number', NUMBER]]) {
        const ran = await run([...add, ...words, '--json']);
        assert.equal(ran.exitCode, isValid ? 0 : 5, ran.stderr);
        assert.equal(ran.requests.length, isValid ? 1 : 0);
        if (!isValid)
          assert.equal(
            ran.error().message,
            `--exp-month and --exp-year: a card that is valid to ${month}/${year} has expired`,
          );
        assert.doesNotMatch(ran.stderr, /42424242/);
      }
    });

    it(`${title}, at the prompts`, async () => {
      const right = isValid ? [] : ['2031'];
      for (const [words, answers, question] of [
        [[], [NUMBER, String(month), String(year), ...right, true], 'Year in which the card expires:'],
        [
          ['--exp-month', String(month)],
          [NUMBER, String(year), ...right, true],
          'Year in which the card expires:',
        ],
      ] as const) {
        const ran = await run([...add, ...words], {columns: 300, answers: [...answers]});
        assert.equal(ran.exitCode, 0, ran.stderr);
        const at = ran.questions.indexOf(question);
        const wrong = isPastYear
          ? `Type a number from ${new Date(nowMs).getUTCFullYear()} to 2100`
          : `A card that is valid to ${month}/${year} has expired`;
        assert.equal(ran.questions[at + 1], isValid ? 'Add this payment method?' : wrong);
      }
      if (isValid) return;
      const typedYear = await run([...add, '--exp-year', String(year)], {
        ...{columns: 300, answers: [NUMBER, String(month), '12', true]},
      });
      assert.ok(typedYear.questions.includes(`A card that is valid to ${month}/${year} has expired`));
    });

    it(`${title}, in a file`, async () => {
      const file = join(scratch(), 'cards.csv');
      writeFileSync(
        file,
        `reference,name,card_number,exp_month,exp_year\nA,Acme,${NUMBER},${month},${year}\n`,
      );
      const ran = await run(['payees', 'import', file, '--dry-run', '--json'], {service: []});
      assert.equal(ran.exitCode, isValid ? 0 : 5, ran.stderr);
      if (isValid) return;
      assert.deepEqual(ran.error().details?.['problems'], [
        isPastYear
          ? `line 2: exp_year is not a year from ${new Date(nowMs).getUTCFullYear()} to 2100 (found: ${year})`
          : `line 2: exp_month is over: the card has expired (found: ${month})`,
      ]);
    });

    it(`${title}, in the sandbox`, () => {
      const card = {number: NUMBER, exp_month: month, exp_year: year};
      const read = () => readDetails({type: 'card', country_code: 'US', currency_code: 'USD', card}, nowMs);
      if (isValid) assert.equal(read().last4, '4242');
      else assert.throws(read, /card\.exp_year: the card has expired/);
    });
  }
});
