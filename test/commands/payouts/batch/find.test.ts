import assert from 'node:assert/strict';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {acquireLock} from '../../../../src/store/locks/lock.ts';
import {idempotencyKey} from '../../../../src/batch/model/identity.ts';
import {payeeId} from '../../../batch/harness.ts';
import {Desk} from './desk.ts';

interface Row {
  batch_id: string;
  reference: string;
  state: string;
  status: string | null;
  id: string | null;
  idempotency_key: string | null;
  updated_at: string | null;
}

describe('a row of a batch', () => {
  let desk: Desk;
  beforeEach(async () => {
    desk = Desk.withTwoRows();
    const ran = await desk.batch('run ./p.csv --batch-id first --yes');
    assert.equal(ran.exitCode, 0, ran.stderr);
    desk.file('q.csv', [
      ['A-1', 1, '10.00'],
      ['B 9', 2, '5.00'],
    ]);
    await desk.batch('plan ./q.csv --batch-id second');
  });
  afterEach(() => desk.close());

  const find = async (line: string) => (await desk.batch(`find ${line} --json`)).json() as Row[];

  it('is found by its reference in every batch, in any case, with its record', async () => {
    const rows = await find('a-1');
    assert.deepEqual(
      rows.map(({batch_id, reference, state}) => [batch_id, reference, state]),
      [
        ['first', 'A-1', 'accepted'],
        ['second', 'A-1', 'not_sent'],
      ],
    );
    const [paid, planned] = rows;
    assert.equal(typeof paid?.id, 'string');
    const key = {
      kind: 'payout',
      mode: 'test',
      namespace: 'default',
      reference: 'A-1',
      generation: 0,
    } as const;
    assert.equal(paid?.idempotency_key, idempotencyKey(key));
    assert.deepEqual([planned?.id, planned?.idempotency_key, planned?.updated_at], [null, null, null]);
    assert.match(paid?.updated_at ?? '', /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    assert.equal((await desk.batch('find a-1 -o id')).stdout, `${paid?.id}\n`);
    assert.match((await desk.batch('find a-1 -o csv')).stdout, /,1000,10\.00,USD,/);
  });

  it('is shown by status --row, at a terminal with the command that reads its record', async () => {
    const shown = await desk.batch('status first --row A-2 --no-color', {columns: 100});
    assert.equal(shown.exitCode, 0, shown.stderr);
    assert.match(shown.stdout, /Reference {6}A-2\n.*\n.*\nState {10}accepted/);
    assert.match(shown.stdout, new RegExp(`Payee +${payeeId(2)}\n`));
    assert.match(shown.stderr, /Hint: remit payouts get \S+/);
    assert.equal(((await desk.batch('status second --row b9 --json')).json() as Row).state, 'not_sent');
  });

  it('has whole ids at a terminal, however narrow it is', async () => {
    const long = 'payouts-2026-11-november-e57a4b07';
    const ran = await desk.batch(
      `run ./p.csv --batch-id ${long} --namespace other --accept paid-elsewhere=default --accept duplicates=2 --yes`,
    );
    assert.equal(ran.exitCode, 0, ran.stderr);
    const records = (await find('A-1')).flatMap(({id}) => id ?? []);
    assert.equal(records.length, 2);
    for (const columns of [60, 79, 80, 100, 120, 200]) {
      const {stdout} = await desk.batch('find A-1 --no-color', {columns});
      const lines = stdout.split('\n');
      assert.ok(
        lines.every(({length}) => length <= columns),
        stdout,
      );
      for (const id of [...records, long])
        assert.ok(
          lines.some((line) => line.includes(id)),
          id,
        );
    }
  });

  it('that does not exist ends with 4', async () => {
    for (const line of ['find C-1', 'status first --row C-1']) {
      const ran = await desk.batch(line);
      assert.equal(ran.exitCode, 4, ran.stderr);
      assert.match(ran.stderr, /with reference C-1/);
    }
    assert.match((await desk.batch('status first --row C-1')).stderr, /Hint: remit payouts batch find C-1/);
  });

  it('that was left out with errors is named with its line, and ends with 4', async () => {
    desk.file('r.csv', [
      ['INV-1', 1, '10.00'],
      ['Inv-2', 2, 'ten'],
    ]);
    const planned = await desk.batch('plan ./r.csv --batch-id third --valid-only');
    assert.equal(planned.exitCode, 0, planned.stderr);
    for (const line of ['find INV-2', 'status third --row INV-2']) {
      const ran = await desk.batch(`${line} --json`);
      assert.equal(ran.exitCode, 4, ran.stderr);
      const {message, hint, details} = ran.error();
      assert.match(message, /^batch third left out the row with reference Inv-2, line 3: amount: /);
      assert.equal(hint, 'the results and failed.csv have it: remit payouts batch report third');
      assert.deepEqual(details, {left_out: [{batch_id: 'third', line: 3, reference: 'Inv-2'}]});
    }
    desk.file('s.csv', [['INV-2', 2, '20.00']]);
    await desk.batch('plan ./s.csv --batch-id fourth');
    assert.equal((await desk.batch('find INV-2')).exitCode, 0);
  });

  it('that only looks alike is offered, with a command that finds it', async () => {
    desk.file('r.csv', [
      ['INV\u201117', 1, '10.00'],
      ['INV-18', 2, '5.00'],
      ['\uff29\uff2e\uff36-19', 3, '5.00'],
      ['\u0418NV-20', 4, '5.00'],
    ]);
    const planned = await desk.batch('plan ./r.csv --batch-id third');
    assert.equal(planned.exitCode, 0, planned.stderr);
    for (const [typed, found, words] of [
      ['INV-17', 'INV\u201117', 'INV\u201117 (it contains U+2011)'],
      ['inv\u221217', 'INV\u201117', 'INV\u201117 (it contains U+2011)'],
      ['INV\u201018', 'INV-18', 'INV-18 (U+2010 was typed)'],
      ['inv-19', '\uff29\uff2e\uff36-19', '\uff29\uff2e\uff36-19 (it contains U+FF29)'],
    ] as const) {
      const missing = await desk.batch(`find ${typed} --json`);
      assert.equal(missing.exitCode, 4);
      const {message, hint, details} = missing.error();
      assert.equal(message, `no row with reference ${typed} in 3 batches. Similar: ${words}`);
      assert.deepEqual(details, {similar: [found]});
      const [row] = await find(hint!.replace('remit payouts batch find ', '').replaceAll("'", ''));
      assert.equal(row!.reference, found);
      const shown = await desk.batch(`status third --row ${typed} --json`);
      assert.equal(shown.exitCode, 4);
      assert.ok(shown.error().message.endsWith(` ${typed}. Similar: ${words}`));
      const next = shown.error().hint!.replace('remit payouts batch ', '').replaceAll("'", '');
      assert.equal(((await desk.batch(`${next} --json`)).json() as Row).reference, found);
    }
    const cyrillic = await desk.batch('find INV-20 --json');
    assert.doesNotMatch(cyrillic.error().message, /Similar/, 'only what a normalisation makes equal');
  });

  it('may be in a batch that another process has, which is never passed off as a search', async () => {
    const lock = await acquireLock(join(desk.folder, '.local/state/remit/batches/payout/second.lock'), {
      purpose: 'a run',
      clock: desk.clock,
    });
    try {
      const found = await desk.batch('find A-1');
      assert.equal(found.exitCode, 8, found.stderr);
      assert.match(found.stdout, /^first\tA-1\taccepted/m);
      assert.match(found.stderr, /Warning: batch second was not searched/);
      const none = await desk.batch('find B9 --json');
      assert.deepEqual([none.exitCode, none.error().code, none.stdout], [13, 'LOCKED', '']);
      assert.deepEqual(none.error().details, {unread: ['second']});
    } finally {
      await lock.release();
    }
  });
});
