import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {LIFECYCLES} from '../../../src/contract/lifecycle.ts';
import {SERVICE_ERRORS} from '../../../src/contract/error-codes.ts';
import {ERRORS, EXIT_MEANINGS, isErrorCode} from '../../../src/errors.ts';
import {EXPLAINED, explain, type Explanation} from '../../../src/cli/help/explain.ts';
import {SCENARIOS} from '../../../src/sandbox/outcomes/scenarios.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {createPayout, PAYEE_ID, PAYOUT_ID, payout} from '../../commands/fixtures.ts';
import {runCli} from '../run-cli.ts';

const only = (word: string, kind: Explanation['kind']): Explanation => {
  const found = explain(word).filter((one) => one.kind === kind);
  assert.equal(found.length, 1, word);
  return found[0]!;
};

describe('explain', () => {
  it('knows every error code, in any spelling', () => {
    for (const [code, {exit, meaning, retryable}] of Object.entries(ERRORS))
      for (const word of [code, code.toLowerCase().replaceAll('_', '-')]) {
        const found = only(word, 'error');
        assert.deepEqual(
          [found.name, found.exit_code, found.meaning, found.retryable],
          [code, exit, meaning, retryable],
        );
        assert.match(found.advice ?? '', /\.$/);
      }
  });

  it('knows every exit code, with the errors that end so', () => {
    for (const [code, meaning] of Object.entries(EXIT_MEANINGS)) {
      const found = only(code, 'exit code');
      assert.equal(found.meaning, meaning);
      const errors = Object.entries(ERRORS).flatMap(([name, {exit}]) =>
        String(exit) === code ? [name] : [],
      );
      assert.deepEqual(found.errors, errors, code);
    }
  });

  it('knows every status of every record, and what follows it', () => {
    for (const [kind, {next}] of Object.entries(LIFECYCLES))
      for (const [status, after] of Object.entries<readonly string[]>(next)) {
        const found = explain(status).filter((one) => one.kind === 'status' && one.name === status);
        assert.ok(
          found.some((one) => String(one.next) === String(after)),
          `${kind} ${status}`,
        );
      }
    const settled = explain('settled').find(({of}) => of === 'payouts');
    assert.equal(settled?.meaning, 'last status: success');
    assert.equal(explain('failed').find(({of}) => of === 'payins')?.meaning, 'last status: failure');
  });

  it('says of a final status that it will not change, and of a failure where its reason is', async () => {
    const {stdout} = await runCli(['explain', 'failed']);
    assert.match(
      stdout,
      /^failed \(status of payouts\): last status: failure\n {2}The interface document describes no status after it\. The reason: remit payouts get ID$/m,
    );
    for (const of of ['payouts', 'payins'])
      assert.match(
        explain('settled').find((one) => one.of === of)?.advice ?? '',
        /A bank can still return an ACH payment days later/,
      );
    assert.equal(explain('debited').find(({of}) => of === 'payouts')?.advice, undefined);
  });

  it('says of an HTTP status what a command does with it', async () => {
    const statuses = EXPLAINED.filter((word) => /^[2-5]\d\d$/.test(word)).map(Number);
    assert.ok(statuses.length >= 15);
    const create = createPayout('k');
    for (const status of statuses) {
      const {errors = [], exit_code} = only(String(status), 'HTTP status');
      const body = status === 204 ? undefined : status < 300 ? payout() : {message: 'no'};
      const service = () => answer(status, body);
      const read = await runCli(['payouts', 'get', PAYOUT_ID, '-o', 'json', '--retries', '0'], {service});
      const write = await runCli([...create, '-o', 'json', '--retries', '0'], {service});
      const told = status < 300 ? [write] : [read, write];
      for (const ran of told) {
        if (status === 204) continue; // a create is answered with its record
        if (exit_code !== undefined) assert.equal(ran.exitCode, exit_code, `${status}`);
        if (status >= 300) {
          const {code} = ran.error();
          assert.ok((errors as string[]).includes(code), `${status}: ${code}`);
        }
      }
      if (status >= 500) assert.deepEqual([read.exitCode, write.exitCode], [7, 12], `${status}`);
    }
  });

  it('advises to run the same command again only if that may help', () => {
    for (const [code, {retryable}] of Object.entries(ERRORS))
      if (!retryable) assert.doesNotMatch(only(code, 'error').advice ?? '', /again later/, code);
    assert.match(only('FILTER_IGNORED', 'error').advice ?? '', /--query/);
  });

  it('knows the states and codes of rows in a batch', () => {
    for (const word of ['DIFFERS', 'differs', 'collision', 'dead-key', 'PAID_ELSEWHERE', 'REGISTRY', 'held'])
      assert.ok(only(word, 'batch row').meaning, word);
    assert.deepEqual(
      explain('in_doubt').map(({kind}) => kind),
      ['error', 'batch row'],
    );
  });

  it('explains several words, and none if one is unknown', async () => {
    const both = await runCli(['explain', 'R01', 'R03', '--json']);
    assert.deepEqual(both.json(), [...explain('R01'), ...explain('R03')]);
    const typo = await runCli(['explain', 'R01', 'setled']);
    assert.deepEqual([typo.exitCode, typo.stdout], [2, '']);
  });

  it('says what the suggested bank code means', async () => {
    const {stderr} = await runCli(['explain', 'INSUFFICIENT_FUNDS']);
    assert.match(
      stderr,
      /is called "INSUFFICIENT_FUNDS"; R01 is "Insufficient funds"\nHint: remit explain R01\n/,
    );
  });

  it('knows the reasons of banks', () => {
    assert.match(only('r03', 'bank code').meaning, /No account/);
    assert.match(only('R03', 'bank code').advice ?? '', /another payment method/);
    assert.doesNotMatch(only('R01', 'bank code').advice ?? '', /another payment method/);
    assert.match(only('R03', 'bank code').advice ?? '', /after it was settled.*under a new reference/);
  });

  it('knows every code of the contract and every scenario of the sandbox', () => {
    for (const code of Object.keys(SERVICE_ERRORS)) assert.ok(explain(code).length > 0, code);
    const unavailable = only('service-unavailable', 'service code');
    assert.deepEqual(unavailable.errors, ['UNAVAILABLE', 'IN_DOUBT']);
    for (const name of Object.keys(SCENARIOS)) assert.ok(explain(name).length > 0, name);
    assert.deepEqual(
      explain('settle_slow').map(({of}) => of),
      ['payouts and payins', 'account transfers'],
    );
    for (const word of EXPLAINED) assert.ok(explain(word).length > 0, word);
  });

  it('is printed as text and as JSON', async () => {
    const text = await runCli(['explain', 'in_doubt']);
    assert.match(text.stdout, /^IN_DOUBT \(error\): .*\n {2}Exit code: 12\n/);
    const json = await runCli(['explain', 'in_doubt', '--json']);
    assert.deepEqual(json.json(), explain('IN_DOUBT'));
  });

  it('says that a write in doubt may have taken effect, and how not to pay twice', () => {
    const [error, row] = explain('IN_DOUBT');
    assert.match(error!.meaning, /unknown whether a write took effect; repeat it only with the same idem/);
    assert.match(
      error!.advice!,
      /Run the command in the hint.* Without that key, the same command could pay twice\.$/,
    );
    assert.equal(error!.retryable, false);
    assert.match(row!.meaning, /it may have been paid$/);
  });

  it('suggests a similar word, or the list', async () => {
    for (const [word, hint] of [
      ['rate_limted', 'remit explain RATE_LIMITED'],
      ['R3', 'remit explain R03'],
      ['setled', 'remit explain settled'],
      ['INSUFFICIENT_FUNDS', 'remit explain R01'],
      ['account closed', 'remit explain R02'],
      ['card_expired', 'remit explain expired_card'],
      ['fraud', 'remit explain suspected_fraud'],
      ['something-else-entirely', 'remit help errors'],
    ] as const) {
      const {exitCode, stderr} = await runCli(['explain', word]);
      assert.equal(exitCode, 2);
      assert.match(stderr, new RegExp(`Hint: ${hint}\n`));
      assert.equal((await runCli(hint.split(' ').slice(1))).exitCode, 0, hint);
    }
    for (const word of ['', '__proto__', 'constructor', 'toString'])
      assert.equal((await runCli(['explain', word])).exitCode, 2, word);
    assert.ok(EXPLAINED.some(isErrorCode));
  });
});

describe('help pages', () => {
  it('list every error code with its exit code', async () => {
    const {stdout} = await runCli(['help', 'errors']);
    for (const [code, {exit}] of Object.entries(ERRORS))
      assert.match(stdout, new RegExp(`^ {2}${code} +${exit} `, 'm'));
  });

  it('say how amounts are typed, with examples that remit takes', async () => {
    const {stdout} = await runCli(['help', 'money']);
    const forms = stdout.split('\n').flatMap((line) => /^ {2}(--amount\S* .*?) {2}/.exec(line)?.[1] ?? []);
    assert.equal(forms.length, 2);
    const preview = async (form: string) => {
      const argv = [
        'payouts',
        'create',
        '--payee',
        PAYEE_ID,
        ...form.trim().split(' '),
        '--dry-run',
        '--json',
      ];
      const ran = await runCli(argv);
      assert.equal(ran.exitCode, 0, ran.stderr);
      return (ran.json() as {body: {amount_in_minor_units: number}}).body.amount_in_minor_units;
    };
    for (const form of forms) assert.equal(await preview(form), 12_500);
    for (const refused of [
      '--amount 1,250.00 --currency USD',
      '--amount 1e3 --currency USD',
      '--amount 1.005 --currency USD',
    ])
      assert.equal(
        (await runCli(['payouts', 'create', '--payee', PAYEE_ID, ...refused.split(' ')])).exitCode,
        5,
        refused,
      );
  });
});

describe('a mistyped', () => {
  for (const [what, line, guess] of [
    ['flag', 'payouts list --stauts x', '--status'],
    ['global flag', 'payouts list --quite', '--quiet'],
    ['global flag before the command', '--profle x payouts list', '--profile'],
    ['value', 'payouts list --status setled', 'settled'],
    ['format', 'payouts list -o jsn', 'json'],
    ['argument', 'sandbox faults add latncy', 'latency'],
  ] as const)
    it(`${what} is answered with the similar one`, async () => {
      const {exitCode, stderr, stdout} = await runCli(line.split(' '));
      assert.deepEqual([exitCode, stdout], [2, '']);
      assert.match(stderr, new RegExp(`; did you mean ${guess}\\?`));
    });

  it('flag that resembles none gets no suggestion', async () => {
    const {stderr} = await runCli(['payouts', 'list', '--frobnicate']);
    assert.doesNotMatch(stderr, /did you mean/);
  });
});
