import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {answer, lost, type Reply, type Script} from '../../client/transport/fake-transport.ts';
import {METHOD_ID, page, PAYEE_ID, payin, PAYER_ID, payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import {runCli, type CliOptions} from '../run-cli.ts';
import {profiled} from './profiled.ts';

const CREATE = ['payouts', 'create', '--payee', PAYEE_ID, '--amount', '125.00', '--currency', 'USD'];
const OTHER_METHOD = '0192a000-0000-7000-8000-0000000000cd';
const METHODS = [
  {
    id: OTHER_METHOD,
    type: 'card',
    last4: '4242',
    brand: 'Visa',
    is_default: false,
    verification_status: 'pending',
  },
  {
    id: METHOD_ID,
    type: 'bank_account',
    last4: '6789',
    bank_name: 'Test Bank',
    is_default: true,
    verification_status: 'verified',
  },
];

/** A service that answers reads from a table of path beginnings, and writes with a record. */
const service =
  (reads: Record<string, Reply>, written: unknown = payout()): Script =>
  ({method, path}) => {
    if (method !== 'GET') return answer(201, written);
    const [, reply] = Object.entries(reads).find(([start]) => path.startsWith(start)) ?? [];
    return reply ?? answer(404, {error_code: 'NOT_FOUND', message: 'no'});
  };
const KNOWN = {
  [`/api/payees/${PAYEE_ID}/payment-methods`]: page(METHODS),
  [`/api/payees/${PAYEE_ID}`]: answer(200, {id: PAYEE_ID, name: 'Acme Ltd'}),
};
/** What a live write shows before it is confirmed, by label; the write is refused at the question. */
async function confirmation(
  words: string[],
  reads: Record<string, Reply>,
  options: CliOptions = {},
): Promise<Record<string, string>> {
  const ran = await runCli([...words, '--live'], {
    env: profiled({mode: 'live'}),
    columns: 160,
    answers: [''],
    service: service(reads),
    ...options,
  });
  assert.equal(ran.exitCode, 11, ran.stderr);
  assert.deepEqual(
    ran.requests.filter(({method}) => method !== 'GET'),
    [],
  );
  return Object.fromEntries(
    [...ran.stderr.matchAll(/^ {4}(\S.{0,11}?) {2,}(.*)$/gm)].map(([, label, text]) => [label!, text!]),
  );
}

describe('the confirmation of a live creation', () => {
  it('names the payee, the masked account, amount, rail, date, subaccount and effect', async () => {
    assert.deepEqual(await confirmation(CREATE, KNOWN), {
      payee: `Acme Ltd (${PAYEE_ID})`,
      'pays to': 'bank account …6789, Test Bank, default',
      amount: '125.00 USD (12500 minor units)',
      rail: 'not named; the service chooses it',
      scheduled: 'no date',
      from: 'the main account',
      effect: 'waits for approval; no money moves yet',
    });
  });

  it('names the method that the command names, and a verification that is not complete', async () => {
    const shown = await confirmation([...CREATE, '--payment-method', OTHER_METHOD], KNOWN);
    assert.equal(shown['pays to'], 'card …4242, Visa, verification pending');
    const none = await confirmation([...CREATE, '--payment-method', PAYOUT_ID], KNOWN);
    assert.equal(none['pays to'], `unknown: ${PAYOUT_ID} is not among the payment methods of the payee`);
  });

  it('says what approval and a date change', async () => {
    const at = ['--scheduled-date', '2030-01-02'];
    const scheduled = await confirmation([...CREATE, '--auto-approve', ...at, '--rail', 'wire'], KNOWN);
    assert.equal(scheduled['scheduled'], '2030-01-02, 09:00 in New York');
    assert.equal(scheduled['rail'], 'wire');
    assert.equal(scheduled['effect'], 'approved immediately; the money moves on the scheduled date');
    const now = await confirmation([...CREATE, '--auto-approve'], KNOWN);
    assert.equal(now['effect'], 'approved immediately; the money moves now');
  });

  it('says what it does not know, and why, instead of guessing', async () => {
    const unknown = await confirmation(CREATE, {});
    assert.equal(unknown['payee'], `${PAYEE_ID}, name unknown: the service answered 404`);
    assert.equal(unknown['pays to'], 'unknown: the service answered 404');
    const other = await confirmation(CREATE, {
      [`/api/payees/${PAYEE_ID}/payment-methods`]: page([{...METHODS[0]}]),
      [`/api/payees/${PAYEE_ID}`]: answer(200, {id: PAYER_ID, name: 'Another Ltd'}),
    });
    assert.equal(other['payee'], `${PAYEE_ID}, name unknown: the service sent an unexpected answer`);
    assert.equal(other['pays to'], 'unknown: the payee has no default payment method');
    const down = await confirmation(CREATE, {'/': lost()});
    assert.match(down['payee'] ?? '', /name unknown/);
  });

  it('cannot be forged by a name, and shows four digits of a number at most', async () => {
    const shown = await confirmation(CREATE, {
      [`/api/payees/${PAYEE_ID}/payment-methods`]: page([{...METHODS[1], last4: '000123456789'}]),
      [`/api/payees/${PAYEE_ID}`]: answer(200, {name: 'Acme\n    amount       1.00 USD\u001b[2J'}),
    });
    assert.match(shown['payee'] ?? '', /^Acme/);
    assert.equal(shown['amount'], '125.00 USD (12500 minor units)');
    assert.equal(shown['pays to'], 'bank account …6789, Test Bank, default');
  });

  it('is shown to a script too', async () => {
    const ran = await runCli([...CREATE, '--live', '--yes', '-q'], {
      env: profiled({mode: 'live'}),
      service: service(KNOWN),
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /^ {4}pays to {6}bank account …6789/m);
  });

  it('reads nothing without --live, or if nothing could confirm it', async () => {
    for (const words of [CREATE, [...CREATE, '--live']]) {
      const ran = await runCli(words, {env: profiled({mode: 'live'}), service: service(KNOWN)});
      assert.equal(ran.exitCode, 11);
      assert.deepEqual(ran.requests, []);
    }
  });

  it('ends with 130 when it is interrupted while it reads', async () => {
    const stop = new Stop(() => assert.fail('the process must not be ended'));
    const ran = await runCli([...CREATE, '--live', '--yes'], {
      env: profiled({mode: 'live'}),
      stop,
      service: async () => {
        stop.receive('SIGINT');
        return lost('aborted');
      },
    });
    assert.equal(ran.exitCode, 130, ran.stderr);
    assert.deepEqual(
      ran.requests.filter(({method}) => method !== 'GET'),
      [],
    );
    stop.release();
  });

  it('of a payin names the payer and the account that is debited', async () => {
    const words = ['payins', 'create', '--payer', PAYER_ID, '--amount', '5.00', '--currency', 'USD'];
    const shown = await confirmation(words, {
      [`/api/payers/${PAYER_ID}/payment-methods`]: page([METHODS[1]]),
      [`/api/payers/${PAYER_ID}`]: answer(200, {data: {id: PAYER_ID, name: 'Beta'}}),
    });
    assert.equal(shown['payer'], `Beta (${PAYER_ID})`);
    assert.equal(shown['debits'], 'bank account …6789, Test Bank, default');
    assert.equal(shown['credits'], 'the main account');
  });
});

describe('the confirmation of a live approval or cancellation', () => {
  const path = `/api/payouts/${PAYOUT_ID}`;
  for (const [verb, effect] of [
    ['approve', 'the money moves now, or on its scheduled date'],
    ['cancel', 'the payout is canceled; no money moves'],
  ] as const)
    it(`reads the record: ${verb}`, async () => {
      const shown = await confirmation(['payouts', verb, PAYOUT_ID], {[path]: answer(200, payout())});
      assert.deepEqual(shown, {
        payout: PAYOUT_ID,
        payee: `Acme Ltd (${PAYEE_ID})`,
        'pays to': 'bank account …6789, Test Bank',
        amount: '125.00 USD (12500 minor units)',
        rail: 'standard_ach',
        status: 'created',
        scheduled: 'not shown by the service',
        from: 'the main account',
        effect,
      });
    });

  it('announces no effect for a record that is no longer created', async () => {
    const shown = await confirmation(['payouts', 'cancel', PAYOUT_ID], {
      [path]: answer(200, payout({status: 'settled'})),
    });
    assert.equal(shown['effect'], 'asks to cancel a payout that is settled; the service decides');
  });

  it('says what the record does not name', async () => {
    const record = {id: PAYOUT_ID, status: 'created', amount_in_minor_units: 12_500, currency_code: 'USD'};
    const shown = await confirmation(['payouts', 'approve', PAYOUT_ID], {[path]: answer(200, record)});
    assert.equal(shown['payee'], 'unknown: the record has no payee_id');
    assert.equal(shown['pays to'], 'unknown: the record has no payment method');
    assert.equal(shown['from'], 'unknown: the record has no subaccount_id');
  });

  it('shows the stated amount if the record has none, and asks to type it', async () => {
    const words = ['payins', 'approve', PAYOUT_ID, '--amount', '125.00', '--currency', 'USD'];
    const reads = {[`/api/payins/${PAYOUT_ID}`]: answer(200, {id: PAYOUT_ID, status: 'created'})};
    const shown = await confirmation(words, reads);
    assert.equal(shown['amount'], '125.00 USD (12500 minor units), as stated with --amount');
    const sent = await runCli([...words, '--live'], {
      env: profiled({mode: 'live'}),
      columns: 160,
      answers: ['125.00'],
      service: service(reads, payin({status: 'approved'})),
    });
    assert.equal(sent.exitCode, 0, sent.stderr);
  });

  it('does the same for api', async () => {
    const shown = await confirmation(['api', 'POST', `${path}/approve`], {[path]: answer(200, payout())});
    assert.equal(shown['pays to'], 'bank account …6789, Test Bank');
    const body = JSON.stringify({payee_id: PAYEE_ID, amount_in_minor_units: 5, currency_code: 'USD'});
    const created = await confirmation(['api', 'POST', '/api/payouts', '-d', body], KNOWN);
    assert.equal(created['payee'], `Acme Ltd (${PAYEE_ID})`);
    assert.equal(created['effect'], 'waits for approval; no money moves yet');
    const text = JSON.stringify({payee_id: PAYEE_ID, amount_in_minor_units: 5, auto_approve: 'yes'});
    const approved = await confirmation(['api', 'POST', '/api/payouts', '-d', text], KNOWN);
    assert.equal(approved['effect'], 'approved immediately; the money moves now');
  });
});

describe('the confirmation between own accounts', () => {
  const [FROM, TO] = [METHOD_ID, OTHER_METHOD];

  it('names both treasury accounts', async () => {
    const words = `transfers create --source ${FROM} --destination ${TO} --amount 10.00 --currency USD --rail book`;
    const shown = await confirmation(words.split(' '), {
      '/api/treasury/accounts': page([{id: FROM, label: 'Operating'}]),
    });
    assert.equal(shown['from'], `Operating (${FROM})`);
    assert.equal(shown['to'], `account ${TO}, label unknown`);
    assert.equal(shown['effect'], 'waits for approval; no money moves yet');
  });

  it('names both subaccounts', async () => {
    const record = {
      id: PAYOUT_ID,
      source_subaccount_id: FROM,
      destination_subaccount_id: TO,
      status: 'CREATED',
    };
    const shown = await confirmation(['moves', 'approve', PAYOUT_ID], {
      '/api/subaccounts/move/': answer(200, {
        data: {...record, amount_in_minor_units: 5, currency_code: 'USD'},
      }),
      [`/api/subaccounts/${FROM}`]: answer(200, {id: FROM, name: 'Salaries'}),
    });
    assert.equal(shown['move'], PAYOUT_ID);
    assert.equal(shown['from'], `Salaries (${FROM})`);
    assert.equal(shown['to'], `subaccount ${TO}, name unknown`);
    assert.equal(shown['effect'], 'the money moves now');
  });

  it('names them for api too', async () => {
    const amount = {amount_in_minor_units: 5, currency_code: 'USD'};
    const move = {source_subaccount_id: FROM, destination_subaccount_id: TO, ...amount};
    const moved = await confirmation(['api', 'POST', '/api/subaccounts/move', '-d', JSON.stringify(move)], {
      [`/api/subaccounts/${FROM}`]: answer(200, {id: FROM, name: 'Salaries'}),
    });
    assert.equal(moved['from'], `Salaries (${FROM})`);
    assert.equal(moved['to'], `subaccount ${TO}, name unknown`);
    assert.equal(moved['effect'], 'waits for approval; no money moves yet');
    const transfer = {source_account_id: FROM, destination_account_id: TO, ...amount, auto_approve: true};
    const sent = await confirmation(
      ['api', 'POST', '/api/treasury/account-transfers', '-d', JSON.stringify(transfer)],
      {'/api/treasury/accounts': page([{id: FROM, label: 'Operating'}])},
    );
    assert.equal(sent['from'], `Operating (${FROM})`);
    assert.equal(sent['effect'], 'approved immediately; the money moves now');
  });
});

describe('the confirmation of a new payment method', () => {
  it('names the party and the masked account', async () => {
    const words = `payment-methods add --payee ${PAYEE_ID} --routing-number 021000021 --holder-name Acme`;
    const shown = await confirmation(words.split(' '), KNOWN, {answers: ['000123456789', false]});
    assert.deepEqual(shown, {
      payee: `Acme Ltd (${PAYEE_ID})`,
      adds: 'bank account …6789, routing number …0021, holder Acme',
    });
  });
});
