import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {BASE_URL, scratch, TEST_KEY} from '../../cli/run-cli.ts';
import {ImportDesk, type Imported, isAdd, isCreate, NUMBERS} from './import-desk.ts';

/** Rows whose records exist, although the state folder has nothing about them. */
describe('payees import into another state folder', () => {
  let desk: ImportDesk;
  beforeEach(async () => {
    desk = new ImportDesk();
    await desk.go();
    desk.parties.sent.length = 0;
  });

  /** With an empty state folder. */
  const again = async () => {
    const env = {HOME: scratch(), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
    const ran = await desk.run('--json', {env});
    return {...(ran.json() as Imported), exit: ran.exitCode};
  };
  const creates = () => desk.parties.sent.filter(isCreate).length;

  for (const topic of ['payees', 'payers'])
    it(`takes the records of ${topic} that the list shows with its references`, async () => {
      desk.topic = topic;
      const before = desk.results;
      rmSync(join(desk.folder, 'suppliers.imported.csv'));
      const {created, found, already, problems, exit} = await again();
      assert.deepEqual([created, found, already, problems, exit], [0, 8, 0, [], 0]);
      assert.equal(creates(), 0);
      assert.deepEqual(desk.results.slice(1), before.slice(1));
      desk.existOnce();
    });

  it('shows how many were found', async () => {
    desk.parties.records.splice(6);
    const env = {HOME: scratch(), REMIT_API_KEY: TEST_KEY, REMIT_BASE_URL: BASE_URL};
    const ran = await desk.run('', {env});
    assert.match(ran.stdout, /^Imported 8 of 8 payees from \S+: 2 now, 6 found at the service\.$/m);
    desk.existOnce();
  });

  it('adds the account of a record without one', async () => {
    desk.parties.named('S-3')[0]?.methods.splice(0);
    const {found, problems, exit} = await again();
    assert.deepEqual([found, problems, exit], [8, [], 0]);
    desk.existOnce();
    assert.equal(desk.parties.sent.filter(isAdd).length, 1);
  });

  const others: [string, (record: ReturnType<ImportDesk['parties']['named']>[0]) => void, RegExp][] = [
    ['name', (record) => Object.assign(record, {name: 'Elm Press'}), /its name differs/],
    ['email', (record) => Object.assign(record, {email: 'elm@example.com'}), /its email differs/],
    ['account', ({methods}) => Object.assign(methods[0] ?? {}, {last4: '0000'}), /its account differs/],
  ];
  for (const [what, change, words] of others)
    it(`names a record with another ${what}, and creates none beside it`, async () => {
      const [record] = desk.parties.named('S-3');
      assert.ok(record !== undefined);
      change(record);
      for (let run = 0; run < 2; run++) {
        const {found, problems, exit} = await again();
        assert.deepEqual(
          [found, problems.map(({reference, state}) => `${reference} ${state}`), exit],
          [7, ['S-3 other_record'], 8],
        );
        assert.match(problems[0]?.message ?? '', words);
      }
      assert.equal(creates(), 0);
      assert.equal(record.methods.length, 1);
    });

  it('names two records of one reference', async () => {
    const [record] = desk.parties.named('S-3');
    assert.ok(record !== undefined);
    const copy = {...record, id: '0b000000-0000-4000-8000-000000000001'};
    desk.parties.records.push(copy);
    const {found, problems, exit} = await again();
    assert.deepEqual(
      [found, exit, problems.map(({state, others}) => [state, others])],
      [7, 8, [['duplicate', [record.id, copy.id]]]],
    );
    assert.equal(creates(), 0);
  });

  it('takes a record that was created again after the recorded one was removed', async () => {
    const [record] = desk.parties.named('S-3');
    const id = '0b000000-0000-4000-8000-000000000001';
    Object.assign(record ?? {}, {id});
    Object.assign(record?.methods[0] ?? {}, {payee_id: id});
    const {found, already, exit} = await desk.go();
    assert.deepEqual([found, already, exit], [1, 7, 0]);
    desk.existOnce();
  });

  it('takes no lost record whose name was changed', async () => {
    desk.write(
      [...NUMBERS, '5551234567'].map((number, n) => [`S-${n}`, `Supplier ${n}`, number, '021000021']),
    );
    desk.parties.fault = (request) => {
      if (!isCreate(request)) return undefined;
      queueMicrotask(() => Object.assign(desk.parties.named('S-8')[0] ?? {}, {name: 'Elm Press'}));
      return 'lost-after';
    };
    const {problems, exit} = await desk.go();
    assert.deepEqual([problems.map(({state}) => state), exit], [['other_record'], 8]);
    assert.deepEqual(desk.parties.named('S-8')[0]?.methods, []);
  });
});
