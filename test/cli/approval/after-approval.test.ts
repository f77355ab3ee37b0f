import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {readdirSync, readFileSync, renameSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../src/batch/standing/summary.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {payeeId} from '../../batch/harness.ts';
import {BASE_URL, type CliResult, TEST_KEY} from '../run-cli.ts';
import {People, publicKey} from './people.ts';

const exits = (result: CliResult, code: number) =>
  assert.equal(result.exitCode, code, result.stdout + result.stderr);

interface Audited {
  ok: boolean;
  events: {event: string; person: string | null; facts: Record<string, unknown>}[];
  signatures: {role: string; person: string | null; events: number}[];
  problems: string[];
}

describe('after an approval', () => {
  let people: People;
  beforeEach(async () => {
    people = await People.ready();
    exits(await people.as('ben', 'run ./p.csv --batch-id b --yes'), 0);
    exits(await people.approve('anna'), 0);
  });
  afterEach(() => people.close());

  const paid = () => people.service.requests.filter(({body}) => body?.includes('"auto_approve":true')).length;
  const folder = () => join(people.folder, 'shared', 'batches', 'payout', 'b');
  const approvals = () =>
    readdirSync(join(folder(), 'approvals')).map((name) => join(folder(), 'approvals', name));
  const trail = () => join(folder(), 'audit.ndjson');
  const release = () => people.as('ben', 'release b --yes --json');
  const audit = async () => {
    const ran = await people.as('ben', 'audit b --json');
    const found = ran.json() as Audited;
    assert.equal(ran.exitCode, found.ok ? 0 : 14);
    return found;
  };
  const inJournal = async (sql: string) => {
    const db = await openSqlite(join(folder(), 'journal.db'), {durability: 'full'});
    db.exec(sql);
    db.close();
  };

  for (const [what, sql] of Object.entries({
    'another payee': `update rows set party = '${payeeId(9)}' where n = 2`,
    'another amount': 'update rows set amount = 200000 where n = 2',
    'another currency': `update rows set currency = 'EUR' where n = 2`,
    'another rail': `update rows set rail = 'wire' where n = 2`,
    'another date': `update rows set scheduled = '2027-01-01' where n = 2`,
    'other metadata': `update rows set metadata = '{"a":"b"}' where n = 2`,
    'another reference': `update rows set reference = 'A-9' where n = 2`,
    'another generation': `insert into generations values (2, 1, null, 'edited', 1)`,
    'another record': `update outcomes set id = (select id from outcomes where n = 1) where n = 2`,
    'swapped records': `create table kept as select n, id from outcomes; update outcomes set id = (select id from kept where n = 3 - outcomes.n)`,
    'another total': `update meta set value = replace(value, '30.00', '20.00') where name = 'plan'`,
    'another revision': `update meta set value = replace(value, '"revision":1', '"revision":2') where name = 'plan'`,
    'another journal': `update meta set value = replace(value, '"journalId":"', '"journalId":"x') where name = 'plan'`,
    'another namespace': `update meta set value = replace(value, '"namespace":"default"', '"namespace":"other"') where name = 'plan'`,
  }))
    it(`pays nothing if somebody edits the journal: ${what}`, async () => {
      await inJournal(sql);
      const refused = await release();
      assert.notEqual(refused.exitCode, 0);
      assert.equal(paid(), 0, refused.stderr);
    });

  it('pays nothing if an approval or the audit trail was changed', async () => {
    for (const file of [...approvals(), trail()]) {
      const before = readFileSync(file, 'utf8');
      writeFileSync(
        file,
        before
          .replace(/"b"/, '"c"')
          .replace(/n":"[0-9a-f]/, 'n":"x')
          .replace('":1', '":2'),
      );
      assert.notEqual(readFileSync(file, 'utf8'), before);
      exits(await release(), 11);
      writeFileSync(file, before);
    }
    rmSync(trail());
    exits(await release(), 11);
    assert.equal(paid(), 0);
  });

  it('needs another one for a row that is resolved', async () => {
    let isLost = false;
    people.service.fault = ({method, body}) => {
      if (body?.includes('"A-1"') === true && body.includes('"auto_approve":true')) isLost = true;
      else if (method !== 'GET') return undefined;
      return isLost ? 'lost-before' : undefined;
    };
    const lost = await release();
    assert.notEqual(lost.exitCode, 0, lost.stdout);
    people.service.fault = () => undefined;
    const before = paid();
    exits(await people.as('ben', 'resolve b A-1 --not-paid'), 0);
    const refused = await release();
    exits(refused, 11);
    assert.match(refused.error().message, /1 row \(A-1\)/);
    exits(await people.approve('anna'), 0);
    exits(await release(), 0);
    assert.equal(people.service.paid.length, 2, String(before));
    const {events} = await audit();
    assert.deepEqual(events.find(({event}) => event === 'resolved')?.facts['rows'], ['A-1']);
  });

  it('needs another one for a row that is retried, and a retry pays nothing', async () => {
    exits(await release(), 0);
    for (const record of people.service.byId.values())
      if (JSON.stringify(record.body).includes('"A-2"')) record.status = 'failed';
    exits(await people.as('ben', 'status b --refresh'), 8);
    const before = paid();
    const retried = await people.as('ben', 'retry b --yes --json');
    assert.equal((retried.json() as Summary).staged, 1, retried.stderr);
    assert.equal(paid(), before);
    exits(await release(), 11);
    const approved = await people.approve('anna');
    exits(approved, 0);
    assert.match(approved.stdout, /New +1 row since the last approval\n +20\.00 USD/);
    assert.match(approved.stdout, /Again +20\.00 USD/);
    exits(await release(), 0);
    assert.equal(paid(), before + 1);
  });

  it('stops before the window in which it ends, or is taken away', async () => {
    people.file(
      'many.csv',
      Array.from({length: 200}, (_, n): [string, number, string] => [`M-${n}`, n, '11.00']),
    );
    exits(await people.as('ben', 'run ./many.csv --batch-id m --yes'), 0);
    const approve = `approve m --file ./many.csv --policy ${people.policy} --key ${people.keyOf('anna')} --confirm-total USD=2200.00 --confirm-count 200 --yes`;
    exits(await people.as('anna', approve), 0);
    let sent = 0;
    people.service.fault = ({body}) => {
      if (body?.includes('"auto_approve":true') && ++sent === 5) people.clock.advance(73 * 3_600_000);
      return undefined;
    };
    const stopped = await people.as('ben', 'release m --yes --json --max-in-flight 1');
    people.service.fault = () => undefined;
    exits(stopped, 11);
    assert.ok(
      people.service.paid.length > 0 && people.service.paid.length < 40,
      String(people.service.paid.length),
    );
    exits(await people.as('anna', approve), 0);
    const done = await people.as('ben', 'release m --yes --json --key-horizon 200h');
    exits(done, 0);
    assert.equal((done.json() as Summary).accepted, 200);
    assert.equal(people.service.paid.length, 200);
  });

  for (const way of ['by its key', 'by its id'])
    it(`releases no record ${way} that differs from the row that was approved`, async () => {
      if (way === 'by its id') {
        exits(await people.run('ben', ['profiles', 'set', 'prod', '--approve-by-id']), 0);
        people.clock.advance(25 * 3_600_000);
      }
      const [record] = people.service.byId.values();
      for (const [field, value] of Object.entries({currency_code: 'EUR', amount_in_minor_units: 9})) {
        const body = record!.body;
        const before = body[field];
        body[field] = value;
        const held = await people.as('ben', 'release b --yes --json');
        assert.notEqual(held.exitCode, 0, field);
        assert.equal(record!.status, 'created', field);
        body[field] = before;
      }
    });

  it('stays needed without the profile that has the policy', async () => {
    rmSync(join(folder(), 'approvals'), {recursive: true});
    const bare = {
      REMIT_API_KEY: TEST_KEY,
      REMIT_BASE_URL: BASE_URL,
      HOME: people.homeOf('ben'),
      REMIT_STATE_DIR: join(people.folder, 'shared'),
    };
    for (const words of ['release b --yes', 'run b --yes', 'resolve b A-1 --not-paid --unseen']) {
      const ran = await people.as('ben', words, {env: bare});
      exits(ran, 11);
      assert.match(ran.stderr, /batch b was staged under a policy, and the profile in use has none/);
    }
    assert.equal(paid(), 0);
  });

  it('refuses single payments with such a profile', async () => {
    const create = [
      'payouts',
      'create',
      '--payee',
      payeeId(1),
      '--amount',
      '1.00',
      '--currency',
      'USD',
      '--yes',
      '--json',
    ];
    const refused = await people.run('ben', create);
    exits(refused, 11);
    assert.equal(refused.error().code, 'GUARD_APPROVAL');
    const [record] = people.service.byId.keys();
    exits(await people.run('ben', ['payouts', 'approve', record!, '--yes']), 11);
    assert.equal(paid(), 0);
  });

  it('has an audit trail that names an edit, and a tail that was cut off', async () => {
    exits(await release(), 0);
    const honest = await audit();
    assert.deepEqual([honest.ok, honest.problems], [true, []]);
    assert.deepEqual(
      honest.events.map(({event, person}) => [event, person]),
      [
        ['planned', null],
        ['confirmed', 'ben'],
        ['staged', 'ben'],
        ['confirmed', 'ben'],
        ['approved', 'ben'],
        ['released', 'ben'],
      ],
    );
    assert.deepEqual(honest.signatures.map(({role, person, events}) => [role, person, events]).sort(), [
      ['approver', 'anna', 3],
      ['maker', 'ben', 0],
    ]);
    const text = readFileSync(trail(), 'utf8');
    const lines = text.trimEnd().split('\n');
    const found = async (edited: readonly string[]) => {
      writeFileSync(trail(), edited.map((line) => `${line}\n`).join(''));
      const {ok, problems} = await audit();
      assert.equal(ok, false);
      return problems.join('\n');
    };
    for (let at = 0; at < lines.length - 1; at++) {
      const edited = lines.with(at, lines[at]!.replace(/"by":"/, '"by":"x'));
      assert.match(await found(edited), new RegExp(`line ${at + 2} of the audit trail`));
      assert.match(await found(lines.toSpliced(at, 1)), new RegExp(`line ${at + 1} of the audit trail`));
    }
    assert.match(
      await found(lines.slice(0, 2)),
      /the end is cut off: the approver anna signed it with 3 events, and 2/,
    );
    assert.match(await found(lines.slice(0, 4)), /rows were released, and the audit trail does not have it/);
    writeFileSync(trail(), `${text}{"at":"2`); // a process was killed while it wrote
    assert.equal((await audit()).ok, true);
  });

  it('is not asked for by a cancel', async () => {
    exits(await people.as('ben', 'cancel b --yes'), 0);
    assert.equal((await audit()).events.at(-1)?.event, 'canceled');
  });

  it('has a policy that only the quorum of the pinned one replaces', async () => {
    const next = join(people.folder, 'policy-2');
    const text = `#remit rule currency=USD above=0 approvers=anna quorum=1 expires=2h\nanna ${publicKey(people.keyOf('anna'))}\nben ${publicKey(people.keyOf('ben'))}\n`;
    writeFileSync(next, text);
    const set = ['profiles', 'set', 'prod', '--approval-policy', next];
    const sign = (name: string) => {
      const key = people.keyOf(name);
      execFileSync('ssh-keygen', ['-q', '-Y', 'sign', '-n', 'remit-policy-v1', '-f', key, next], {
        stdio: 'ignore',
      });
      renameSync(`${next}.sig`, `${next}.${name}.sig`);
    };
    exits(await people.run('ben', set), 11);
    people.person('dan');
    sign('dan');
    exits(await people.run('ben', set), 11);
    sign('anna');
    const checked = await people.as('ben', `policy check ${next} --json`);
    exits(checked, 0);
    assert.deepEqual((checked.json() as {signed_by: string[]}).signed_by, ['anna']);
    exits(await people.run('ben', set), 0);
    exits(await release(), 11);
    const shown = await people.as('ben', 'policy show');
    assert.match(shown.stdout, /USD from 0\.00: 1 of anna; valid for 2 h/);
  });
});
