import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {Stop} from '../../../src/cli/runtime/stop.ts';
import {BASE_URL, LIVE_KEY, runCli, type CliOptions} from '../../cli/run-cli.ts';
import {answer, lost, type Script} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID, PAYOUT_ID, payout} from '../fixtures.ts';

const CREATE = ['payouts', 'create', '--payee', PAYEE_ID, '--amount', '125.00', '--currency', 'USD'];
const LIVE = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
const bodyOf = (request: {body?: string | undefined} | undefined): unknown =>
  JSON.parse(request?.body ?? 'null');

describe('payouts create', () => {
  it('takes a currency in lower case, as files do', async () => {
    const words = ['payouts', 'create', '--payee', PAYEE_ID, '--amount', '125.00', '--currency', 'usd'];
    const {requests, exitCode, stderr} = await runCli(words, {service: [answer(201, payout())]});
    assert.equal(exitCode, 0, stderr);
    assert.equal((bodyOf(requests[0]) as {currency_code: string}).currency_code, 'USD');
    assert.match(stderr, /^Creating a payout of 125\.00 USD/m);
  });

  it('sends every flag as the field of the contract', async () => {
    const method = '0192a000-0000-7000-8000-0000000000cc';
    const subaccount = '0192a000-0000-7000-8000-0000000000dd';
    const flags = `--rail same_day_ach --payment-method ${method} --subaccount ${subaccount} --scheduled-date 2030-01-02 --metadata a=1 --metadata b=two --auto-approve --idempotency-key k-1`;
    const echo = {rail: 'same_day_ach', subaccount_id: subaccount, client_metadata: {a: '1', b: 'two'}};
    const record = payout({status: 'approved', ...echo});
    const {requests, exitCode, stderr} = await runCli([...CREATE, ...flags.split(' ')], {
      service: [answer(201, record)],
    });
    assert.equal(exitCode, 0);
    assert.match(stderr, /^Creating a payout .*, to be released on 2030-01-02 at 09:00 New York time$/m);
    assert.equal(requests.length, 2); // the key is the caller's, so the record is compared before it is approved
    for (const request of requests) assert.equal(request.headers['idempotency-key'], 'k-1');
    assert.match(String(requests[0]!.body), /"auto_approve":false/);
    assert.deepEqual(bodyOf(requests[1]), {
      payee_id: PAYEE_ID,
      amount_in_minor_units: 12_500,
      currency_code: 'USD',
      rail: 'same_day_ach',
      override_default_payment_method_id: method,
      subaccount_id: subaccount,
      scheduled_date: '2030-01-02',
      metadata: {a: '1', b: 'two'},
      auto_approve: true,
    });
  });

  for (const [flags, says] of [
    [['--rail', 'pigeon'], /rail/],
    [['--scheduled-date', '02.01.2030'], /scheduled_date/],
    [['--payment-method', 'x'], /override_default_payment_method_id/],
    [['--metadata', `k=${'x'.repeat(501)}`], /longer than 500 characters/],
  ] as const) {
    it(`refuses ${flags[0]} ${flags[1].slice(0, 12)} before anything is sent, with exit 5`, async () => {
      for (const json of [[], ['--json']]) {
        const ran = await runCli([...CREATE, ...flags, ...json]);
        assert.equal(ran.exitCode, 5);
        assert.equal(ran.stdout, '');
        assert.match(ran.stderr, says);
        assert.deepEqual(ran.requests, []);
      }
    });
  }

  for (const argv of [
    [...CREATE, '--auto-approve', '--until', 'setled'],
    ['payouts', 'approve', PAYOUT_ID, '--until', 'setled'],
    ['payouts', 'wait', PAYOUT_ID, '--until', 'SETTLED'],
    ['payins', 'wait', PAYOUT_ID, '--until', 'setled'],
    ['transfers', 'wait', PAYOUT_ID, '--until', 'settld'],
    ['transfers', 'wait', PAYOUT_ID, '--until', 'debited'],
  ])
    it(`refuses ${argv.slice(0, 2).join(' ')} --until ${argv.at(-1)}, which no record can be, before anything is sent`, async () => {
      const ran = await runCli([...argv, '--json']);
      assert.equal(ran.exitCode, 2);
      assert.match(ran.error().message, /is not one of the statuses: created, .*settled/);
      if (argv.at(-1) !== 'debited') assert.equal(ran.error().hint, 'did you mean --until settled?');
      assert.deepEqual(ran.requests, []);
    });

  it('says whether a record that existed already is of this command, of an earlier one, or new', async () => {
    const note = async (service: CliOptions['service'], ...more: string[]) =>
      (await runCli([...CREATE, '--yes', ...more], {service, columns: 400})).stderr;
    const existing = answer(200, payout());
    const [fresh, typed] = [[], ['--idempotency-key', 'k1']];
    const nothingNew = `Nothing new was created: payout ${PAYOUT_ID} already exists under this idempotency key.\n`;
    const lostOne = `An earlier attempt created it, but its answer was lost: there is one payout, ${PAYOUT_ID}.\n`;
    assert.ok((await note([existing], ...typed)).includes(nothingNew));
    assert.ok((await note([lost(), existing], ...typed)).includes(lostOne));
    assert.ok((await note([lost(), existing], ...fresh)).includes(lostOne));
    for (const service of [[existing], [answer(201, payout())], [lost(), answer(201, payout())]])
      assert.doesNotMatch(await note(service, ...fresh), /already exists|earlier attempt/);
  });

  it('ends with 6 and both amounts when a key that was used before brings another record back', async () => {
    const service = [answer(200, payout({amount_in_minor_units: 100}))];
    const ran = await runCli([...CREATE, '--idempotency-key', 'k1', '--json'], {service});
    assert.equal(ran.exitCode, 6);
    assert.equal(ran.stdout, '');
    assert.match(ran.error().message, /amount_in_minor_units is 100, requested 12500\. .* with a new key$/);
    assert.equal(ran.error().hint, `remit payouts get ${PAYOUT_ID}`);
    assert.deepEqual(ran.error().details?.['differences'], [
      {field: 'amount_in_minor_units', asked: 12_500, answered: 100},
    ]);
  });

  for (const [what, changes] of [
    ['party', {payee_id: PAYOUT_ID}],
    ['currency', {currency_code: 'CAD'}],
    ['metadata', {client_metadata: {order: '18'}}],
    ['subaccount', {subaccount_id: null}],
  ] as const)
    it(`takes another ${what} for another record`, async () => {
      const asked = {subaccount_id: PAYEE_ID, client_metadata: {order: '17'}};
      const flags = ['--subaccount', PAYEE_ID, '--metadata', 'order=17'];
      const ran = await runCli([...CREATE, ...flags], {
        service: [answer(200, payout({...asked, ...changes}))],
      });
      assert.equal(ran.exitCode, 6);
    });

  for (const status of [200, 201])
    it(`warns of another rail, which proves nothing: ${status}`, async () => {
      const ran = await runCli([...CREATE, '--rail', 'wire', '--idempotency-key', 'k1'], {
        service: [answer(status, payout({rail: 'WIRE_TRANSFER'}))],
      });
      assert.equal(ran.exitCode, 0);
      assert.match(ran.stdout, new RegExp(`^ID\t${PAYOUT_ID}$`, 'm'));
      assert.match(ran.stderr, /^Warning: the rail of payout \S+ is WIRE_TRANSFER, requested wire$/m);
      assert.doesNotMatch(ran.stderr, /new key/);
    });

  it('does not invite a second payout when the record is new, only not as requested', async () => {
    for (const argv of [CREATE, [...CREATE, '--idempotency-key', 'k1']]) {
      const service = [answer(201, payout({amount_in_minor_units: 100}))];
      const ran = await runCli([...argv, '--json'], {service});
      assert.equal(ran.error().code, 'KEY_REUSED');
      assert.match(
        ran.error().message,
        /^the service created payout .* Check it before you create another one$/,
      );
    }
    const replay = await runCli([...CREATE, '--auto-approve', '--idempotency-key', 'k1', '--json'], {
      service: [answer(200, payout({amount_in_minor_units: 100}))],
    });
    assert.match(replay.error().message, /belongs to another payout.*with a new key$/);
  });

  it('takes a payout of a subaccount for another record when the main account was asked for', async () => {
    const service = [answer(200, payout({subaccount_id: PAYEE_ID}))];
    assert.equal((await runCli(CREATE, {service})).exitCode, 6);
  });

  it('accepts metadata that the service adds, and an amount as text', async () => {
    const record = payout({client_metadata: {order: '17', trace: 'x'}, amount_in_minor_units: '12500'});
    const ran = await runCli([...CREATE, '--metadata', 'order=17'], {service: [answer(201, record)]});
    assert.equal(ran.exitCode, 0, ran.stderr);
  });

  it('does not mind a rail that the answer leaves out, or an id in other letters', async () => {
    const record = payout({payee_id: PAYEE_ID.toUpperCase(), rail: null});
    const ran = await runCli([...CREATE, '--rail', 'wire'], {service: [answer(201, record)]});
    assert.equal(ran.exitCode, 0);
  });

  it('refuses an idempotency key that no header carries', async () => {
    const ran = await runCli([...CREATE, '--idempotency-key', 'has space']);
    assert.equal(ran.exitCode, 2);
    assert.deepEqual(ran.requests, []);
  });

  it('ends with 130, the key and the command when it is interrupted in flight', async () => {
    const stop = new Stop(() => {});
    const service: Script = async () => {
      stop.receive('SIGINT');
      return lost('aborted');
    };
    const ran = await runCli([...CREATE, '--json'], {service, stop});
    assert.equal(ran.exitCode, 130);
    assert.equal(ran.error().code, 'INTERRUPTED');
    assert.match(ran.error().message, /may have taken effect/);
    assert.match(
      ran.error().hint ?? '',
      /^remit payouts create .*--idempotency-key 11111111-2222-4333-8444-555555555555$/,
    );
    assert.equal(ran.error().details?.['idempotency_key'], '11111111-2222-4333-8444-555555555555');
  });

  it('ends with 143 when it is terminated', async () => {
    const stop = new Stop(() => {});
    stop.receive('SIGTERM');
    const ran = await runCli(['payouts', 'get', PAYOUT_ID], {stop, service: [answer(200, payout())]});
    assert.equal(ran.exitCode, 143);
    assert.deepEqual(ran.requests, []);
  });

  it('sends nothing when the amount that is typed is another one', async () => {
    const ran = await runCli([...CREATE, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['12.50'],
      service: [answer(404, {})],
    });
    assert.equal(ran.exitCode, 11);
    assert.deepEqual(
      ran.requests.filter(({method}) => method !== 'GET'),
      [],
    );
    assert.deepEqual(ran.questions, ['Create a payout? Type its amount in USD:']);
    assert.match(ran.stderr, /LIVE.*live_…cdef/);
  });

  it('is sent when it is the right one', async () => {
    const ran = await runCli([...CREATE, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['125.00'],
      service: [answer(404, {}), answer(404, {}), answer(200, {data: []}), answer(201, payout())],
    });
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(
      ran.requests.map(({method}) => method),
      ['GET', 'GET', 'GET', 'POST'], // payee, its method, payouts like it
    );
  });

  it('never prints the key', async () => {
    const ran = await runCli([...CREATE, '--debug'], {service: [answer(500, {message: 'oops'})]});
    assert.match(ran.stderr, /^> x-api-key: /m);
    assert.doesNotMatch(ran.stderr + ran.stdout, /0123456789abcdef/);
  });

  it('waits for the status asked for', async () => {
    const service = [
      answer(201, payout({status: 'approved'})),
      answer(200, payout({status: 'initiated'})),
      answer(200, payout({status: 'debited'})),
    ];
    const ran = await runCli([...CREATE, '--auto-approve', '--until', 'debited', '--json'], {service});
    assert.equal(ran.exitCode, 0);
    assert.equal((ran.json() as {status: string}).status, 'debited');
    assert.deepEqual(
      ran.requests.map(({method, path}) => `${method} ${path}`),
      ['POST /api/payouts', `GET /api/payouts/${PAYOUT_ID}`, `GET /api/payouts/${PAYOUT_ID}`],
    );
  });

  it('says at once, and once, that it waits for an approval', async () => {
    const service = [answer(201, payout()), answer(200, payout()), answer(200, payout({status: 'settled'}))];
    const ran = await runCli([...CREATE, '--wait'], {service});
    assert.equal(ran.exitCode, 0);
    const note = `The payout needs an approval before any money moves:\nHint: remit payouts approve ${PAYOUT_ID}\n`;
    assert.equal(ran.stderr.split(note).length, 2, ran.stderr);
    const left = await runCli(CREATE, {service: [answer(201, payout())]}); // nothing waits, and it must still be reported
    assert.equal(left.stderr.split(note).length, 2, left.stderr);
    const later = await runCli(['payouts', 'wait', PAYOUT_ID], {service: service.slice(1)});
    assert.match(later.stderr, new RegExp(`^Hint: remit payouts approve ${PAYOUT_ID}$`, 'm'));
    const canceled = [answer(200, payout()), answer(200, payout({status: 'canceled'}))];
    const ended = await runCli(['payouts', 'wait', PAYOUT_ID, '--until', 'canceled'], {service: canceled});
    assert.equal(ended.exitCode, 0, ended.stderr);
    assert.doesNotMatch(ended.stderr, /approv/);
  });

  it('does not wait for what was not approved', async () => {
    const ran = await runCli([...CREATE, '--auto-approve', '--wait'], {
      service: [answer(207, payout({warning: 'insufficient funds'}))],
    });
    assert.equal(ran.exitCode, 8);
    assert.equal(ran.requests.length, 1);
  });

  it('fails with the reason of the service when the wait ends badly', async () => {
    const failed = payout({
      status: 'failed',
      transfer_details: {failure: {code: 'R01', message: 'account closed'}},
    });
    const ran = await runCli([...CREATE, '--auto-approve', '--wait', '--json'], {
      service: [answer(201, payout({status: 'approved'})), answer(200, failed)],
    });
    assert.equal(ran.exitCode, 9);
    assert.equal(ran.stdout, '');
    assert.match(ran.error().message, /is failed \(R01 account closed\); it will not be settled/);
    assert.deepEqual(ran.error().details?.['record'], failed);
  });
});

describe('payouts approve', () => {
  const approved = answer(200, payout({status: 'approved'}));

  it('sends one empty object, once', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID], {service: [approved]});
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(
      ran.requests.map(({method, path, body}) => [method, path, body]),
      [['POST', `/api/payouts/${PAYOUT_ID}/approve`, '{}']],
    );
  });

  it('is never repeated blindly: a lost answer is in doubt, and a read settles it', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID], {service: [lost()]});
    assert.equal(ran.exitCode, 12);
    assert.equal(ran.requests.length, 1);
    assert.match(ran.stderr, new RegExp(`^Hint: remit payouts get ${PAYOUT_ID}$`, 'm'));
  });

  it('reads a live payout first, so that its amount can be seen and typed', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--live'], {
      env: LIVE,
      columns: 80,
      answers: ['125.00'],
      service: [answer(200, payout()), approved],
    });
    assert.equal(ran.exitCode, 0);
    assert.deepEqual(
      ran.requests.map(({method}) => method),
      ['GET', 'POST'],
    );
    assert.match(ran.stderr, new RegExp(`^    payee {8}Acme Ltd \\(${PAYEE_ID}\\)$`, 'm'));
    assert.match(ran.stderr, /^ {4}amount {7}125\.00 USD \(12500 minor units\)$/m);
  });

  it('is a partial success when the payout still has the status created', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--json'], {service: [answer(200, payout())]});
    assert.equal(ran.exitCode, 8);
    assert.equal((ran.json() as {status: string}).status, 'created');
  });

  it('sends nothing on a dry run', async () => {
    const ran = await runCli(['payouts', 'approve', PAYOUT_ID, '--dry-run'], {env: LIVE});
    assert.equal(ran.exitCode, 0);
    assert.match(ran.stdout, new RegExp(`^POST ${BASE_URL}/api/payouts/${PAYOUT_ID}/approve$`, 'm'));
    assert.deepEqual(ran.requests, []);
  });
});

describe('payouts get', () => {
  it('is unavailable, not in doubt, when the service cannot be reached', async () => {
    const ran = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {
      service: [lost('refused', {sent: false})],
    });
    assert.equal(ran.exitCode, 7);
    assert.equal(ran.error().retryable, true);
    assert.equal(ran.requests.length, 3);
  });

  it('keeps what it does not know', async () => {
    const odd = {...payout({status: 'teleported', currency_code: 'ZZZ'}), novelty: {a: 1}};
    const text = await runCli(['payouts', 'get', PAYOUT_ID], {service: [answer(200, odd)]});
    assert.match(text.stdout, /^Status\tteleported$/m);
    assert.match(text.stdout, /^novelty\.a\t1$/m);
    const json = await runCli(['payouts', 'get', PAYOUT_ID, '--json'], {service: [answer(200, odd)]});
    assert.deepEqual(json.json(), odd);
  });

  it('never leaves its path, whatever the id is', async () => {
    for (const id of ['../payees', 'a/b', 'a?b#c', '%2e%2e', 'é']) {
      const {requests} = await runCli(['payouts', 'get', id], {service: [answer(404, {})]});
      const [{path = ''} = {}, ...lists] = requests;
      assert.match(path, /^\/api\/payouts\/[^/?#]+$/);
      for (const list of lists) assert.equal(list.path, '/api/payouts?limit=100'); // a 404 may be of the route
    }
    assert.equal((await runCli(['payouts', 'get', '..'])).exitCode, 2);
    assert.equal((await runCli(['payouts', 'get', ''])).exitCode, 2);
  });
});
