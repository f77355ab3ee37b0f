import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {beforeEach, describe, it} from 'mocha';
import {linesFor} from '../../../src/cli/completion/values.ts';
import {seenFolder, seenPath} from '../../../src/cli/completion/seen.ts';
import {payout, PAYOUT_ID} from '../../commands/fixtures.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {BASE_URL, runCli, scratch, TEST_KEY} from '../run-cli.ts';

const NOW = 1_700_000_000_000;
const KEYED = {REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: `${BASE_URL}/`};

describe('values of completion', () => {
  let home: string;
  const place = (env: Record<string, string> = {}, nowMs = NOW) => ({home, cwd: home, nowMs, env});
  const write = (path: string, text: string) => {
    mkdirSync(join(path, '..'), {recursive: true, mode: 0o700});
    writeFileSync(path, text);
  };
  const store = (profiles: Record<string, string>, chosen?: string) =>
    write(
      join(home, '.config', 'remit', 'config.json'),
      JSON.stringify({
        version: 1,
        ...(chosen === undefined ? {} : {default: chosen}),
        profiles: Object.fromEntries(
          Object.entries(profiles).map(([name, base_url]) => [
            name,
            {base_url, key: {stored: 'test_aaaaaaaaaaaaaaaa'}, mode: 'test'},
          ]),
        ),
      }),
    );
  const seen = (profile: string | null, baseUrl: string, ids: object) =>
    write(seenPath(seenFolder({}, home), profile), JSON.stringify({baseUrl, ids}));
  const one = (id: string, label = '', atMs = NOW) => ({payouts: [{id, label, atMs}]});
  beforeEach(() => {
    home = scratch();
  });

  it('lists the stored profiles with mode and address, never a key', () => {
    store({prod: 'https://a.example', dev: 'https://b.example'});
    const lines = linesFor('profiles', [], place());
    assert.equal(lines, 'prod\ttest, https://a.example\ndev\ttest, https://b.example\n');
    assert.doesNotMatch(lines, /test_a/);
  });

  it('lists the batches of the kind, in the folder that was typed', () => {
    const folder = join(home, 'elsewhere');
    for (const [kind, id] of [
      ['payout', 'may'],
      ['payout', 'april'],
      ['payin', 'june'],
    ])
      write(join(folder, 'batches', kind!, id!, 'journal.db'), '');
    assert.equal(linesFor('payout-batches', ['--state-dir', folder], place()), 'april\tbatch\nmay\tbatch\n');
    assert.equal(linesFor('payin-batches', [`--state-dir=${folder}`], place()), 'june\tbatch\n');
    assert.equal(linesFor('payout-batches', [], place()), '');
  });

  it('lists the documented event types, and those that the service listed', () => {
    store({prod: 'https://a.example'}, 'prod');
    seen('prod', 'https://a.example', {
      'event-types': [
        {id: 'payout.settled', label: 'again', atMs: NOW},
        {id: 'payout.returned', label: 'new', atMs: NOW},
      ],
    });
    const types = linesFor('event-types', [], place()).split('\n');
    assert.equal(types.filter((line) => line.startsWith('payout.settled\t')).length, 1);
    assert.ok(types.includes('payout.returned\tnew'));
    assert.ok(types.some((line) => line.startsWith('subaccount.credit_received\t')));
  });

  describe('for ids', () => {
    beforeEach(() => {
      store({prod: 'https://a.example', dev: 'https://b.example'}, 'prod');
      seen('prod', 'https://a.example', one('of-prod', 'settled'));
      seen('dev', 'https://b.example', one('of-dev'));
    });

    it('uses the profile that the command would use', () => {
      assert.equal(linesFor('payouts', [], place()), 'of-prod\tsettled\n');
      for (const words of [
        ['-p', 'dev'],
        ['-pdev'],
        ['--profile', 'dev'],
        ['--profile=dev'],
        ['--profile', '=', 'dev'],
      ])
        assert.equal(linesFor('payouts', words, place()), 'of-dev\t\n', words.join(' '));
      assert.equal(linesFor('payouts', [], place({REMIT_PROFILE: 'dev'})), 'of-dev\t\n');
      write(join(home, '.remit.json'), '{"profile":"dev"}');
      assert.equal(linesFor('payouts', [], place()), 'of-dev\t\n');
      assert.equal(linesFor('payouts', ['-p', 'nobody'], place()), '');
    });

    it('offers none of another address, and none that is older than a day', () => {
      assert.equal(linesFor('payouts', [], place({}, NOW + 24 * 3_600_000)), '');
      store({prod: 'https://moved.example'}, 'prod');
      assert.equal(linesFor('payouts', [], place()), '');
    });

    it('offers nothing that a shell could run, a terminal obey, or a command read as a flag', () => {
      const hostile = ['$(touch x)', '`id`', 'a b', 'a;b', "a'b", '\u001b[2J', '', '--live', '-y'];
      seen('prod', 'https://a.example', {
        payouts: [...hostile, 'plain'].map((id) => ({id, label: 'a\tb\u001b[31m', atMs: NOW})),
      });
      assert.equal(linesFor('payouts', [], place()), 'plain\ta b[31m\n');
    });

    it('ignores a damaged cache and unknown kinds', () => {
      seen('prod', 'https://a.example', {payouts: [1, {id: 'x'}], payees: 'y'});
      for (const kind of ['payouts', 'payees', '__proto__', 'constructor'])
        assert.equal(linesFor(kind, [], place()), '', kind);
      write(seenPath(seenFolder({}, home), 'prod'), 'not JSON');
      assert.equal(linesFor('payouts', [], place()), '');
    });
  });

  describe('after a command on a terminal', () => {
    const page = () => answer(200, {data: [payout()], next_cursor: null});
    const list = (options: {columns?: number} = {}) =>
      runCli(['payouts', 'list'], {env: {HOME: home, ...KEYED}, service: [page()], ...options});
    const offered = () => linesFor('payouts', [], place(KEYED, Date.now()));

    it('has the ids that it showed, in a private file', async () => {
      assert.equal(offered(), ''); // creates the folder
      assert.equal((await list({columns: 100})).exitCode, 0);
      const path = seenPath(seenFolder({}, home), null);
      assert.match(linesFor('payouts', [], place(KEYED, 0)), new RegExp(`^${PAYOUT_ID}\tcreated\n$`));
      assert.equal(statSync(path).mode & 0o777, 0o600);
    });

    it('stores nothing for a pipe', async () => {
      offered();
      assert.equal((await list()).exitCode, 0);
      assert.ok(!existsSync(seenPath(seenFolder({}, home), null)));
    });

    for (const [title, spoil] of [
      ['of another user', () => undefined],
      ['that others can change', (folder: string) => chmodSync(folder, 0o777)],
      [
        'that is a link',
        (folder: string) => {
          renameSync(folder, `${folder}-real`);
          symlinkSync(`${folder}-real`, folder);
        },
      ],
    ] as const)
      it(`stores and offers nothing in a folder ${title}`, async () => {
        offered();
        assert.equal((await list({columns: 100})).exitCode, 0);
        const kept = () => linesFor('payouts', [], place(KEYED, 0));
        assert.notEqual(kept(), '');
        const folder = seenFolder({}, home);
        const path = seenPath(folder, null);
        spoil(folder);
        const {geteuid} = process;
        if (title === 'of another user') process.geteuid = () => 4242;
        try {
          assert.equal(kept(), '');
          rmSync(path);
          assert.equal((await list({columns: 100})).exitCode, 0);
        } finally {
          process.geteuid = geteuid!;
        }
        assert.ok(!existsSync(path));
      });

    it('stores nothing if completion is not used', async () => {
      assert.equal((await list({columns: 100})).exitCode, 0);
      assert.ok(!existsSync(seenFolder({}, home)));
    });

    it('is not in the working folder if XDG_CACHE_HOME is relative', () =>
      assert.equal(seenFolder({XDG_CACHE_HOME: 'relative'}, home), seenFolder({}, home)));

    it('keeps the newest ids first and drops the oldest', async () => {
      offered();
      const ids = Array.from({length: 100}, (_, at) => `p${at}`);
      seen(null, BASE_URL, {payouts: ids.map((id) => ({id, label: '', atMs: NOW}))});
      await list({columns: 100});
      const found = linesFor('payouts', [], place(KEYED, 0)).trim().split('\n');
      assert.equal(found.length, 100);
      assert.match(found[0]!, new RegExp(`^${PAYOUT_ID}`));
      assert.ok(!found.includes('p99\t'));
    });
  });
});
