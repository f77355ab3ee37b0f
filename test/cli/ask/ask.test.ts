import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, it} from 'mocha';
import {questionsOf} from '../../../src/cli/ask/questions.ts';
import {matching} from '../../../src/cli/runtime/prompts.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {page, PAYEE_ID, payout} from '../../commands/fixtures.ts';
import {SandboxService} from '../../commands/sandbox-service.ts';
import {BASE_URL, LIVE_KEY, runCli, scratch, sourceConfig, TEST_KEY, type CliOptions} from '../run-cli.ts';

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

  it('offer no record twice in a move between two', async () => {
    const made: string[] = [];
    for (const name of ['Alpha', 'Beta'])
      made.push((await remit(`subaccounts create --name ${name} -o id`)).stdout.trim());
    for (const [source, destination] of [made, made.toReversed()]) {
      const line = `moves create --source ${source?.toUpperCase()} --amount 1.00 --currency USD`;
      const ran = await remit(line, {answers: ['', false]});
      assert.match(ran.stderr, new RegExp(`^ {2}To +(Alpha|Beta) [^]*--destination=${destination}`, 'm'));
    }
  });

  it('show the same command with the profile, typed in any place or not at all', async () => {
    const home = scratch();
    const options = {env: {HOME: home}, columns: 400};
    for (const name of ['first', 'work']) {
      const add = ['profiles', 'add', name, '--base-url', BASE_URL, '--key-stdin'];
      const added = await runCli(add, {env: {HOME: home}, stdin: `${service.testKey}\n`});
      assert.equal(added.exitCode, 0, added.stderr);
    }
    const answers = () => ['', '5.00 USD', 'service', 'default', false];
    for (const [line, profile] of [
      ['payouts create -p work', 'work'],
      ['-p work payouts create', 'work'],
      ['payouts create', 'first'],
    ] as const) {
      const {stderr} = await remit(line, {...options, answers: answers()});
      const [, same = ''] = /The same as: remit (.+)\n/.exec(stderr) ?? assert.fail(stderr);
      assert.deepEqual(same.match(/-p \S+/g), [`-p ${profile}`], same);
    }
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
    const none = await remit(`payouts create --payee ${payee} --amount-minor 751`, {answers: []});
    assert.equal(none.exitCode, 0, none.stderr);
  });

  it('offer only payments that can still be approved', async () => {
    const payee = payees[0]!.id;
    const create = (more: string) =>
      remit(`payouts create --payee ${payee} --amount 3.33 --currency USD ${more}--yes -o id`, {answers: []});
    await create('--auto-approve ');
    const open = (await create('')).stdout.trim();
    const approved = await remit('payouts approve', {answers: ['3.33', true]});
    assert.equal(approved.exitCode, 0, approved.stderr);
    assert.match(approved.stdout, new RegExp(open));
    const read = await remit('payouts get', {answers: [open]});
    assert.equal(read.exitCode, 0, read.stderr);
    assert.deepEqual(read.questions, ['Payout:']); // a read is not confirmed
  });

  it('say that only the newest are offered, and take the id of an older one', async () => {
    const old = '0192a000-0000-7000-8000-0000000000aa';
    /** Two full pages, with or without more after them. Only `created`, if it is on them, can be approved. */
    const listed =
      (next: string | null, created: string): Script =>
      ({path}) => {
        if (!path.includes('?')) return answer(200, payout({id: old, status: 'settled'}));
        const isSecond = path.includes('cursor=second');
        const data = Array.from({length: 100}, (_, at) =>
          at === 7 && isSecond ? payout({id: created}) : payout({id: randomUUID(), status: 'settled'}),
        );
        return page(data, isSecond ? next : 'second');
      };
    const env = {REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
    const note = /^Only the newest 200 payouts were searched; for another one, type its id\.$/m;
    const read = (line: string, service: Script) => remit(line, {service, env, answers: [old, true]});
    assert.match((await read('payouts get', listed('third', old))).stderr, note);
    assert.match((await read('payouts approve --dry-run', listed('third', randomUUID()))).stderr, note);
    assert.doesNotMatch((await read('payouts get', listed(null, old))).stderr, /searched/);
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
      const bare = await typed(`payouts create --payee ${id}`, ['5.00 USD', 'service']);
      assert.equal(bare.exitCode, 2);
      assert.match(
        bare.stderr,
        new RegExp(`the payee has no payment method\nHint: remit payment-methods add --payee ${id}\n`),
      );
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

  it('ask for an account number before the summary, which shows its end and a command that can be typed', async () => {
    const {name} = payees[5]!;
    const typed = 'payment-methods add --account-type savings';
    const answers = ['payee', name, '021000021000', '021000021', 'x', '0001 2345 6789', 'Acme Ltd', true];
    const ran = await remit(typed, {answers, columns: 300});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(ran.questions.slice(2), [
      ...[
        'Routing number:',
        'The routing number must have 9 digits',
        'Account number:',
        'The account number must have 4 to 17 digits',
        'Name of the account holder:',
      ],
      'Add this payment method?',
    ]);
    assert.match(ran.stderr, /Account number +…6789\n/);
    assert.match(ran.stdout, /savings|6789/);
    const words = `--payee=\\S+ --routing-number=021000021 '--holder-name=Acme Ltd'`;
    assert.match(ran.stderr, new RegExp(`The same as: remit ${typed} ${words}\\n`));
    assert.doesNotMatch(ran.stderr, /123456789/);
  });

  it('check each answer, and do not repeat a number that was typed at the wrong prompt', async () => {
    const {name} = payees[5]!;
    const bank = ['payee', name, '021000022', '021000021', '000123456789', '000123456789', 'Acme Ltd', false];
    const refused = await remit('payment-methods add', {answers: bank, columns: 300});
    assert.deepEqual(refused.questions.slice(2, -1), [
      ...['Routing number:', 'The routing number is not valid; check each digit', 'Account number:'],
      ...['Name of the account holder:', 'Type a name; numbers are asked for separately'],
    ]);
    assert.doesNotMatch(refused.stderr, /000123456789|021000022/);
    const card = ['payee', name, '4242424242424242', '2031', '4', '4242424242424242', '2031', false];
    const typed = await remit('payment-methods add --type card', {answers: card, columns: 300});
    assert.deepEqual(typed.questions.slice(2, -1), [
      ...['Card number:', 'Month in which the card expires (1 to 12):', 'Type a number from 1 to 12'],
      ...['Year in which the card expires:', 'Type a number from 2023 to 2100'],
    ]);
    assert.doesNotMatch(typed.stderr, /4242424242424242/);
    assert.match(typed.stderr, /--exp-month=4 --exp-year=2031/);
  });

  it('leave a typed account number out of the command', async () => {
    const ran = await remit('payment-methods add --account-number 000123456789 --routing-number 021000021', {
      ...{answers: ['payee', payees[5]!.name, 'Acme', false], columns: 300},
    });
    assert.equal(ran.exitCode, 11);
    assert.match(ran.stderr, /The same as: remit payment-methods add --routing-number 021000021 --payee=/);
    assert.doesNotMatch(ran.stderr, /account-number|6789/);
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
    assert.match(ran.questions.at(-1)!, /^Create a payout\? Type its amount in USD:$/);
    assert.deepEqual(
      ran.requests.filter(({method}) => method !== 'GET'),
      [],
    );
  });

  for (const line of [
    'payouts create',
    'payouts create --payee Acme --amount 1.00 --currency USD',
    'payouts approve',
    'payees create',
    `payment-methods add --payee ${PAYEE_ID} --routing-number 021000021 --holder-name A`,
  ])
    it(`are not shown with a live key without --live, which would be refused at the end: ${line}`, async () => {
      const env = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
      const ran = await remit(`${line} --json`, {service: [], answers: [], env});
      assert.deepEqual([ran.exitCode, ran.questions, ran.requests], [11, [], []]);
      assert.match(ran.error().message, /^refused to \w+ this [a-z ]+ with a live key$/);
      assert.equal(ran.error().hint, `to write to the live service: remit ${line} --json --live`);
    });

  it('are shown with a live key for a read and for a dry run', async () => {
    const env = {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL};
    const listed = [
      page([{id: PAYEE_ID, name: 'Acme'}]),
      answer(200, {id: PAYEE_ID, name: 'Acme'}),
      page([]),
      page([]),
    ];
    assert.equal((await remit('payees get', {service: listed, answers: ['acme'], env})).exitCode, 0);
    const dry = await remit('payees create --dry-run', {service: [], answers: ['Acme'], env});
    assert.equal(dry.exitCode, 0, dry.stderr);
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
    assert.match(ran.stderr, /missing required flag --payee/);
  });

  it('leave what is wrong with the typed words to the parser', async () => {
    const ran = await remit('payouts create --amount 1 --amount-minor 1', {answers: []});
    assert.deepEqual([ran.exitCode, ran.questions], [2, []]);
    assert.match(ran.stderr, /--amount and --amount-minor cannot be used together/);
  });

  it('exist only for flags and arguments of a command', async () => {
    const config = await sourceConfig();
    for (const {id, flags, args} of config.commands)
      for (const {name, isArgument} of questionsOf(id) ?? [])
        assert.ok(name.split(' ')[0]! in (isArgument ? args : flags), `${id} has no ${name}`);
  });
});

describe('a list to choose from', () => {
  const ids = ['0192a000-0000-7000-8000-00000000000b', '0192b000-0000-7000-8000-0000000000cc'];
  const choices = [
    {value: ids[0]!, name: 'No Method Ltd', description: ids[0]!},
    {value: ids[1]!, name: 'Acme Bolts', description: ids[1]!},
    {value: 'none', name: '(leave out)'},
  ];
  const found = (typed: string) => matching({choices}, typed).map(({name}) => name);

  it('is searched by every typed word, in any order and case', () => {
    assert.equal(found('').length, 3);
    assert.deepEqual(found('BOLTS ac'), ['Acme Bolts']);
    assert.deepEqual(found('nothing'), []);
    const other = (typed: string) => ({value: typed, name: typed});
    assert.deepEqual(matching({choices, other}, ' x ').at(0)?.value, 'x');
  });

  it('finds ids only by six characters or more of their beginning or end, after names', () => {
    assert.deepEqual(found('b'), ['Acme Bolts']);
    assert.deepEqual(found('0000b'), []);
    assert.deepEqual(found('00000b'), ['No Method Ltd']);
    assert.deepEqual(found('0192A0'), ['No Method Ltd']);
    assert.deepEqual(found('0-7000-8'), []);
    assert.deepEqual(found('acme 0192b0'), ['Acme Bolts']);
    const named = [...choices, {value: 'x', name: 'Contract 0192a0'}];
    assert.deepEqual(
      matching({choices: named}, '0192a0').map(({name}) => name),
      ['Contract 0192a0', 'No Method Ltd'],
    );
    const unnamed = {choices: [{value: ids[0]!, name: ids[0]!}]};
    assert.deepEqual([matching(unnamed, 'b').length, matching(unnamed, ids[0]!).length], [0, 1]);
  });
});
