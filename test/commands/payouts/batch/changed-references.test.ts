import assert from 'node:assert/strict';
import {rmSync} from 'node:fs';
import {join} from 'node:path';
import {payeeId} from '../../../batch/harness.ts';
import type {TruthRecord} from '../../../batch/truth-service.ts';
import {FormerDesk, typed} from './former-desk.ts';

type Shown = Record<string, unknown>;

/** The service writes the reference in another way. */
const written =
  (as: (reference: string) => string) =>
  (shown: Shown): Shown => {
    const {remit_reference: reference} = shown['client_metadata'] as Record<string, string>;
    return {...shown, client_metadata: {remit_reference: as(reference!)}};
  };
const cut = (length: number) => written((reference) => reference.slice(0, length));
const inUpperCase = written((reference) => reference.toUpperCase());

let desk: FormerDesk;
beforeEach(() => (desk = new FormerDesk()));
afterEach(() => desk.close());

const paidRecords = (reference: string) =>
  desk.recordsOf(reference).filter(({approvals, status}) => approvals > 0 && status !== 'failed');
/** The first create of a row is answered with another record. */
const swapOnce = (
  reference: string,
  instead: (shown: Shown) => Shown,
  otherwise = (shown: Shown) => shown,
) => {
  let swaps = 1;
  desk.service.distort = (shown, {method, body}) =>
    method === 'POST' && body.includes(`"${reference}"`) && swaps-- > 0 ? instead(shown) : otherwise(shown);
};
/** Types what was printed, again and again; the commands that were typed. */
const followed = async (next: string | null, most = 5): Promise<string[]> => {
  const lines: string[] = [];
  for (let at = next; at !== null && / batch /.test(at) && lines.length < most;) {
    lines.push(typed(at));
    const line = `${typed(at)} --yes`;
    const ran = await desk.batch(line);
    const accepted = ran.exitCode === 11 ? /--accept duplicates=\d/.exec(ran.stderr)?.[0] : undefined;
    if (accepted !== undefined) await desk.batch(`${line} ${accepted}`);
    at = (await desk.go('status b')).next;
  }
  return lines;
};

describe('a service that cuts references, beside a batch with the shorter one', () => {
  beforeEach(async () => {
    desk.file('n.csv', [['INV-10', 7, '70.00']]);
    desk.file('p.csv', [
      ['INV-100', 1, '10.00'],
      ['INV-200', 2, '20.00'],
    ]);
    await desk.go('run ./n.csv --batch-id n --namespace other --yes');
    desk.service.distort = cut(6);
  });

  it('leaves the rows held, as its records differ from them', async () => {
    const {held, conflict} = await desk.go('run ./p.csv --batch-id b --yes');
    assert.deepEqual([held, conflict], [2, 0]);
    const {accepted} = await desk.go('release b --accept differences --yes');
    assert.equal(accepted, 2);
    assert.equal(paidRecords('INV-100').length, 1);
  });

  it('has its rows accepted by a direct run, which a cancel and another batch do not pay again', async () => {
    desk.service.keyLifeMs = 24 * 3_600_000;
    const {accepted, conflict} = await desk.go('run ./p.csv --batch-id b --direct --accept key-trust --yes');
    assert.deepEqual([accepted, conflict], [2, 0]);
    await desk.batch('cancel b --yes');
    desk.clock.advance(30 * 3_600_000);
    desk.service.distort = (shown) => shown;
    await desk.go('run ./p.csv --batch-id c --yes');
    assert.equal(paidRecords('INV-100').length, 1);
  });

  it('is the same within one file', async () => {
    desk.file('q.csv', [
      ['A-1', 1, '10.00'],
      ['A-10', 2, '20.00'],
      ['A-11', 3, '30.00'],
    ]);
    desk.service.distort = cut(3);
    const {held, accepted, conflict} = await desk.go('run ./q.csv --batch-id q --yes');
    assert.deepEqual([held, accepted, conflict], [2, 1, 0]);
  });
});

describe('a direct run that is answered with the record of another payment', () => {
  const other = (status: string): TruthRecord => ({
    ...{id: '018f0000-0000-7000-8000-00000000aaaa', key: 'k', status, approvals: 1},
    createdAt: desk.clock.now(),
    body: {
      ...{payee_id: payeeId(1), amount_in_minor_units: 1000, currency_code: 'USD'},
      metadata: {invoice: '7'},
    },
  });

  for (const status of ['failed', 'canceled'])
    it(`does not pay again because that one is ${status}`, async () => {
      desk.file('p.csv', [['A-1', 1, '10.00']]);
      const record = other(status);
      desk.service.byId.set(record.id, record);
      swapOnce('A-1', (shown) => ({...shown, id: record.id, status, client_metadata: {invoice: '7'}}));
      const {next, conflict} = await desk.go('run ./p.csv --batch-id b --direct --accept key-trust --yes');
      assert.deepEqual([conflict, next], [1, 'remit payouts batch retry b --row A-1']);
      await followed(next);
      assert.equal(paidRecords('A-1').length, 1);
      assert.equal((await desk.go('status b')).accepted, 1);
    });

  it('keeps the claims of such rows when it is canceled', async () => {
    desk.file('n.csv', [['N-1', 1, '10.00']]);
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    await desk.go('run ./n.csv --batch-id n --namespace other --stage-only --yes');
    const [record] = desk.recordsOf('N-1');
    const swapped = (shown: Shown) => ({...shown, id: record!.id, client_metadata: {remit_reference: 'N-1'}});
    desk.service.distort = (shown, {method, body}) =>
      method === 'POST' && body.includes('"A-1"') ? swapped(shown) : shown;
    const line = 'run ./p.csv --batch-id b --direct --accept key-trust --accept duplicates=1 --yes';
    assert.equal((await desk.go(line)).conflict, 1);
    await desk.batch('cancel b --yes');
    const {in_doubt: doubts, next} = await desk.go('cancel b --yes');
    assert.deepEqual([doubts, next], [1, 'remit payouts batch resolve b --from FILE']);
    desk.service.distort = (shown) => shown;
    desk.service.forgetKeys();
    await desk.batch('run ./p.csv --batch-id c --accept duplicates=1 --yes');
    assert.equal(paidRecords('A-1').length, 1);
    assert.equal(record?.status, 'created');
  });

  it('twice is not sent with a new key before a person says that it is not paid', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    let isSwapped = true;
    desk.service.distort = (shown, {method, body}) =>
      isSwapped && method === 'POST' && body.includes('"A-2"')
        ? {...shown, id: desk.recordsOf('A-1')[0]!.id}
        : shown;
    const first = await desk.go('run ./p.csv --batch-id b --direct --accept key-trust --yes');
    const second = await desk.go(`${typed(first.next)} --yes`);
    assert.match(String(second.next), /payouts list/);
    isSwapped = false;
    const again = await desk.batch('retry b --row A-2 --yes');
    assert.match(again.stdout + again.stderr, /may have been paid: look for a payment with this reference/);
    assert.equal(paidRecords('A-2').length, 1);
    const [own] = desk.recordsOf('A-2');
    assert.equal((await desk.batch(`resolve b A-2 --paid ${own!.id}`)).exitCode, 0);
    assert.equal((await desk.go('status b')).accepted, 2);
  });

  it('twice has a new key after a person says that it is not paid', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    desk.service.distort = (shown, {method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? {...shown, id: desk.recordsOf('A-1')[0]!.id} : shown;
    const first = await desk.go('run ./p.csv --batch-id b --direct --accept key-trust --yes');
    await desk.go(`${typed(first.next)} --yes`);
    desk.service.distort = (shown) => shown;
    const [own] = desk.recordsOf('A-2');
    own!.status = 'failed';
    const stated = await desk.batch('resolve b A-2 --not-paid');
    assert.equal(stated.exitCode, 0);
    assert.match(stated.stdout, /was not paid\. A retry that names it sends it again with a new key\.$/m);
    const {next} = await desk.go('status b');
    assert.equal(next, 'remit payouts batch retry b --row A-2');
    assert.equal((await desk.go(`${typed(next)} --yes`)).accepted, 2);
    assert.equal(paidRecords('A-2').length, 1);
  });
});

describe('a row whose keys all return the record of another row', () => {
  beforeEach(() => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    desk.service.distort = (shown, {method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? {...shown, id: desk.recordsOf('A-1')[0]!.id} : shown;
  });

  it('holds the others, whose release is printed', async () => {
    const {staged, conflict, next} = await desk.go('run ./p.csv --batch-id b --yes');
    assert.deepEqual([staged, conflict], [2, 1]);
    assert.equal(next, 'remit payouts batch release b --accept rest');
    assert.equal((await desk.go(`${typed(next)} --yes`)).accepted, 2);
  });

  it('has one new key, and then a person looks for its record', async () => {
    const {next} = await desk.go('run ./p.csv --batch-id b --yes');
    const lines = await followed(next, 9);
    const retry = 'retry b --row A-2';
    assert.deepEqual(lines, ['release b --accept rest', retry, retry, retry]);
    const again = await desk.batch(`${retry} --yes`);
    assert.match(
      again.stdout + again.stderr,
      /another one would hardly help: look for a payment with this ref/,
    );
    assert.match((await desk.go('status b')).next ?? '', /^remit payouts list --payee \S+ --all$/);
    const records = desk.recordsOf('A-2');
    assert.equal(records.length, 2, 'one for each of its two keys');
    await desk.batch('resolve b A-2 --not-paid');
    desk.service.distort = (shown) => shown;
    assert.equal((await desk.go(`${retry} --yes`)).accepted, 3);
    assert.equal(paidRecords('A-2').length, 1);
  });

  it('can be stated as paid by the record that a person has found', async () => {
    await followed((await desk.go('run ./p.csv --batch-id b --yes')).next, 9);
    const [own] = desk.recordsOf('A-2');
    Object.assign(own!, {status: 'approved', approvals: 1});
    assert.equal((await desk.batch(`resolve b A-2 --paid ${own!.id}`)).exitCode, 0);
    assert.equal((await desk.go('status b')).accepted, 3);
  });
});

describe('a record of another batch', () => {
  it('with the same reference in another namespace pays no second row', async () => {
    desk.file('n.csv', [['A-1', 1, '10.00']]);
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    await desk.go('run ./n.csv --batch-id n --namespace other --yes');
    const [record] = desk.recordsOf('A-1');
    swapOnce('A-1', (shown) => ({...shown, id: record!.id, status: record!.status}));
    const line = 'run ./p.csv --batch-id b --accept paid-elsewhere=other --accept duplicates=1 --yes';
    const {conflict, exit} = await desk.go(line);
    assert.deepEqual([conflict, exit], [1, 6]);
  });

  for (const [how, otherwise] of [
    ['in upper case', inUpperCase],
    ['without metadata', (shown: Shown) => ({...shown, client_metadata: undefined})],
  ] as const)
    it(`that came back while staging is never canceled, with references ${how}`, async () => {
      desk.file('n.csv', [['n-1', 1, '10.00']]);
      desk.file('p.csv', [['a-1', 1, '10.00']]);
      desk.service.distort = otherwise;
      await desk.go('run ./n.csv --batch-id n --namespace other --yes');
      desk.clock.advance(60_000);
      const [record] = desk.recordsOf('n-1');
      swapOnce('a-1', (shown) => otherwise({...shown, id: record!.id, status: record!.status}), otherwise);
      await desk.go('run ./p.csv --batch-id b --accept duplicates=1 --yes');
      const {next, stopped_because: stop} = await desk.go('release b --accept differences --yes');
      assert.doesNotMatch(String(stop?.message), /forgotten/);
      await followed(next);
      assert.equal(record?.status, 'created');
      assert.ok(paidRecords('a-1').length <= 1);
    });

  it('that is canceled is a conflict, and the row can be paid', async () => {
    desk.file('n.csv', [['n-1', 1, '10.00']]);
    desk.file('p.csv', [['a-1', 1, '10.00']]);
    await desk.go('run ./n.csv --batch-id n --namespace other --yes --stage-only');
    await desk.go('cancel n --yes');
    const [record] = desk.recordsOf('n-1');
    swapOnce('a-1', (shown) => ({
      ...{...shown, id: record!.id, status: record!.status},
      client_metadata: {remit_reference: 'n-1'},
    }));
    const {conflict, next} = await desk.go('run ./p.csv --batch-id b --yes');
    assert.equal(conflict, 1);
    await followed(next);
    assert.equal(paidRecords('a-1').length, 1);
  });
});

describe('a service that writes references in upper case', () => {
  beforeEach(() => (desk.service.distort = inUpperCase));

  it('has failed payments that a retry sends again', async () => {
    desk.file('p.csv', [['a-1', 1, '10.00']]);
    await desk.go('run ./p.csv --batch-id a --yes');
    await desk.go('release a --accept differences --yes');
    desk.recordsOf('a-1')[0]!.status = 'failed';
    const {next} = await desk.go('status a --refresh');
    await desk.go(`${typed(next)} --yes`);
    assert.equal(desk.recordsOf('a-1').length, 2);
    const {already_paid: before} = await desk.go('run ./p.csv --batch-id c --yes');
    assert.equal(before, 0);
  });

  it('has failed payments that another batch can send, once a person has stated it if they are cut', async () => {
    desk.service.distort = cut(3);
    desk.file('p.csv', [
      ['inv-1', 1, '10.00'],
      ['jnv-2', 2, '20.00'],
    ]);
    await desk.go('run ./p.csv --batch-id a --yes');
    await desk.go('release a --accept differences --yes');
    desk.recordsOf('jnv-2')[0]!.status = 'failed';
    await desk.go('status a --refresh');
    const {next} = await desk.go('run ./p.csv --batch-id c --yes');
    assert.equal(next, 'remit payouts batch resolve c --from FILE');
    assert.equal((await desk.batch('resolve c jnv-2 --not-paid')).exitCode, 0);
    assert.equal((await desk.go('run c --yes')).held, 1);
    assert.equal((await desk.go('release c --accept differences --yes')).accepted, 1);
    assert.equal(paidRecords('jnv-2').length, 1);
  });
});

describe('a probe', () => {
  it('that finds the record of the row beside an older one says so, and the row has its own record again', async () => {
    desk.file('n.csv', [['A-1', 1, '10.00']]);
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.go('run ./n.csv --batch-id n --namespace other --stage-only --yes');
    desk.clock.advance(60_000);
    const [record] = desk.recordsOf('A-1');
    swapOnce('A-1', (shown) => ({...shown, id: record!.id}));
    const first = await desk.go(
      'run ./p.csv --batch-id b --accept paid-elsewhere=other --accept duplicates=1 --yes',
    );
    assert.match(String(first.stopped_because?.message), /the first belongs to another payment/);
    assert.equal(first.next, 'remit payouts batch retry b --row A-1');
    await desk.go(`${typed(first.next)} --accept paid-elsewhere=other --accept duplicates=1 --yes`);
    assert.equal(record?.status, 'created');
    assert.equal((await desk.go('status b')).accepted, 1);
  });

  const bothPaid = async (status: string) => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    await desk.go('run ./p.csv --batch-id b --stage-only --yes');
    const [own] = desk.recordsOf('A-2');
    Object.assign(own!, {status, approvals: 1});
    desk.service.records.delete(own!.key);
    const {stopped_because: stop} = await desk.go('release b --yes');
    assert.match(
      String(stop?.message),
      new RegExp(`its own record ${own!.id} is ${status}: it may be paid twice`),
    );
  };
  it('after which both records are approved does not say that one was not found', () => bothPaid('approved'));
  it('after which its own record is settled says so', () => bothPaid('settled'));
});

describe('a service that has forgotten a key, really', () => {
  it('whose clock was set, or ours, has two records of the row: none is called that of another payment', async () => {
    desk.file('p.csv', [['a-1', 1, '10.00']]);
    desk.service.now = () => desk.clock.now() - 60_000;
    await desk.go('run ./p.csv --batch-id b --stage-only --yes');
    desk.clock.advance(60_000);
    desk.service.now = () => desk.clock.now();
    desk.service.forgetKeys();
    const [first] = desk.recordsOf('a-1');
    Object.assign(first!, {status: 'approved', approvals: 1});
    const {stopped_because: stop, next} = await desk.go('release b --yes');
    assert.equal(stop?.reason, 'key-forgotten');
    await followed(next);
    assert.equal(paidRecords('a-1').length, 1);
  });
});

describe('a batch whose journal was deleted, planned again', () => {
  it('has its own records, although their claims are those of the first one', async () => {
    desk = FormerDesk.withTwoRows();
    await desk.go('run ./p.csv --batch-id a --yes');
    for (const record of desk.service.byId.values()) record.status = 'created';
    await desk.go('status a --refresh');
    rmSync(join(desk.folder, '.local/state/remit/batches/payout/a'), {recursive: true});
    const {conflict} = await desk.go('run ./p.csv --batch-id c --yes');
    assert.equal(conflict, 0);
  });
});

it('a direct payment that fails at once is that of its row at a service that repeats no metadata', async () => {
  desk.file('p.csv', [['A-1', 1, '10.00']]);
  desk.service.distort = (shown) => {
    const record = desk.service.byId.get(String(shown['id']))!;
    if (record.approvals > 0) record.status = 'failed';
    return {...shown, client_metadata: {}, status: record.status};
  };
  const {accepted, failed, conflict} = await desk.go(
    'run ./p.csv --batch-id b --direct --accept key-trust --yes',
  );
  assert.deepEqual([accepted, failed, conflict], [1, 1, 0]);
});
