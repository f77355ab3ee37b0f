import assert from 'node:assert/strict';
import {mkdirSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {Desk} from './desk.ts';

describe('a batch that does not exist', () => {
  let desk: Desk;
  before(async () => {
    desk = new Desk();
    desk.file('p.csv', [['A-1', 1, '1440.00']]);
    for (let n = 1; n <= 7; n++) await desk.batch(`plan ./p.csv --batch-id b${n}`);
  });
  after(() => desk.close());

  it('exits 4 for every verb, and shows that its list of known batches is truncated', async () => {
    for (const line of [
      'status x',
      'report x',
      'release x',
      'resume x',
      'retry x',
      'resolve x A-1 --not-paid',
      'run x',
    ]) {
      const ran = await desk.batch(`${line} --json`);
      assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [4, 'NO_BATCH', ''], line);
      if (line === 'run x') continue;
      assert.equal(
        ran.error().hint,
        'known batches: b1, b2, b3, b4, b5, and 2 more (remit payouts batch list); --state-dir names another state folder',
      );
    }
    const row = await desk.batch('resolve b1 X-9 --not-paid --json');
    assert.deepEqual([row.exitCode, row.error().code], [4, 'NO_BATCH']);
  });

  it('names the one that begins with what was typed, or is nearly the same', async () => {
    await desk.batch('plan ./p.csv --batch-id wages-eaf47dab');
    for (const typed of ['wages', 'wages-eaf47dba']) {
      const ran = await desk.batch(`status ${typed} --json`);
      assert.match(ran.error().hint!, /^did you mean wages-eaf47dab\? known batches: /, typed);
    }
  });

  it('lists the others with grouped amounts for people, and plain ones for machines', async () => {
    assert.match((await desk.batch('list')).stdout, /1,440\.00 USD/);
    assert.match((await desk.batch('list --json')).stdout, /"1440\.00 USD"/);
  });
});

describe('planning a file whose references other batches have', () => {
  let desk: Desk;
  before(async () => {
    desk = new Desk();
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.batch('run ./p.csv --batch-id july --yes');
    desk.file('more.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
  });
  after(() => desk.close());

  it('warns of each batch, offline, in every mode and namespace', async () => {
    const posts = desk.service.posts;
    const ran = await desk.batch('plan ./more.csv --batch-id august --namespace other --json');
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(
      ran.stderr,
      /batch july \(test, .*, namespace default\) already has 1 reference of this file.*A-1/,
    );
    const {seen_before: seen} = ran.json() as {seen_before: object[]};
    assert.deepEqual(seen, [
      {
        batch: 'july',
        mode: 'test',
        base_url: 'http://127.0.0.1:4010',
        namespace: 'default',
        rows: 1,
        example: 'A-1',
      },
    ]);
    assert.equal(desk.service.posts, posts);
  });

  it('does not report the batch itself', async () => {
    const ran = await desk.batch('plan ./p.csv --batch-id july --json');
    assert.deepEqual((ran.json() as {seen_before: object[]}).seen_before, []);
    assert.doesNotMatch(ran.stderr, /Warning/);
  });

  it('skips it if the registry cannot be read, and reads an empty one', async () => {
    const registry = join(desk.folder, 's/batches/registry.db');
    mkdirSync(dirname(registry), {recursive: true});
    const plan = async (content: string) => {
      writeFileSync(registry, content);
      const ran = await desk.batch('plan ./p.csv --batch-id d --state-dir ./s --json');
      assert.equal(ran.exitCode, 0, ran.stderr);
      return {seen: (ran.json() as {seen_before: unknown}).seen_before, stderr: ran.stderr};
    };
    const damaged = await plan('no database '.repeat(1000));
    assert.equal(damaged.seen, null);
    assert.match(damaged.stderr, /were not compared with those of other batches.*not a remit database/s);
    assert.deepEqual((await plan('')).seen, []);
  });

  it('skips it while another batch runs', async () => {
    const look = async () => {
      const ran = await desk.batch('plan ./p.csv --batch-id c --json');
      assert.equal((ran.json() as {seen_before: null}).seen_before, null);
      assert.match(ran.stderr, /the run compares them/);
      return false;
    };
    assert.equal(
      (await desk.batch('run ./more.csv --batch-id d', {columns: 100, answers: [look]})).exitCode,
      11,
    );
  });
});
