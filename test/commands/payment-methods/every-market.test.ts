import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {
  type Market,
  MARKET_COUNTRIES,
  type MarketField,
  marketOf,
  withoutBlanks,
  wrongIn,
} from '../../../src/contract/markets.ts';
import {check} from '../../../src/contract/schemas/registry.ts';
import {profiled} from '../../cli/guard/profiled.ts';
import {runCli, scratch} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {TestSandbox} from '../../sandbox/harness.ts';
import {PUBLISHED} from '../../sandbox/market-numbers.ts';
import {METHOD_ID, PAYEE_ID} from '../fixtures.ts';

type Fields = Readonly<Record<string, string>>;

const INVALID = 'is not valid; check each digit';
const service: Script = ({method}) =>
  method === 'GET' ? answer(404, {}) : answer(201, {id: METHOD_ID, type: 'bank_account', last4: '0000'});
/** As people type and copy numbers: as they are, in groups, with hyphens, and in small letters. */
const TYPED: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => value.replaceAll(/(.{4})(?=.)/g, '$1 '),
  (value) => value.replaceAll(/(.{2})(?=.)/g, '$1-').toLowerCase(),
];

/** A value that no account of the country has, and what is said about it. */
interface Wrong {
  name: string;
  what: string;
  value: string;
  says: string;
}

/** Wrong values of a field: too short, too long, with a letter or a sign, one of another country, a wrong check digit. */
function wrongOf({name, must, form, check: checks}: MarketField, good: string): Wrong[] {
  const isForm = (value: string) => form.test(withoutBlanks(value));
  const lengths = Array.from({length: 40}, (_, n) => '1'.repeat(n + 1)).filter((value) => !isForm(value));
  const [short] = lengths.toReversed().filter((value) => value.length < good.length);
  const long = lengths.find((value) => value.length > good.length);
  const others = [
    '12345678',
    '000123456789',
    '032180000118359719',
    'DE89370400440532013000',
    'NL91ABNA0417164300',
  ];
  const other = others.find((value) => !isForm(value));
  const wrong = (what: string, value: string | undefined, says = must): Wrong[] =>
    value === undefined ? [] : [{name, what, value, says}];
  const last = Number(good.at(-1));
  return [
    ...wrong(
      'fewer digits than allowed',
      good.startsWith('1') || short === undefined ? short : good.slice(0, short.length),
    ),
    ...wrong(
      'more digits than allowed',
      long === undefined ? undefined : good + '0'.repeat(long.length - good.length),
    ),
    ...wrong('a letter O for a digit', `${good.slice(0, 2)}O${good.slice(3)}`),
    ...wrong('a dot between', `${good.slice(0, 2)}.${good.slice(3)}`),
    ...wrong('one of another country', other),
    ...wrong(
      'digits of another script',
      good.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x660 + Number(digit))),
    ),
    ...(checks === undefined
      ? []
      : wrong('a wrong check digit', `${good.slice(0, -1)}${(last + 1) % 10}`, INVALID)),
    ...(checks === undefined ? [] : wrong('two digits swapped', swapped(good), INVALID)),
  ];
}

/** Of the end, where no number has letters; two that differ, which check digits notice. */
function swapped(good: string): string {
  for (let at = good.length - 2; at >= 0; at--) {
    const [a = '', b = ''] = good.slice(at, at + 2);
    if (a !== b && /^\d\d$/.test(a + b) && Math.abs(Number(a) - Number(b)) !== 5)
      return `${good.slice(0, at)}${b}${a}${good.slice(at + 2)}`;
  }
  throw new Error(`${good} has no digits to swap`);
}

const fieldsOf = (market: Market): MarketField[] => [...market.bank, market.account];
const accountOf = (market: Market, fields: Fields): Fields => ({
  ...fields,
  ...(market.hasType ? {account_type: 'checking'} : {}),
  holder_name: 'Elm Works',
});
const bodyOf = (market: Market, fields: Fields) => ({
  ...{type: 'bank_account', country_code: market.country, currency_code: market.currency},
  bank_account: accountOf(market, fields),
});

/** The command with the fields as they were typed. */
function add(market: Market, fields: Fields) {
  const bank = market.bank.flatMap(({name}) =>
    name === 'routing_number' ? ['--routing-number', fields[name]!] : ['--field', `${name}=${fields[name]}`],
  );
  const number = ['--account-number', fields[market.account.name]!];
  const words = [
    'payment-methods',
    'add',
    '--payee',
    PAYEE_ID,
    '--country',
    market.country,
    ...bank,
    ...number,
  ];
  return runCli([...words, '--holder-name', 'Elm Works', '--json'], {env: profiled({mode: 'test'}), service});
}

/** The rows in a file with a column for each field. */
function importOf(market: Market, rows: readonly Fields[]) {
  const columns = fieldsOf(market).map(({name}) => name);
  const lines = rows.map((fields, n) => [
    `S-${n}`,
    `Elm ${n}`,
    market.country,
    ...columns.map((name) => fields[name]),
  ]);
  const file = join(scratch(), 'rows.csv');
  writeFileSync(
    file,
    [['reference', 'name', 'country', ...columns], ...lines].map((row) => row.join(',')).join('\n') + '\n',
  );
  return runCli(['payees', 'import', file, '--dry-run', '--json'], {
    env: profiled({mode: 'test'}),
    service: [],
  });
}

describe('the numbers of each market', () => {
  let at: TestSandbox;
  let methods: string;
  before(async () => {
    at = await TestSandbox.open();
    methods = `/api/payees/${await at.party('payee')}/payment-methods`;
  });
  after(() => at.close());

  it('have at least three published examples each', () => {
    assert.deepEqual(Object.keys(PUBLISHED).sort(), [...MARKET_COUNTRIES].sort());
    for (const [country, examples] of Object.entries(PUBLISHED)) {
      assert.ok(new Set(examples.map(({fields}) => JSON.stringify(fields))).size >= 3, country);
      for (const {source} of examples) assert.notEqual(source, '', country);
    }
  });

  for (const [country, examples] of Object.entries(PUBLISHED)) {
    const market = marketOf(country)!;
    const [first] = examples;
    const wrongs = fieldsOf(market).flatMap((field) => wrongOf(field, first!.fields[field.name]!));

    describe(country, () => {
      for (const {fields, source} of examples) {
        const [name, value] = Object.entries(fields).at(-1)!;
        it(`accepts ${Object.values(fields).join(' ')} (${source})`, async () => {
          for (const field of fieldsOf(market)) assert.equal(wrongIn(field, fields[field.name]!), undefined);
          assert.equal(check('PayerPaymentMethodAdd', bodyOf(market, fields)).ok, true);
          for (const typing of TYPED) {
            const typed = Object.fromEntries(
              Object.entries(fields).map(([key, text]) => [key, typing(text)]),
            );
            const ran = await add(market, typed);
            assert.equal(ran.exitCode === 0 || ran.exitCode === 8, true, ran.stderr); // 8: this service shows other last digits
            const sent = JSON.parse(ran.requests.find(({method}) => method === 'POST')!.body!) as object;
            assert.deepEqual(sent, bodyOf(market, fields), typing(value));
          }
          const added = await at.post(methods, bodyOf(market, fields));
          assert.equal(added.status, 201, JSON.stringify(added.body));
          assert.ok(value.endsWith(added.body.last4 as string), name);
        });
      }

      it('accepts all of them as rows of a file, as they are typed', async () => {
        const rows = examples.flatMap(({fields}) =>
          TYPED.map((typing) =>
            Object.fromEntries(Object.entries(fields).map(([key, text]) => [key, typing(text)])),
          ),
        );
        const ran = await importOf(market, rows);
        assert.equal(ran.exitCode, 0, ran.stderr);
        assert.equal((ran.json() as {rows: number}).rows, rows.length);
      });

      for (const {name, what, value, says} of wrongs) {
        const fields = {...first!.fields, [name]: value};
        const plain = withoutBlanks(value);
        it(`refuses a ${name} with ${what}, and names the field and its form`, async () => {
          const field = fieldsOf(market).find((one) => one.name === name)!;
          assert.equal(wrongIn(field, plain), says);
          const sent = {...fields, [name]: plain};
          const checked = check('PayerPaymentMethodAdd', bodyOf(market, sent));
          const issues = checked.ok ? [] : checked.issues.map(({field: at, issue}) => `${at} ${issue}`);
          assert.deepEqual(issues, says === INVALID ? [] : [`bank_account.${name} ${says}`]);

          const ran = await add(market, fields);
          assert.deepEqual([ran.exitCode, ran.requests.length], [5, 0], ran.stderr);
          const label = new RegExp(name.replace('_', '.'), 'i');
          assert.match(ran.error().message, label);
          assert.ok(ran.error().message.endsWith(says), ran.error().message);
          if (field === market.account) assert.ok(!ran.stderr.includes(value), 'the number is not shown');

          const answered = await at.post(methods, bodyOf(market, sent));
          assert.equal(answered.status, says === INVALID ? 422 : 400);
          assert.equal(
            answered.body.details?.[0]?.field ?? answered.body.errors?.[0]?.field,
            `bank_account.${name}`,
          );
        });
      }

      it('refuses all of them in a file, each by its line and column', async () => {
        const ran = await importOf(
          market,
          wrongs.map(({name, value}) => ({...first!.fields, [name]: value})),
        );
        assert.equal(ran.exitCode, 5, ran.stderr);
        assert.deepEqual(
          ran.error().details?.['problems'],
          wrongs.map(({name, says}, n) => `line ${n + 2}: ${name} ${says}`),
        );
      });
    });
  }
});
