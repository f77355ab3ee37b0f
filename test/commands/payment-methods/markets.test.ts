import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {profiled} from '../../cli/guard/profiled.ts';
import {runCli, scratch, type CliOptions} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, PAYEE_ID} from '../fixtures.ts';

const ADD = `payment-methods add --payee ${PAYEE_ID} --holder-name Acme`;
const IBAN = 'DE89370400440532013000';
const service: Script = ({method}) =>
  method === 'GET' ? answer(404, {}) : answer(201, {id: METHOD_ID, type: 'bank_account', last4: '3000'});
const run = (line: string, options: CliOptions = {}, mode: 'test' | 'live' = 'test') =>
  runCli([...`${ADD} ${line}`.split(' '), ...(mode === 'live' ? ['--live', '--yes'] : []), '--json'], {
    ...{env: profiled({mode}), service},
    ...options,
  });
const bodyOf = ({requests}: {requests: readonly {method: string; body?: string | undefined}[]}) =>
  JSON.parse(requests.find(({method}) => method === 'POST')?.body ?? 'null') as unknown;
const file = (text: string): string => {
  const path = join(scratch(), 'value');
  writeFileSync(path, text);
  return path;
};

describe('payment-methods add in another country', () => {
  it('reads an IBAN from a file with a live key, with blanks and small letters, and shows only its end', async () => {
    const ran = await run(`--country de --number-file ${file('de89 3704 0044 0532 0130 00\n')}`, {}, 'live');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(bodyOf(ran), {
      ...{type: 'bank_account', country_code: 'DE', currency_code: 'EUR'},
      bank_account: {iban: IBAN, holder_name: 'Acme'},
    });
    assert.match(ran.stderr, /bank account …3000, holder Acme/);
    assert.doesNotMatch(ran.stdout + ran.stderr, /37040044|0532 ?0130/);
  });

  it('warns in one line of a payment method that no rail supports, and only then', async () => {
    const warned = async (owner: string, rails: object) => {
      const made = {
        id: METHOD_ID,
        type: 'bank_account',
        last4: '5678',
        verification_status: 'verified',
        ...rails,
      };
      const words = `payment-methods add --${owner} ${PAYEE_ID} --holder-name Acme --country GB --field sort_code=200000`;
      const ran = await runCli([...words.split(' '), '--account-number', '12345678', '--json'], {
        service: [answer(201, made)],
      });
      assert.equal(ran.exitCode, 0, ran.stderr);
      return ran.stderr.match(/^Warning: no rail.*$/gm) ?? [];
    };
    const none = {supported_rails: []};
    assert.deepEqual(await warned('payee', none), [
      'Warning: no rail of the service supports this payment method (GB), so payouts to it are refused',
    ]);
    assert.match((await warned('payer', none))[0] ?? '', /so payins from it are refused$/);
    for (const rails of [{supported_rails: ['wire']}, {}, {supported_rails: null}])
      assert.deepEqual(await warned('payee', rails), []);
  });

  for (const [line, exitCode, says] of [
    ['--country GB --account-number 12345678', 2, /^--field sort_code is needed for a bank account in GB$/],
    [
      '--country GB --field sort_code=12345 --account-number 12345678',
      5,
      /^--field sort_code must have 6 digits$/,
    ],
    ['--country DE --account-number DE89370400440532013001', 5, /^the IBAN is not valid; check each digit$/],
    [
      '--country DE --account-number NL91ABNA0417164300',
      5,
      /^the IBAN must have 22 characters, beginning with DE/,
    ],
    ['--country MX --account-number 032180000118359718', 5, /^the CLABE is not valid; check each digit$/],
    [
      '--routing-number 021000022 --account-number 123456',
      5,
      /^--routing-number is not valid; check each digit$/,
    ],
    [
      '--country CA --routing-number 021000021',
      2,
      /^--routing-number is not for bank accounts in CA, which have --field institution_number, --field transit_number, --account-number, --holder-name$/,
    ],
    [
      '--field sort_code=123456 --routing-number 021000021',
      2,
      /^--field sort_code is not for bank accounts in US, which/,
    ],
    ['--country DE --account-type savings', 2, /^--account-type is not for bank accounts in DE/],
    ['--country DE --field iban=x', 2, /^--field iban is not for bank accounts in DE/],
    ['--country CH', 2, /^--currency is needed: remit does not know the currency of CH$/],
    [
      '--country CH --currency CHF',
      2,
      /^the fields of a bank account in CH are not known to remit: name each with --field NAME=@FILE/,
    ],
    ['--country CH --currency CHF --field konto', 2, /^--field is not of the form NAME=VALUE or NAME=@FILE$/],
    ['--country CH --currency CHF --field a=1 --field a=2', 2, /^--field names a twice$/],
    ['--country CH --currency CHF --field a=@/nowhere/x', 5, /^--field a cannot be read/],
    ['--country CH --currency CHF --field a=@/dev/null', 5, /^--field a is empty$/],
  ] as const)
    it(`sends nothing: ${line}`, async () => {
      const ran = await run(line);
      assert.equal(ran.exitCode, exitCode, ran.stderr);
      assert.match(ran.error().message, says);
      assert.deepEqual(ran.requests, []);
      assert.doesNotMatch(ran.stderr, /0532013001|0118359718|0417164300/);
    });

  it('takes the fields of any other country by their names, and hides their values', async () => {
    const ran = await run(
      `--country CH --currency CHF --field konto=@${file(' 4711-0815-9999 \n')} --field clearing=00762 --dry-run`,
    );
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.doesNotMatch(ran.stdout + ran.stderr, /4711-0815/);
    const sent = await run(
      `--country CH --currency CHF --field konto=@${file('4711-0815-9999')}`,
      {},
      'live',
    );
    assert.deepEqual(bodyOf(sent), {
      ...{type: 'bank_account', country_code: 'CH', currency_code: 'CHF'},
      bank_account: {konto: '4711-0815-9999', holder_name: 'Acme'},
    });
    assert.doesNotMatch(sent.stdout + sent.stderr, /4711-0815/);
  });

  it('refuses the value of such a field on the command line with a live key', async () => {
    const ran = await run('--country CH --currency CHF --field konto=4711-0815-9999', {}, 'live');
    assert.equal(ran.exitCode, 11);
    assert.equal(ran.error().hint, 'put it into a file: --field konto=@FILE');
    assert.doesNotMatch(ran.stderr, /4711/);
    assert.deepEqual(ran.requests, []);
  });
});
