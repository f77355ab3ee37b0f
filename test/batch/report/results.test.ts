import assert from 'node:assert/strict';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import {join} from 'node:path';
import {checkResultPlace} from '../../../src/batch/report/results.ts';
import type {PlanRequest} from '../../../src/batch/plan/plan.ts';
import {reportBatch} from '../../../src/batch/overview/report.ts';
import {statusOfBatch} from '../../../src/batch/overview/status.ts';
import {RemitError} from '../../../src/errors.ts';
import {Bench, payeeId} from '../harness.ts';
import {TruthService} from '../truth-service.ts';

/** A user that owns nothing here. */
const NOBODY = 65_534;
const HEADER = 'reference,payee_id,amount,currency_code,metadata.note\n';
const row = (n: number, note = '', amount = '10.00') => `INV-${n},${payeeId(n)},${amount},USD,${note}\n`;

const isState = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof RemitError, String(error));
  assert.deepEqual([error.code, error.exitCode], ['STATE', 13]);
  assert.match(error.message, pattern);
  return true;
};

describe('the results of a batch', () => {
  let bench: Bench;
  let service: TruthService;
  const path = (name: string) => join(bench.folder, name);
  const plan = (text: string, options: Partial<PlanRequest> = {}) =>
    bench.plan(bench.file('p.csv', text), options);
  const at = () => ({kind: 'payout', batchId: 'b1', stateDir: bench.stateDir, clock: bench.clock}) as const;
  /** The lines of a CSV in which every cell is quoted. */
  const cellsOf = (name: string) =>
    readFileSync(path(name), 'utf8')
      .split('\r\n')
      .slice(0, -1)
      .map((line) => line.slice(1, -1).split('","'));
  const refuses =
    (...rows: number[]) =>
    (body: Record<string, unknown>) =>
      rows.map(payeeId).includes(body['payee_id'] as string)
        ? {status: 422, error_code: 'INVALID_PAYMENT_DETAILS', message: '=cmd("no usable method")'}
        : undefined;
  beforeEach(() => {
    bench = new Bench();
    service = new TruthService();
  });
  afterEach(() => bench.remove());

  it('list every record of the file, in order, with its outcome', async () => {
    service.refuse = refuses(2);
    service.approvalFails = (body) => body['payee_id'] === payeeId(3);
    await plan(`${HEADER}${row(1)}${row(2)}bad,x,1.00,USD,\n\n${row(3)}${row(4)}`, {validOnly: true});
    const summary = await bench.run(service);
    const [header, ...rows] = cellsOf('b1.results.csv');
    assert.deepEqual(header, [
      ...['reference', 'payee_id', 'amount', 'currency_code', 'metadata.note'],
      ...['remit_row', 'remit_reference', 'remit_state', 'remit_amount', 'payout_id', 'status', 'error_code'],
      ...['message', 'attempts', 'request_id', 'at'],
    ]);
    const column = (name: string) => rows.map((cells) => cells[header.indexOf(name)]);
    assert.deepEqual(column('reference'), ['INV-1', 'INV-2', 'bad', 'INV-3', 'INV-4']);
    assert.deepEqual(column('remit_row'), ['1', '2', '3', '4', '5']);
    assert.deepEqual(column('remit_state'), ['accepted', 'rejected', 'invalid', 'unapproved', 'accepted']);
    assert.deepEqual(column('remit_amount'), ['10.00 USD', '10.00 USD', '', '10.00 USD', '10.00 USD']);
    assert.deepEqual(column('error_code'), ['', 'INVALID_PAYMENT_DETAILS', '', '', '']);
    assert.deepEqual(column('status'), ['approved', '', '', 'created', 'approved']);
    assert.match(column('message')[2]!, /payee_id: is not a UUID/);
    assert.match(column('message')[3]!, /insufficient funds/);
    const ids = column('payout_id');
    assert.deepEqual(
      ids.filter((id) => id !== ''),
      [...service.byId.keys()],
    );
    assert.deepEqual([summary.accepted, summary.rejected, summary.unapproved], [2, 1, 1]);
    assert.ok(column('at').every((text, index) => index === 2 || /^2026-.*Z$/.test(text!)));
  });

  it('call a held row held', async () => {
    service.distort = (record) =>
      record['payee_id'] === payeeId(2) ? {...record, currency_code: 'CAD'} : record;
    await plan(`${HEADER}${row(1)}${row(2)}`);
    await bench.run(service);
    const [header, ...rows] = cellsOf('b1.results.csv');
    assert.deepEqual(
      rows.map((cells) => cells[header!.indexOf('remit_state')]),
      ['accepted', 'held'],
    );
  });

  it('are written next to the input, readable only by their owner, and named in the summary', async () => {
    await plan(HEADER + row(1));
    const summary = await bench.run(service);
    assert.equal(summary.results, path('b1.results.csv'));
    assert.equal(summary.failed_file, null);
    assert.ok(!existsSync(path('b1.failed.csv')));
    const written = JSON.parse(readFileSync(path('b1.summary.json'), 'utf8')) as Record<string, unknown>;
    assert.deepEqual(
      [written['batch_id'], written['accepted'], written['results'], written['failed_file']],
      ['b1', 1, summary.results, null],
    );
    if (process.platform !== 'win32')
      for (const name of ['b1.results.csv', 'b1.summary.json'])
        assert.equal(statSync(path(name)).mode & 0o777, 0o600, name);
  });

  it('contain no formula for a spreadsheet, whether from a cell, a header or an answer', async () => {
    service.refuse = refuses(1);
    const text =
      '=evil(),reference,payee_id,amount,currency_code,metadata.note\n' +
      `+1,A,${payeeId(1)},1.00,USD,@sum\n-1,B,${payeeId(2)},1.00,USD,"\tx"\n＝1,C,${payeeId(3)},1.00,USD,＠y\n`;
    await plan(text, {mapping: {'metadata.cell': '=evil()'}});
    await bench.run(service);
    const all = cellsOf('b1.results.csv').flat();
    assert.deepEqual(
      all.filter((cell) => /^[=+\-@\t\r＝＋－＠]/.test(cell)),
      [],
    );
    assert.ok(
      all.includes("'=evil()") && all.includes("'+1") && all.includes("'-1") && all.includes("'@sum"),
    );
    assert.ok(all.includes("'＝1") && all.includes("'＠y"));
    assert.ok(all.some((cell) => cell.startsWith("'=cmd(")));
    const failed = cellsOf('b1.failed.csv');
    assert.deepEqual(failed, [
      ['reference', 'payee_id', 'amount', 'currency_code', 'metadata.cell', 'metadata.note'],
      ['A', payeeId(1), '1.00', 'USD', '+1', '@sum'],
    ]);
  });

  it('keep columns of the input with the same names as theirs', async () => {
    const text = `reference,payee_id,amount,currency_code,status,at\nA,${payeeId(1)},1.00,USD,open,noon\n`;
    await plan(text, {mapping: {'metadata.status': 'status', 'metadata.at': 'at'}});
    await bench.run(service);
    const [header, line] = cellsOf('b1.results.csv');
    assert.equal(line![header!.indexOf('status')], 'open');
    assert.equal(line![header!.indexOf('remit_status')], 'approved');
    assert.ok(header!.includes('remit_at'));
  });

  it('have a file of the failed rows that can be planned unchanged, without the flags of the first plan', async () => {
    service.refuse = refuses(2, 3);
    const text =
      'reference;payee_id;amount;currency_code;metadata.note\r\n' +
      `INV-1;${payeeId(1)};1,50;USD;\r\n` +
      `INV-2;${payeeId(2)};2,50;USD;"a ""b"";\r\nc"\r\n` +
      `Z\u00fc-3;${payeeId(3)};3,50;USD; =x \r\n`;
    await plan(text, {numberFormat: '1.234,56'});
    const first = await bench.run(service);
    assert.deepEqual([first.rejected, first.failed_file], [2, path('b1.failed.csv')]);
    service.refuse = () => undefined;
    const {plan: again} = await bench.plan(path('b1.failed.csv'), {batchId: 'b2'});
    assert.deepEqual(again.figures.totals, {USD: '6.00'});
    const second = await bench.run(service, {batchId: 'b2'});
    assert.deepEqual([second.accepted, second.already_paid], [2, 0]);
    const notes = service.paid.map((record) => (record.body['metadata'] as Record<string, string>)['note']);
    assert.deepEqual(notes, [undefined, 'a "b";\r\nc', '=x']);
    assert.equal(service.paid.length, 3);
  });

  it('keep failed rows that were corrected, and write the others beside them', async () => {
    service.refuse = refuses(2, 4);
    await plan(`${HEADER}${row(1)}${row(2)}${row(3)}${row(4)}`);
    await bench.run(service);
    const report = async () => (await reportBatch({...at(), folder: undefined})).summary.failed_file;
    const [file, second, third] = [path('b1.failed.csv'), path('b1.failed-2.csv'), path('b1.failed-3.csv')];
    assert.equal(await report(), file); // unchanged, so it is replaced
    const written = readFileSync(file, 'utf8');
    const corrected = written.replace('10.00', '12.00');
    writeFileSync(file, corrected);
    for (let times = 0; times < 2; times += 1) {
      assert.equal(await report(), second);
      assert.deepEqual([readFileSync(file, 'utf8'), readFileSync(second, 'utf8')], [corrected, written]);
    }
    writeFileSync(second, 'also corrected');
    assert.equal(await report(), third);
    service.refuse = () => undefined;
    await plan(`${HEADER}${row(1)}${row(2, 'mended')}${row(3)}${row(4, 'mended')}`);
    assert.equal((await bench.run(service)).failed_file, null);
    assert.deepEqual(
      [file, second, third].map((name) => existsSync(name)),
      [true, true, false],
    );
    assert.equal(readFileSync(file, 'utf8'), corrected);
  });

  it('remove the file of failed rows when none is left', async () => {
    service.refuse = refuses(2);
    await plan(HEADER + row(1) + row(2));
    await bench.run(service);
    assert.ok(existsSync(path('b1.failed.csv')));
    service.refuse = () => undefined;
    await plan(HEADER + row(1) + row(2, 'mended'));
    const summary = await bench.run(service);
    assert.deepEqual([summary.accepted, summary.failed_file], [2, null]);
    assert.ok(!existsSync(path('b1.failed.csv')));
  });

  for (const name of ['b1.results.csv', 'b1.summary.json', 'b1.failed.csv']) {
    it(`are never written through a link (${name})`, async () => {
      if (process.platform === 'win32') return;
      writeFileSync(path('precious'), 'precious');
      await plan(HEADER + row(1));
      service.refuse = refuses(1);
      symlinkSync(path('precious'), path(name));
      await assert.rejects(bench.run(service, {settings: {trustRefusals: true}}), isState(/symbolic link/));
      assert.equal(readFileSync(path('precious'), 'utf8'), 'precious');
      assert.ok(lstatSync(path(name)).isSymbolicLink());
      assert.deepEqual(
        readdirSync(bench.folder).filter((file) => file.endsWith('.part')),
        [],
      );
    });

    it(`never replace a file of another batch (${name})`, async () => {
      const {plan: planned} = await plan(HEADER + row(1));
      writeFileSync(path(name), 'precious');
      assert.throws(() => checkResultPlace(bench.folder, planned), isState(/does not belong to this batch/));
      await assert.rejects(bench.run(service), isState(/does not belong to this batch/));
      assert.equal(readFileSync(path(name), 'utf8'), 'precious');
    });
  }

  it('name the file that this user may not read, which may be of this batch', async () => {
    const {plan: planned} = await plan(HEADER + row(1));
    await bench.run(service);
    chmodSync(bench.folder, 0o755);
    chmodSync(path('b1.summary.json'), 0o000);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) process.seteuid?.(NOBODY);
    try {
      assert.throws(
        () => checkResultPlace(bench.folder, planned),
        isState(/^Could not read \S+b1\.summary\.json: permission denied$/),
      );
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });

  it('never replace the input', async () => {
    const {plan: planned} = await bench.plan(bench.file('b1.failed.csv', HEADER + row(1)));
    assert.throws(() => checkResultPlace(bench.folder, planned), isState(/b1\.failed\.csv/));
    await assert.rejects(bench.run(service), isState(/b1\.failed\.csv/));
    assert.equal(readFileSync(path('b1.failed.csv'), 'utf8'), HEADER + row(1));
  });

  it('that cannot be written are still reported, and can be written later', async () => {
    await plan(HEADER + row(1));
    const error: unknown = await bench
      .run(service, {out: path('nowhere')})
      .catch((thrown: unknown) => thrown);
    isState(/nowhere/)(error);
    const {details, hint} = error as RemitError;
    assert.equal((details!['summary'] as {accepted: number}).accepted, 1);
    assert.match(hint!, /payouts batch report/);
    const {summary} = await reportBatch({...at(), folder: bench.folder});
    assert.deepEqual(
      [summary.accepted, summary.results, summary.state],
      [1, path('b1.results.csv'), 'complete'],
    );
  });

  it('are the same however often they are written, from the journal alone', async () => {
    service.refuse = refuses(2);
    await plan(HEADER + row(1) + row(2) + row(3));
    const summary = await bench.run(service);
    const read = () => ['b1.results.csv', 'b1.failed.csv'].map((name) => readFileSync(path(name), 'utf8'));
    const before = read();
    const posts = service.posts;
    bench.clock.advance(3_600_000);
    for (let time = 0; time < 2; time++) {
      const {summary: again} = await reportBatch({...at(), folder: bench.folder});
      assert.deepEqual(read(), before);
      assert.deepEqual({...again, elapsed_ms: 0, posts: 0}, {...summary, elapsed_ms: 0, posts: 0});
    }
    const {summary: status} = await statusOfBatch(at());
    assert.deepEqual({...status, elapsed_ms: 0}, {...summary, elapsed_ms: 0, posts: 0});
    assert.equal(service.posts, posts);
  });
});
