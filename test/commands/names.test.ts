import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {describe, it} from 'mocha';
import {runCli} from '../cli/run-cli.ts';
import {answer, type Script} from '../client/transport/fake-transport.ts';
import {page, PAYEE_ID, PAYER_ID, payin, payout} from './fixtures.ts';

const OTHER_ID = '0192a000-0000-7000-8000-0000000000ab';
const party = (id: string, name: string) => ({id, name, email: null, type: 'business'});
const PAYEES = [party(PAYEE_ID, 'Acme Ltd'), party(OTHER_ID, 'Acme Ltd Holding')];

/** Answers lists of payees in pages of one, single payees, and payouts with these records. */
const service =
  (payouts: readonly unknown[] = [], payees: readonly object[] = PAYEES): Script =>
  ({path}) => {
    const url = new URL(path, 'http://host');
    const at = Number(url.searchParams.get('cursor') ?? 0);
    if (url.pathname === '/api/payees')
      return page([payees[at]], at + 1 < payees.length ? String(at + 1) : null);
    if (url.pathname.startsWith('/api/payees/')) return answer(200, PAYEES[0]);
    if (url.pathname === '/api/payouts') return page([...payouts]);
    return answer(404, {error_code: 'NOT_FOUND', message: 'no'});
  };

const run = (line: string, script: Script, columns?: number) =>
  runCli(line.split(' '), {service: script, ...(columns === undefined ? {} : {columns})});

describe('a name in place of an id', () => {
  it('is looked up at a terminal: the whole name in any case, or else a part of it', async () => {
    for (const [name, id] of [
      ['ACME ltd', PAYEE_ID],
      ['holding', OTHER_ID],
    ] as const) {
      const ran = await runCli(['payouts', 'list', '--payee', name], {service: service(), columns: 100});
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.match(ran.requests.at(-1)!.path, new RegExp(`payee_id=${id}`));
      assert.match(ran.stderr, new RegExp(`payee Acme Ltd.*: ${id}`));
    }
  });

  it('lists the candidates if several fit, and sends nothing for them', async () => {
    const ran = await run('payouts list --payee acme', service(), 100);
    assert.equal(ran.exitCode, 2);
    assert.match(
      ran.stderr,
      new RegExp(`2 payees have a name like "acme":\n +${PAYEE_ID} {2}Acme Ltd\n +${OTHER_ID}`),
    );
    assert.ok(ran.requests.every(({path}) => path.startsWith('/api/payees')));
  });

  it('ends with 4 if none fits', async () => {
    const ran = await run('payouts list --payee zz', service(), 100);
    assert.equal(ran.exitCode, 4);
    assert.match(ran.stderr, /no payee has a name like "zz"\nHint: remit payees list/);
  });

  it('is refused without a terminal, before anything is sent', async () => {
    for (const line of [
      'payouts list --payee Acme',
      'payins list --payer Acme',
      'payment-methods list --payee Acme',
      'payees get Acme',
      'transfers list --account Main',
      'treasury balance Main',
      'treasury transactions Main',
    ]) {
      const ran = await run(line, service());
      assert.deepEqual([ran.exitCode, ran.requests.length, ran.stdout], [2, 0, ''], line);
      assert.match(
        ran.stderr,
        /names are looked up only at a terminal\nHint: find the id with remit (\w+|treasury accounts) list$/m,
      );
    }
  });

  it('is not confused with an id of another form, which the service file can allow', async () => {
    const hint = async (typed: string) =>
      /^Hint: (.*)$/m.exec((await runCli(['payouts', 'list', '--payee', typed])).stderr)?.[1];
    assert.equal(await hint('Elm Press 1'), 'find the id with remit payees list');
    assert.match(
      (await hint('pye_0001'))!,
      /^find the id with remit payees list; if the ids .* set ids\.format to "any"/,
    );
  });
});

describe('a reference in a list', () => {
  it('is refused with the command that finds it in batches', async () => {
    for (const topic of ['payouts', 'payins']) {
      const ran = await runCli([topic, 'list', '--reference', 'INV 17'], {});
      assert.equal(ran.exitCode, 2);
      assert.match(ran.stderr, new RegExp(`Hint: remit ${topic} batch find 'INV 17'`));
    }
  });
});

describe('a payee shown to people', () => {
  it('is followed by its payouts among the last 200, with their sums', async () => {
    const others = Array.from({length: 5}, (_, at) => payout({id: `other-${at}`, payee_id: OTHER_ID}));
    const own = payout({id: '0192a000-0000-7000-8000-000000000002'});
    const ran = await run(`payees get ${PAYEE_ID}`, service([payout(), ...others, own]));
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /^Name\tAcme Ltd$/m);
    assert.match(ran.stdout, /^Among all 7 payouts: 2 to this payee, 250\.00 USD$/m);
    assert.equal(ran.stdout.match(/^0192.*125\.00 USD/gm)?.length, 2);
  });

  it('says if there are more than 200, and lists ten', async () => {
    let asked = 0;
    const many: Script = ({path}) => {
      if (!path.startsWith('/api/payouts')) return answer(200, PAYEES[0]);
      const limit = Number(new URL(path, 'http://host').searchParams.get('limit'));
      asked += 1;
      return page(
        Array.from({length: limit}, () => payout({id: randomUUID()})),
        String(asked),
      );
    };
    const ran = await run(`payees get ${PAYEE_ID}`, many);
    assert.match(
      ran.stdout,
      /^Among the last 200 payouts: 200 to this payee, 25,000\.00 USD; the newest 10:$/m,
    );
    assert.equal(ran.stdout.match(/^[0-9a-f]{8}-.*125\.00 USD/gm)?.length, 10);
    assert.match(ran.stderr, new RegExp(`Hint: remit payouts list --payee ${PAYEE_ID} --all`));
    assert.equal(asked, 2);
  });

  it('is shown although the list cannot be read', async () => {
    const ran = await run(`payees get ${PAYEE_ID}`, ({path}) =>
      path.startsWith('/api/payouts') ? answer(403, {message: 'no'}) : answer(200, PAYEES[0]),
    );
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /The last payouts could not be read/);
  });

  it('is the record alone for machines, in one request', async () => {
    const ran = await run(`payees get ${PAYEE_ID} --json`, service([payout()]));
    assert.deepEqual([ran.json(), ran.requests.length], [PAYEES[0], 1]);
  });

  it('works the same for a payer and a subaccount', async () => {
    const subaccount = {
      id: OTHER_ID,
      name: 'Rent',
      currency_code: 'USD',
      balance_in_minor_units: 5,
      status: 'active',
    };
    const both: Script = ({path}) => {
      if (path.startsWith('/api/payins')) return page([payin({subaccount_id: OTHER_ID})]);
      if (path.startsWith('/api/payouts')) return page([payout()]);
      return answer(200, path.includes('subaccounts') ? subaccount : party(PAYER_ID, 'Acme Ltd'));
    };
    assert.match(
      (await run(`payers get ${PAYER_ID}`, both)).stdout,
      /^Among all 1 payin: 1 from this payer, 125/m,
    );
    const rent = (await run(`subaccounts get ${OTHER_ID}`, both)).stdout;
    assert.match(rent, /^Balance\t0\.05 USD$/m);
    assert.match(rent, /^Among all 1 payout: none from this subaccount$/m);
    assert.match(rent, /^Among all 1 payin: 1 to this subaccount, 125\.00 USD$/m);
  });
});
