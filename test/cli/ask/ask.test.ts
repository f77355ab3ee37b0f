import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, it} from 'mocha';
import {questionsOf} from '../../../src/cli/ask/questions.ts';
import {matching} from '../../../src/cli/runtime/prompts.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {SandboxService} from '../../commands/sandbox-service.ts';
import {BASE_URL, LIVE_KEY, runCli, sourceConfig, type CliOptions} from '../run-cli.ts';

describe('prompts for what is missing', () => {
  let service: SandboxService;
  let payees: {id: string; name: string}[];
  before(async () => {
    service = await SandboxService.open();
    ({payees} = await service.sandbox.sandbox.seed({payees: 120, payers: 1}));
  });
  after(() => service.sandbox.close());

  const remit = (line: string, options: Partial<CliOptions> = {}) =>
    runCli(line.split(' '), {
      ...{service, clock: service.clock, uuid: randomUUID, columns: 100},
      env: {REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL},
      ...options,
    });

  it('ask for payee, amount, rail and method, show a summary, and send after a yes', async () => {
    const {name, id} = payees[110]!; // on the second page of the list
    const answers = [name.toLowerCase(), '1125.00 usd', 'wire', 'default', true];
    const ran = await remit('payouts create --metadata order=17', {answers});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      ran.questions.map((question) => question.split(',')[0]),
      ['Payee:', 'Amount', 'Rail:', 'Payment method:', 'Create this payout?'],
    );
    assert.match(ran.stderr, new RegExp(`Payee +${name}`));
    assert.match(
      ran.stderr,
      /The same as: remit payouts create --metadata order=17 [^]*--payee=[^]*--rail=wire/,
    );
    assert.match(ran.stdout, /1,125\.00 USD/);
    assert.match(ran.stdout, new RegExp(id));
  });

  it('send nothing after a no', async () => {
    const requests = service.sandbox.sandbox.requests().posts;
    const ran = await remit('payouts create', {answers: ['', '5.00 USD', 'service', 'default', false]});
    assert.equal(ran.exitCode, 11);
    assert.match(ran.stderr, /not confirmed: nothing was sent/);
    assert.equal(service.sandbox.sandbox.requests().posts, requests);
  });

  it('ask only for what is missing, and nothing if nothing is', async () => {
    const payee = payees[0]!.id;
    const one = await remit(`payouts create --payee ${payee} --currency USD`, {
      answers: ['7.50', 'service', 'default', true],
    });
    assert.equal(one.exitCode, 0, one.stderr);
    assert.match(one.stdout, /7\.50 USD/);
    const none = await remit(`payouts create --payee ${payee} --amount-minor 750`, {answers: []});
    assert.equal(none.exitCode, 0, none.stderr);
  });

  it('offer only payments that can still be approved', async () => {
    const payee = payees[0]!.id;
    const create = (more: string) =>
      remit(`payouts create --payee ${payee} --amount 3.33 --currency USD ${more}-o id`, {answers: []});
    await create('--auto-approve ');
    const open = (await create('')).stdout.trim();
    const approved = await remit('payouts approve', {answers: ['3.33', true]});
    assert.equal(approved.exitCode, 0, approved.stderr);
    assert.match(approved.stdout, new RegExp(open));
    const read = await remit('payouts get', {answers: [open]});
    assert.equal(read.exitCode, 0, read.stderr);
    assert.deepEqual(read.questions, ['Payout:']); // a read is not confirmed
  });

  it('take an id that is not in the list', async () => {
    const id = '0192a000-0000-7000-8000-0000000000aa';
    const ran = await remit('payees get', {answers: [id]});
    assert.equal(ran.exitCode, 4);
    assert.match(ran.stderr, new RegExp(id));
  });

  it('offer one choice, or several', async () => {
    const ran = await remit('webhooks endpoints create --dry-run', {
      answers: ['https://example.com/h', 'payout.settled,payin.failed'],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /"payout\.settled",\s+"payin\.failed"/);
  });

  it('ask again for an amount that is not one', async () => {
    const answers = ['', '', '12', '1,125.00 USD', '12.345 USD', '12.34 usd', 'service', 'default', true];
    const ran = await remit('payouts create', {answers});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /12\.34 USD/);
    const again = ran.questions.slice(2, 6);
    assert.deepEqual(again.slice(0, 2), Array(2).fill('Type an amount such as 125.00 USD'));
    assert.match(again[2]!, /1,125\.00/);
    assert.match(again[3]!, /12\.345/);
  });

  it('name the command that creates the first record if there is none', async () => {
    const empty = await SandboxService.open();
    const typed = (line: string, answers: (string | boolean)[]) =>
      runCli(line.split(' '), {
        ...{service: empty, clock: empty.clock, uuid: randomUUID, columns: 100, answers},
        env: {REMIT_API_KEY: empty.testKey, REMIT_BASE_URL: BASE_URL},
      });
    try {
      const none = await typed('payouts create', []);
      assert.equal(none.exitCode, 2);
      assert.match(none.stderr, /there is no payee\n[^]*remit payees create/);
      const approval = await typed('payouts approve', []);
      assert.match(approval.stderr, /there is no payout with status created/);
      const {id} = JSON.parse((await typed('payees create --name Ash -o json', [])).stdout) as {id: string};
      const bare = await typed(`payouts create --payee ${id}`, ['5.00 USD', 'service', false]);
      assert.match(
        bare.stderr,
        new RegExp(`no payment method; add one with remit payment-methods add --payee\\s+${id}`),
      );
      assert.equal(bare.questions.at(-1), 'Create this payout?');
    } finally {
      await empty.sandbox.close();
    }
  });

  it('find a payment method through its payee', async () => {
    const {name, id} = payees[4]!;
    const list = await remit('payment-methods list', {answers: ['payee', name]});
    assert.equal(list.exitCode, 0, list.stderr);
    const ran = await remit('payment-methods set-default --dry-run', {
      answers: ['payee', name, 'bank_account'],
    });
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, new RegExp(`/payees/${id}/payment-methods/`));
    const card = await remit('payment-methods add --type card --card-number 4242424242424242 --dry-run', {
      answers: ['payee', name, '4', '2031'],
    });
    assert.equal(card.exitCode, 0, card.stderr);
    assert.match(card.stdout, /"exp_year": 2031/);
  });

  it('leave a live write to the guard, which asks for the amount', async () => {
    const page = answer(200, {data: [{id: payees[0]!.id, name: 'Acme'}], next_cursor: null});
    const ran = await remit('payouts create --live --amount 5.00 --currency USD', {
      ...{
        service: [page, page],
        answers: ['acme', 'service', 'default', 'no'],
        env: {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL},
      },
    });
    assert.equal(ran.exitCode, 11);
    assert.match(ran.questions.at(-1)!, /^Type the amount/);
    assert.deepEqual(
      ran.requests.filter(({method}) => method !== 'GET'),
      [],
    );
  });

  it('fall back to typing an id if the list cannot be read', async () => {
    const id = payees[0]!.id;
    const service = [answer(404, {}), answer(200, {id, name: 'Acme'}), answer(404, {})];
    const ran = await remit('payees get', {service, answers: [id]});
    assert.match(ran.stderr, /list to choose from could not be read/);
    assert.equal(ran.requests[1]!.path, `/api/payees/${id}`);
  });

  it('are never shown without a terminal', async () => {
    const ran = await runCli(['payouts', 'create'], {service, answers: []});
    assert.deepEqual([ran.exitCode, ran.questions], [2, []]);
    assert.match(ran.stderr, /Missing required flag payee/);
  });

  it('leave what is wrong with the typed words to the parser', async () => {
    const ran = await remit('payouts create --amount 1 --amount-minor 1', {answers: []});
    assert.deepEqual([ran.exitCode, ran.questions], [2, []]);
    assert.match(ran.stderr, /cannot also be provided/);
  });

  it('exist only for flags and arguments of a command', async () => {
    const config = await sourceConfig();
    for (const {id, flags, args} of config.commands)
      for (const {name, isArgument} of questionsOf(id) ?? [])
        assert.ok(name in (isArgument ? args : flags), `${id} has no ${name}`);
  });
});

describe('a list to choose from', () => {
  const choices = [
    {value: '1', name: 'Acme Ltd', description: 'id-1'},
    {value: '2', name: 'Acme Press', description: 'id-2'},
  ];
  it('is searched by every typed word, in any order and case', () => {
    assert.deepEqual(matching({choices}, '').length, 2);
    assert.deepEqual(
      matching({choices}, 'PRESS ac').map(({value}) => value),
      ['2'],
    );
    assert.deepEqual(
      matching({choices}, 'id-1').map(({value}) => value),
      ['1'],
    );
    assert.deepEqual(matching({choices}, 'nothing'), []);
    const other = (typed: string) => ({value: typed, name: typed});
    assert.deepEqual(matching({choices, other}, ' x ').at(0)?.value, 'x');
  });
});
