import assert from 'node:assert/strict';
import {randomUUID} from 'node:crypto';
import {after, before, describe, it} from 'mocha';
import {withIds} from '../../../src/cli/ask/typed-names.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {SandboxService} from '../../commands/sandbox-service.ts';
import {BASE_URL, LIVE_KEY, runCli, type CliOptions, type CliResult} from '../run-cli.ts';

describe('a name in a write', () => {
  let service: SandboxService;
  const ids = {ash: '', holding: '', twin: '', other: '', payer: '', rent: '', food: ''};

  before(async () => {
    service = await SandboxService.open();
    const made = async (...words: string[]) => (await remit([...words, '-o', 'id'])).stdout.trim();
    ids.ash = await made('payees', 'create', '--name', 'Ash Ltd');
    ids.holding = await made('payees', 'create', '--name', 'Ash Ltd Holding');
    ids.twin = await made('payees', 'create', '--name', 'Twin', '--email', 'one@example.com');
    ids.other = await made('payees', 'create', '--name', 'Twin', '--email', 'two@example.com');
    ids.payer = await made('payers', 'create', '--name', 'Birch');
    ids.rent = await made('subaccounts', 'create', '--name', 'Rent');
    ids.food = await made('subaccounts', 'create', '--name', 'Food');
  });
  after(() => service.sandbox.close());

  const remit = (words: readonly string[], options: Partial<CliOptions> = {}) =>
    runCli([...words], {
      ...{service, clock: service.clock, uuid: randomUUID},
      env: {REMIT_API_KEY: service.testKey, REMIT_BASE_URL: BASE_URL},
      ...options,
    });
  const typed = (
    words: readonly string[],
    answers: CliOptions['answers'] & object,
    more: Partial<CliOptions> = {},
  ) => remit(words, {columns: 100, answers, ...more});
  const PAYOUT = ['payouts', 'create', '--amount', '5.00', '--currency', 'USD'];
  /** The service refuses the payout, because the payee has no payment method yet. */
  const assertSentTo = (id: string, ran: CliResult) => {
    assert.match(ran.stderr, new RegExp(`Creating a payout of .*, payee ${id}\\n`));
    assert.match(ran.stderr, /the\s+payee has no default payment method/);
  };
  const posts = () => service.sandbox.sandbox.requests().posts;

  it('becomes the id of its record, after a yes to the name and the id', async () => {
    const ran = await typed([...PAYOUT, '--payee', 'ash LTD'], [true]);
    assertSentTo(ids.ash, ran);
    assert.deepEqual(ran.questions, ['Create this payout?']);
    assert.match(ran.stderr, new RegExp(`Payee +Ash Ltd \\(${ids.ash}\\)`));
    assert.match(ran.stderr, /^ {2}Amount +5\.00 USD \(500 minor units\)\n(?! *Approval)/m);
    const now = await typed([...PAYOUT, '--payee', 'ash LTD', '--auto-approve'], [true]);
    assert.match(now.stderr, /^ {2}Approval +at once: money moves\n/m);
    assert.match(ran.stderr, new RegExp(`The same as: remit payouts create[^]*--payee\\s+${ids.ash}`));
  });

  it('is shown before the yes with --quiet too', async () => {
    const ran = await typed([...PAYOUT, '--payee=ash ltd', '--quiet'], [false]);
    assert.match(ran.stderr, new RegExp(`Payee +Ash Ltd \\(${ids.ash}\\)`));
    assert.equal(ran.exitCode, 11);
  });

  it('sends nothing after a no', async () => {
    const before = posts();
    const ran = await typed([...PAYOUT, '--payee', 'Ash Ltd'], [false]);
    assert.deepEqual([ran.exitCode, posts() - before], [11, 0], ran.stderr);
  });

  it('opens a list if several records have it', async () => {
    const ran = await typed([...PAYOUT, '--payee', 'twin'], ['two@', true]);
    assertSentTo(ids.other, ran);
    assert.deepEqual(ran.questions, ['Payee:', 'Create this payout?']);
  });

  it('is asked for together with what is missing, and its payment methods are offered', async () => {
    const ran = await typed(['payouts', 'create', '--payee', 'holding'], ['6.00 USD', 'service']);
    assert.equal(ran.exitCode, 2);
    assert.equal(ran.questions.length, 2); // nothing is confirmed that the service would refuse
    assert.match(ran.stderr, new RegExp(`payment-methods add --payee\\s+${ids.holding}`));
  });

  it('must be whole and unique with --yes, which shows nothing before it is sent', async () => {
    const before = posts();
    const part = await typed([...PAYOUT, '--payee', 'holding', '--yes'], []);
    assert.equal(part.exitCode, 2);
    assert.match(
      part.stderr,
      new RegExp(
        `no payee has the name "holding", but one has it in its name:\n +${ids.holding} {2}Ash Ltd Holding`,
      ),
    );
    const two = await typed([...PAYOUT, '--payee', 'Twin', '--yes'], []);
    assert.match(two.stderr, new RegExp(`2 payees have a name like "Twin":[^]*${ids.twin}`));
    assert.deepEqual([two.exitCode, posts()], [2, before]);
    assertSentTo(ids.ash, await typed([...PAYOUT, '--payee', 'Ash Ltd', '--yes'], []));
  });

  it('is confirmed with a test key although --live was typed', async () => {
    const ran = await typed([...PAYOUT, '--payee', 'ash ltd', '--live'], [false]);
    assert.equal(ran.exitCode, 11, ran.stderr);
  });

  it('is refused if not every record was searched', async () => {
    const pages = [...Array(100).keys()].map((at) => {
      const name = (n: number) => (at === 0 && n === 5 ? 'Ash Ltd' : `Payee ${n}`);
      const data = [...Array(100).keys()].map((n) => ({id: randomUUID(), name: name(n)}));
      return answer(200, {data, next_cursor: `c${at}`});
    });
    const ran = await typed([...PAYOUT, '--payee', 'ash ltd', '--yes'], [], {service: pages});
    assert.equal(ran.exitCode, 2, ran.stderr);
    assert.match(ran.stderr, /only the first 10000 payees were searched/);
    assert.deepEqual(
      ran.requests.filter(({method}) => method !== 'GET'),
      [],
    );
  });

  it('is refused if its id is not a plain one, which could be read as a flag', async () => {
    for (const id of ['--yes', '-p', 'a b', '$(x)', '']) {
      const service = [answer(200, {data: [{id, name: 'Ash Ltd'}], next_cursor: null})];
      for (const words of [
        [...PAYOUT, '--payee', 'ash ltd'],
        ['payees', 'get', 'ash ltd'],
      ]) {
        const ran = await typed(words, [], {service});
        assert.equal(ran.exitCode, 5, `${id}\n${ran.stderr}`);
        assert.match(ran.stderr, /an id for the payee "Ash Ltd" that is not\s+a\s+plain one/);
      }
      const asked = await typed(['payees', 'get'], ['0192a000-0000-7000-8000-0000000000ab'], {
        service: [...service, answer(404, {error_code: 'NOT_FOUND', message: 'none'})],
      });
      assert.equal(asked.exitCode, 4, asked.stderr); // it is not offered: an id was typed instead
    }
  });

  it('ends with 4 if no record has it', async () => {
    const ran = await typed([...PAYOUT, '--payee', 'zz'], []);
    assert.equal(ran.exitCode, 4);
    assert.match(ran.stderr, /no payee has a name like "zz"\nHint: remit payees list/);
  });

  it('works for payers, subaccounts, owners of payment methods and treasury accounts', async () => {
    const [main = ''] = JSON.parse(
      (await remit(['treasury', 'accounts', '--query', '[].label', '-o', 'json'])).stdout,
    ) as string[];
    const [mainId = '', otherId = ''] = JSON.parse(
      (await remit(['treasury', 'accounts', '--query', '[].id', '-o', 'json'])).stdout,
    ) as string[];
    const USD = ['--amount', '1.00', '--currency', 'USD'];
    for (const [words, wanted] of [
      [
        ['payins', 'create', '--payer', 'birch', ...USD, '--subaccount', 'rent'],
        [ids.payer, ids.rent],
      ],
      [
        ['moves', 'create', '--source', 'Rent', '--destination', 'food', ...USD],
        [ids.rent, ids.food],
      ],
      [
        ['transfers', 'create', '--source', main, '--destination', otherId, ...USD, '--rail', 'book'],
        [mainId],
      ],
      [['payment-methods', 'set-default', ids.ash, '--payee', 'ash ltd'], [ids.ash]],
      [['payment-methods', 'delete', ids.ash, '--payer', 'birch'], [ids.payer]],
      [['treasury', 'label', main, 'New'], [mainId]],
      [['treasury', 'simulate-credit', main, ...USD], [mainId]],
    ] as const) {
      const ran = await typed([...words, '--dry-run'], []);
      assert.equal(ran.exitCode, 0, `${words.join(' ')}\n${ran.stderr}`);
      for (const id of wanted) assert.match(ran.stdout, new RegExp(id), words.join(' '));
    }
  });

  it('is refused without a terminal, before anything is sent, with the command that finds the id', async () => {
    const USD = ['--amount', '1.00', '--currency', 'USD'];
    const id = '0192a000-0000-7000-8000-0000000000ab';
    for (const [words, list] of [
      [['payouts', 'create', '--payee', 'Ash Ltd', ...USD], 'payees list'],
      [['payouts', 'create', '--data', '{"payee_id":"Ash Ltd","amount_in_minor_units":5}'], 'payees list'],
      [['payouts', 'create', '--payee', id, '--subaccount', 'Rent', ...USD], 'subaccounts list'],
      [['payins', 'create', '--payer', 'Birch', ...USD], 'payers list'],
      [['moves', 'create', '--source', 'Rent', '--destination', 'Food', ...USD], 'subaccounts list'],
      [
        ['transfers', 'create', '--source', id, '--destination', 'Main', ...USD, '--rail', 'book'],
        'treasury accounts',
      ],
      [
        [
          'payment-methods',
          'add',
          '--payee',
          'Ash Ltd',
          '--routing-number',
          '021000021',
          '--holder-name',
          'A',
        ],
        'payees list',
      ],
      [['payment-methods', 'delete', id, '--payer', 'Birch'], 'payers list'],
      [['payment-methods', 'set-default', id, '--payee', 'Ash Ltd'], 'payees list'],
      [['treasury', 'label', 'Main', 'New'], 'treasury accounts'],
      [['treasury', 'simulate-credit', 'Main', ...USD], 'treasury accounts'],
    ] as const)
      for (const more of [[], ['--dry-run'], ['--yes', '--json']]) {
        const ran = await remit([...words, ...more], {service: []});
        const line = [...words, ...more].join(' ');
        assert.deepEqual(
          [ran.exitCode, ran.requests.length, ran.stdout],
          [2, 0, ''],
          `${line}\n${ran.stderr}`,
        );
        assert.match(ran.stderr, /is not the id of a .*; names are looked up only at a terminal/, line);
        assert.match(ran.stderr, new RegExp(`find the id with remit ${list}`), line);
      }
  });

  it('is left to the guard with a live key, which shows the payee and asks for the amount', async () => {
    const page = answer(200, {data: [{id: ids.ash, name: 'Ash Ltd'}], next_cursor: null});
    const ran = await typed([...PAYOUT, '--payee', 'ash ltd', '--live'], ['no'], {
      service: [
        page,
        answer(200, {id: ids.ash, name: 'Ash Ltd'}),
        answer(200, {data: [], next_cursor: null}),
      ],
      env: {REMIT_API_KEY: LIVE_KEY, REMIT_BASE_URL: BASE_URL},
    });
    assert.equal(ran.exitCode, 11, ran.stderr);
    assert.match(ran.stderr, /not confirmed: the amount typed does not match/);
    assert.ok(ran.requests.every(({method}) => method === 'GET'));
  });
});

describe('the words of a command with a name', () => {
  const name = {name: 'payee', isArgument: false, label: 'Payee', typed: 'Acme', id: 'ID', shown: ''};

  it('keep all others, also those that are the same word', () => {
    const argv = ['--description', 'Acme', '--payee', 'Acme', '--', '--payee=Acme'];
    assert.deepEqual(withIds(argv, [name]), ['--description', 'Acme', '--payee', 'ID', '--', '--payee=Acme']);
    assert.deepEqual(withIds(['--payee=Acme'], [name]), ['--payee=ID']);
  });

  it('are refused if an argument could be either of two words', () => {
    const account = {...name, name: 'account', isArgument: true};
    assert.deepEqual(withIds(['Acme', 'New'], [account]), ['ID', 'New']);
    assert.throws(() => withIds(['Acme', 'Acme'], [account]), /cannot be replaced by its id/);
  });
});
