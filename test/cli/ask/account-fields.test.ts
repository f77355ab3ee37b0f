import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID} from '../../commands/fixtures.ts';
import {profiled} from '../guard/profiled.ts';
import {runCli} from '../run-cli.ts';

const FIRST = 'Name of the first field, as your service calls it:';
const NEXT = 'Name of the next field (empty if that was the last):';
const service: Script = ({method}) =>
  method === 'GET' ? answer(404, {}) : answer(201, {id: METHOD_ID, type: 'bank_account', last4: '9999'});

describe('prompts for the account fields of a country without known ones', () => {
  const add = (line: string, answers: (string | boolean)[], mode: 'test' | 'live' = 'test') => {
    const words = `payment-methods add --payee ${PAYEE_ID} ${line}`.split(' ').filter((word) => word !== '');
    return runCli([...words, ...(mode === 'live' ? ['--live'] : [])], {
      ...{env: profiled({mode}), service, columns: 300, answers},
    });
  };
  const bodyOf = ({requests}: {requests: readonly {method: string; body?: string | undefined}[]}) =>
    JSON.parse(requests.find(({method}) => method === 'POST')?.body ?? 'null') as unknown;
  const BODY = {
    ...{type: 'bank_account', country_code: 'CH', currency_code: 'CHF'},
    bank_account: {clearing: '00762', konto: '4711-0815-9999', holder_name: 'Acme'},
  };

  for (const mode of ['test', 'live'] as const)
    it(`ask for the currency, for each field by name, and for the holder, with a ${mode} key`, async () => {
      const answers = ['chf', 'clearing', '00762', 'konto', ' 4711-0815-9999 ', '', 'Acme', true];
      const ran = await add('--country ch', answers, mode);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(ran.questions.slice(0, -1), [
        ...['Currency:', FIRST, 'clearing:', NEXT, 'konto:', NEXT, 'Name of the account holder:'],
      ]);
      assert.deepEqual(bodyOf(ran), BODY);
      assert.doesNotMatch(ran.stdout + ran.stderr, /4711|00762/);
      if (mode === 'live') return;
      assert.match(ran.stderr, /konto +…9999\n/);
      assert.match(
        ran.stderr,
        /The same as: remit payment-methods add .*--country ch --currency=chf --holder-name=Acme -p p\n/,
      );
    });

  it('check each answer, and repeat none', async () => {
    const wrong = ['', 'CH9300762011623852957', '4711', 'kon-to', 'holder_name'];
    const answers = [...wrong, 'konto', '', 'x'.repeat(141), '4711-0815-9999', 'konto', '', true];
    const ran = await add('--country CH --currency CHF --holder-name Acme', answers);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(ran.questions.slice(0, -1), [
      ...[FIRST, 'Type a name', 'Type a name; its value is asked for next'],
      ...['Type letters, digits and underscores, such as account_number'],
      ...['Type letters, digits and underscores, such as account_number'],
      ...['The name of the account holder is asked for separately'],
      ...['konto:', 'Type 1 to 140 characters', 'Type 1 to 140 characters'],
      ...[NEXT, 'Type the name of another field'],
    ]);
    assert.doesNotMatch(ran.stdout + ran.stderr, /0076201|4711/);
  });

  it('take as many as a service needs', async () => {
    const fields = Array.from({length: 60}, (_, n) => [`field_${n}`, `value-${n}-${n}`] as const);
    const ran = await add('--country CH --currency CHF --holder-name Acme', [...fields.flat(), '', true]);
    assert.deepEqual(bodyOf(ran), {
      ...BODY,
      bank_account: {...Object.fromEntries(fields), holder_name: 'Acme'},
    });
  });

  it('ask for nothing of a field that was typed, and not for fields of a card', async () => {
    const typed = await add('--country CH --currency CHF --field konto=4711-0815', ['Acme', true]);
    assert.deepEqual(typed.questions, ['Name of the account holder:', 'Add this payment method?']);
    const card = await add('--type card --country CH', ['CHF', '4242424242424242', '4', '2031', true]);
    assert.deepEqual(card.questions.slice(0, 2), ['Currency:', 'Card number:']);
    assert.match(JSON.stringify(bodyOf(card)), /"currency_code":"CHF","card":/);
  });

  it('send nothing after a no, and are not shown without a terminal', async () => {
    const no = await add('--country CH --currency CHF', ['konto', '4711-0815', '', 'Acme', false]);
    assert.deepEqual([no.exitCode, no.requests.length], [11, 0]);
    const words = `payment-methods add --payee ${PAYEE_ID} --country CH --currency CHF --holder-name Acme`;
    const piped = await runCli(words.split(' '), {env: profiled({mode: 'test'}), service: []});
    assert.equal(piped.exitCode, 2);
    assert.match(piped.stderr, /name each with --field NAME=@FILE/);
  });
});
