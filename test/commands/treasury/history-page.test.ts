import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {runCli} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {elements, parsePage, textOf} from '../../html/parse-page.ts';
import {page} from '../fixtures.ts';

const ID = '0192a000-0000-7000-8000-0000000000aa';
const OTHER = '0192a000-0000-7000-8000-0000000000bb';

interface Told {
  account?: string;
  label?: unknown;
  accounts?: ReturnType<typeof answer>;
  balance?: Record<string, unknown>;
  transactions?: Record<string, unknown>[];
}

const line = (
  posted_at: string,
  direction: string,
  amount_in_minor_units: number,
  currency_code = 'USD',
) => ({
  ...{id: `${posted_at} ${amount_in_minor_units}`, account_id: ID, currency_code, direction},
  ...{amount_in_minor_units, posted_at, status: 'posted'},
});

const serviceOf =
  ({account = ID, label = 'Operating', accounts, balance, transactions}: Told = {}): Script =>
  ({path}) => {
    if (path.endsWith('/balance'))
      return answer(200, {
        ...{account_id: account, currency_code: 'USD', current_balance_in_minor_units: 10_000},
        ...{available_balance_in_minor_units: 10_000, as_of: '2026-11-23T12:00:00Z', ...balance},
      });
    if (path.includes('/transactions'))
      return page(
        transactions ?? [
          line('2026-11-23T09:00:00Z', 'credit', 6000),
          line('2026-11-22T09:00:00Z', 'debit', 50_000),
        ],
        null,
      );
    const others = {...{label: 'Other', currency_code: 'USD', type: 'SIM', status: 'active'}};
    return (
      accounts ??
      page(
        [
          {...others, id: OTHER},
          {...others, id: account, label},
        ],
        null,
      )
    );
  };

describe('treasury balance --history --html', () => {
  let folder: string;
  let file: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'remit-balance-'));
    file = join(folder, 'balance.html');
  });
  afterEach(() => rmSync(folder, {recursive: true, force: true}));

  const write = (told: Told = {}, ...more: string[]) =>
    runCli(
      [
        'treasury',
        'balance',
        told.account ?? ID,
        '--history',
        '--days',
        '3',
        '--html',
        'balance.html',
        ...more,
      ],
      {
        ...{service: serviceOf(told), cwd: folder},
      },
    );
  const shown = (): string => textOf(parsePage(readFileSync(file, 'utf8')));

  it('writes the days and the label of the account, private, besides the result on stdout', async () => {
    const ran = await write({}, '--json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((ran.json() as unknown[]).length, 3);
    assert.match(ran.stderr, new RegExp(`Page: ${file}`));
    assert.equal(statSync(file).mode & 0o777, 0o600);
    assert.deepEqual(readdirSync(folder), ['balance.html']);
    const cells = [...elements(parsePage(readFileSync(file, 'utf8')))]
      .filter(({tag}) => tag === 'td')
      .map(textOf);
    assert.deepEqual(cells.slice(0, 4), ['100.00', '60.00', '0.00', '1']);
    assert.deepEqual(cells.slice(4, 8), ['40.00', '0.00', '500.00', '1']);
    assert.deepEqual(cells.slice(8), ['540.00', '0.00', '0.00', '0']);
    assert.match(shown(), /Balance of Operating/);
    assert.match(shown(), /as of 2026-11-23 12:00:00 UTC/);
    assert.match((await write({}, '-o', 'csv')).stdout, /^day,/);
  });

  it('needs --history', async () => {
    const ran = await runCli(['treasury', 'balance', ID, '--html', file]);
    assert.deepEqual([ran.exitCode, existsSync(file)], [2, false]);
  });

  it('shows text of the service as text, without secrets', async () => {
    const label = '</title><script>x</script>\u202e\u001b[31m test_0123456789abcdef';
    await write({label, balance: {currency_code: 'X<b>'}, transactions: []});
    const html = readFileSync(file, 'utf8');
    assert.ok(!html.includes('<script') && !html.includes('<b>') && !html.includes('test_0123456789abcdef'));
    assert.match(shown(), /Balance of <\/title><script>x<\/script>\[31m test_…cdef/);
  });

  it('replaces a page of the same account, and no other file', async () => {
    await write();
    await write({balance: {current_balance_in_minor_units: 99}});
    assert.match(shown(), /0\.99/);
    const other = await write({account: OTHER});
    assert.equal(other.exitCode, 13, other.stdout);
    assert.match(
      other.stderr,
      /already exists and is not a balance page of account 0192a000-0000-7000-8000-0000000000bb/,
    );
    assert.match(shown(), /0\.99/);
    writeFileSync(file, 'mine');
    const ran = await write();
    assert.deepEqual([ran.exitCode, ran.requests.length, readFileSync(file, 'utf8')], [13, 0, 'mine']);
  });

  it('is written through no link, and to no folder', async () => {
    symlinkSync(join(folder, 'nowhere'), file);
    const linked = await write();
    assert.equal(linked.exitCode, 13);
    assert.match(linked.stderr, /symbolic link[\s\S]*--html/);
    assert.equal(linked.stdout, '');
    rmSync(file);
    mkdirSync(file);
    const inFolder = await write();
    assert.equal(inFolder.exitCode, 13);
    assert.match(inFolder.stderr, /it is a folder/);
  });

  it('keeps the earlier page if the history cannot be read', async () => {
    await write();
    const before = readFileSync(file, 'utf8');
    const ran = await write({transactions: [line('2026-11-22T09:00:00Z', 'debit', 1, 'EUR')]});
    assert.equal(ran.exitCode, 7);
    assert.equal(readFileSync(file, 'utf8'), before);
    assert.deepEqual(readdirSync(folder), ['balance.html']);
  });

  it('is written without a label if the accounts cannot be listed, or do not have this one', async () => {
    const accounts = answer(403, {error: {code: 'FORBIDDEN', message: 'no'}});
    const ran = await write({accounts});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stderr, /the page has no label of the account/);
    assert.match(shown(), new RegExp(`Balance of ${ID}`));
    assert.equal((await write({accounts: page([], null)})).exitCode, 0);
  });

  it('refuses sums that would no longer be exact', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const transactions = [
      line('2026-11-22T09:00:00Z', 'debit', most),
      line('2026-11-22T08:00:00Z', 'debit', 1),
    ];
    for (const told of [{transactions}, {transactions: transactions.slice(0, 1)}]) {
      const ran = await write(told);
      assert.equal(ran.exitCode, 7, ran.stdout);
      assert.match(ran.stderr, /add up to more than/);
    }
  });

  it('refuses a time of the balance that has no days before it', async () => {
    for (const as_of of [
      '-271821-04-20T00:00:00Z',
      '+275760-09-13T00:00:00Z',
      '0000-01-01T00:00:00Z',
      'soon',
    ])
      assert.equal((await write({balance: {as_of}})).exitCode, 7, as_of);
  });
});
