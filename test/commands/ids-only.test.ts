import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {WITHOUT_IDS} from '../../src/cli/input/without-ids.ts';
import {runCli, scratch, TEST_KEY, BASE_URL} from '../cli/run-cli.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {readJson} from '../repo/tree.ts';
import {METHOD_ID, payout, PAYEE_ID, PAYER_ID, PAYOUT_ID} from './fixtures.ts';
import {WRITING_COMMANDS} from './written-commands.ts';

/** Fields that name a result, also those that a view names. */
const NAMING = new Set(['id', 'batch_id', 'name', 'profile', 'account_id', 'default', 'type', 'key']);
/** Their results are never names: `type` is of a line, `profile` and `default` are beside the facts, `key` of a sandbox. */
const NOT_BY_FIELDS = new Set([
  'api',
  'doctor',
  'explain',
  'sandbox:start',
  'webhooks:listen',
  'webhooks:events:inspect',
]);

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

describe('-o id', () => {
  const {$defs} = readJson('docs/reference/output.schema.json') as {$defs: Record<string, Schema>};
  const fieldsOf = (schema: Schema): string[] => {
    if (schema.$ref !== undefined)
      return fieldsOf($defs[decodeURIComponent(schema.$ref.split('/').at(-1)!)]!);
    const parts = [...(schema.anyOf ?? []), ...(schema.allOf ?? []), ...(schema.oneOf ?? [])];
    const inner = schema.items === undefined ? [] : [schema.items];
    return [...Object.keys(schema.properties ?? {}), ...[...parts, ...inner].flatMap(fieldsOf)];
  };
  const results = Object.entries($defs).filter(([name]) => !name.endsWith('(line)'));

  it('is refused by exactly the commands whose published result has neither an id nor a name', () => {
    const commands = new Set(results.map(([name]) => name.replaceAll(' ', ':')));
    for (const id of WITHOUT_IDS)
      assert.ok(
        [id, id.replace('payouts', 'payins'), id.replace('payers', 'payees')].some((one) =>
          commands.has(one),
        ),
        `${id} has no published result`,
      );
    for (const [name, schema] of results) {
      const id = name.replaceAll(' ', ':');
      if (NOT_BY_FIELDS.has(id)) continue;
      const isNamed = fieldsOf(schema).some((field) => NAMING.has(field));
      assert.equal(WITHOUT_IDS.has(id), !isNamed, `${name}: ${fieldsOf(schema).join(', ')}`);
    }
  });

  const TYPED: Readonly<Record<string, string>> = {
    completion: 'bash',
    'completion:install': 'bash',
    'completion:uninstall': 'bash',
    explain: 'R01',
    'payees:import': 'parties.csv',
    'payers:import': 'parties.csv',
    'payins:batch:policy:check': 'policy.json',
    'payins:batch:policy:init': 'policy.json --approver me',
    'payouts:batch:policy:check': 'policy.json',
    'payouts:batch:policy:init': 'policy.json --approver me',
    reconcile: '--account x',
    'reconcile:confirm': 'line payment --note x',
    'reconcile:ignore': 'line --note x',
    'reconcile:reject': 'line payment --note x',
    schema: 'payouts.create',
    'sandbox:certificate': '',
    'webhooks:send': 'http://127.0.0.1:9/ -',
    'webhooks:sign': '-',
    'webhooks:verify': '-',
  };
  for (const id of WITHOUT_IDS)
    it(`is refused with 2 before anything is done: ${id.replaceAll(':', ' ')}`, async () => {
      const words = [...id.split(':'), ...(TYPED[id] ?? '').split(' ').filter((word) => word !== '')];
      const ran = await runCli([...words, '-o', 'id'], {cwd: scratch()});
      assert.deepEqual([ran.exitCode, ran.stdout, ran.requests.length], [2, '', 0], ran.stderr);
      assert.match(ran.stderr, /-o id does not apply to .*its result has no id/);
    });

  it('is refused by a summary, which has no records', async () => {
    const ran = await runCli(['payouts', 'list', '--summary', '-o', 'id'], {service: []});
    assert.deepEqual([ran.exitCode, ran.requests.length], [2, 0], ran.stderr);
  });

  const lines = (text: string) => text.split('\n').filter((line) => line !== '');
  const assertPlain = (stdout: string, line: string) => {
    assert.ok(lines(stdout).length > 0, `${line} prints nothing`);
    for (const one of lines(stdout)) assert.match(one, /^[^\s{}[\]":]+$/, line);
  };
  const record = {
    ...payout({id: PAYOUT_ID, amount_in_minor_units: 100, amount_in_cents: 100}),
    payer_id: PAYER_ID,
    name: 'Acme',
    ...{account_id: PAYEE_ID, current_balance_in_minor_units: 100, available_balance_in_minor_units: 100},
    as_of: '2026-01-01T12:00:00Z',
    status: 'approved',
  };
  const service: Script = ({method, path}) => {
    const isList = method === 'GET' && !/[0-9a-f]{12}(?:\/balance)?(?:\?|$)/.test(path);
    return isList
      ? answer(200, {data: [record, {...record, id: METHOD_ID}], next_cursor: null})
      : answer(200, record);
  };

  for (const {line} of WRITING_COMMANDS)
    it(`prints the id alone after a write: ${line.split(' ').slice(0, 3).join(' ')}`, async () => {
      const folder = scratch();
      const words = `${line} -o id`.replace('SECRET', `${folder}/secret`).split(' ');
      const ran = await runCli(words, {service, cwd: folder});
      assert.ok(ran.requests.length > 0, ran.stderr);
      assertPlain(ran.stdout, line);
    });

  for (const line of [
    ...['payouts', 'payins', 'moves', 'payees', 'payers', 'subaccounts'].flatMap((topic) => [
      `${topic} list`,
      `${topic} get ${PAYOUT_ID}`,
    ]),
    ...['transfers list', `transfers get ${PAYOUT_ID}`, 'treasury accounts', `treasury balance ${PAYEE_ID}`],
    ...[`treasury transactions ${PAYEE_ID}`, `payment-methods list --payee ${PAYEE_ID}`],
    ...['webhooks endpoints list', `webhooks endpoints get ${PAYOUT_ID}`],
    `api GET /api/payouts/${PAYOUT_ID}`,
    'api GET /api/payouts --paginate',
  ])
    it(`prints only ids: ${line.replaceAll(/[0-9a-f-]{36}/g, 'ID')}`, async () => {
      const ran = await runCli([...line.split(' '), '-o', 'id'], {service});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assertPlain(ran.stdout, line);
    });

  it('prints the names of profiles', async () => {
    const isNoPayout: Script = ({path}) =>
      /payouts\/./.test(path)
        ? answer(404, {error_code: 'NOT_FOUND', message: 'no such payout'})
        : answer(200, {data: [], next_cursor: null});
    const env = {HOME: scratch()};
    const run = async (line: string) => {
      const ran = await runCli([...line.split(' '), '-o', 'id'], {
        ...{env, service: isNoPayout, stdin: TEST_KEY},
      });
      assert.equal(ran.exitCode, 0, `${line}: ${ran.stderr}`);
      return ran.stdout;
    };
    for (const line of [
      `profiles add acme --base-url ${BASE_URL} --key-stdin`,
      'profiles set acme --max-batch-rows 5',
      'profiles show acme',
      'profiles use acme',
      'profiles list',
      'profiles test',
      'whoami',
      'profiles unset acme --max-batch-rows',
      'profiles remove acme --yes',
    ])
      assert.equal(await run(line), 'acme\n', line);
  });

  it('prints nothing but a warning for a record without an id', async () => {
    const ran = await runCli(['api', 'GET', '/unknown', '-o', 'id'], {service: [answer(200, {a: {b: 1}})]});
    assert.equal(ran.stdout, '');
    assert.match(ran.stderr, /Warning: the result has no id; use -o json/);
  });
});

describe('-o id of a list with an id that cannot be printed unchanged', () => {
  for (const id of ['\u202e11', '1\u200b1', '1\t1', '1\n1'])
    it(`leaves it out and exits 8: ${JSON.stringify(id)}`, async () => {
      const data = [payout(), payout({id}), payout({id: PAYEE_ID})];
      for (const more of [[], ['--query', '[].id']]) {
        const ran = await runCli(['payouts', 'list', '-o', 'id', ...more], {
          service: [answer(200, {data, next_cursor: null})],
        });
        assert.deepEqual([ran.exitCode, ran.stdout], [8, `${PAYOUT_ID}\n${PAYEE_ID}\n`], ran.stderr);
        assert.match(
          ran.stderr,
          /^Warning: the id ".+" has characters that cannot be printed, so it is left out; use -o json$/m,
        );
      }
    });

  it('does so for a single record', async () => {
    const id = 'a\u202e11';
    const ran = await runCli(['payouts', 'list', '-o', 'id', '--query', '[0].id'], {
      service: [answer(200, {data: [payout({id})], next_cursor: null})],
    });
    assert.deepEqual([ran.exitCode, ran.stdout], [8, ''], ran.stderr);
    assert.ok(ran.stderr.includes('"a\\u202e11"'), ran.stderr);
  });
});
