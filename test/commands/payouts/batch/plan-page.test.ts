import assert from 'node:assert/strict';
import {existsSync, readFileSync, statSync, symlinkSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {payeeId} from '../../../batch/harness.ts';
import {Desk} from './desk.ts';

const HEADER = 'reference,payee_id,amount,currency_code,rail\n';

describe('payouts batch plan --html', () => {
  let desk: Desk;
  beforeEach(() => (desk = new Desk()));
  afterEach(() => desk.close());

  async function page(text: string, flags = ''): Promise<string> {
    writeFileSync(join(desk.folder, 'p.csv'), HEADER + text);
    const ran = await desk.batch(`plan ./p.csv --batch-id b --html ./p.html --json ${flags}`.trim());
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal((ran.json() as {page_file: string}).page_file, join(desk.folder, 'p.html'));
    return readFileSync(join(desk.folder, 'p.html'), 'utf8');
  }

  const shown = (html: string) =>
    html
      .replace(/<style>.*<\/style>/s, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replace(/\s+/g, ' ');

  it('has the totals, the rows, the hashes and a command that runs exactly this plan', async () => {
    const html = await page(
      `A-1,${payeeId(1)},1500.75,USD,wire\nA-2,${payeeId(2)},20.00,EUR,\nA-3,${payeeId(1)},1500.75,USD,wire\n`,
    );
    const text = shown(html);
    for (const part of [
      'Plan of payout batch b',
      'Rows of the plan 3',
      '3,001.50 USD',
      'EUR the default 1 20.00',
      'USD wire 2 3,001.50',
      '1 row with the payee, amount and currency of an earlier row',
      'A-1, A-3',
    ])
      assert.ok(text.includes(part), `${part}: ${text}`);
    const planned = (await desk.batch('plan ./p.csv --batch-id b --json')).json() as {
      plan_hash: string;
      file_sha256: string;
    };
    assert.ok(text.includes(planned.plan_hash) && text.includes(planned.file_sha256));
    const command = /remit payouts batch run .*?(?= Totals)/.exec(text)![0].trim();
    assert.equal(
      command,
      'remit payouts batch run b --accept duplicates=1 --confirm-count 3 --confirm-total EUR=20.00 --confirm-total USD=3001.50',
    );
    const typed = command.replace('remit payouts batch ', '');
    const other = typed.replace('3001.50', '3001.51');
    assert.equal((await desk.batch(other)).exitCode, 11);
    assert.equal((await desk.batch(typed)).exitCode, 0);
    assert.equal(desk.service.byId.size, 3);
  });

  it('counts the rows that may repeat payments of other batches', async () => {
    writeFileSync(join(desk.folder, 'old.csv'), `${HEADER}A-1,${payeeId(1)},5.00,USD,\n`);
    assert.equal((await desk.batch('run ./old.csv --batch-id old --confirm-count 1 --yes')).exitCode, 0);
    const text = shown(await page(`B-1,${payeeId(1)},5.00,USD,\nB-2,${payeeId(2)},6.00,USD,\n`));
    assert.ok(text.includes('Possible duplicates 1 '), text);
    assert.match(text, /1 row may repeat earlier payments/);
    assert.match(text, /batch run b --accept duplicates=1 /);
  });

  it('loads and runs nothing, and escapes every text of the file', async () => {
    const hostile = '<script>alert(1)</script>';
    const html = await page(`"${hostile}",${payeeId(1)},1.00,USD,\n"a""onx='",${payeeId(2)},2.00,USD,\n`);
    assert.ok(!html.includes(hostile));
    assert.ok(shown(html).includes(hostile));
    assert.match(html, /Content-Security-Policy" content="default-src 'none'; style-src 'sha256-/);
    assert.deepEqual(html.match(/<script|<link|<img|<iframe|<form|\ssrc=|\shref=|\sstyle=|\son\w+=/g), null);
  });

  it('lists what is left out, and the first rows of many', async () => {
    const rows = Array.from(
      {length: 2003},
      (_, n) => `A-${n},${payeeId(n)},1.${String(n).padStart(4, '0').slice(-2)},USD,\n`,
    );
    const html = await page(`${rows.join('')}X,nobody,1.00,USD,\n`, '--valid-only');
    const text = shown(html);
    assert.ok(text.includes('The first 2,000 of 2,003 rows'));
    assert.ok(text.includes('Left out (1)'));
    assert.match(text, /line 2005, row 2004, column payee_id: is not a UUID/);
    assert.ok(text.includes('A-1999') && !text.includes('A-2001 '));
  });

  it('is refused for a plan that has been run, and names the report', async () => {
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    await desk.batch('run ./p.csv --batch-id b --yes');
    const ran = await desk.batch('plan ./p.csv --batch-id b --html ./p.html --json');
    assert.equal(ran.exitCode, 11);
    assert.equal(ran.error().message, 'batch b was approved and has been run; no row is left to send');
    assert.match(ran.error().hint ?? '', /remit payouts batch report b --html$/);
    assert.equal(existsSync(join(desk.folder, 'p.html')), false);
    assert.equal((await desk.batch('plan ./p.csv --batch-id b')).exitCode, 0);
  });

  it('is refused with the rows that are left, and the command that continues them', async () => {
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
      ['A-3', 3, '30.00'],
    ]);
    desk.service.fault = ({method, body}) =>
      method === 'POST' && !body.includes('"A-1"')
        ? body.includes('"A-2"')
          ? 'lost-after'
          : 'lost-before'
        : undefined;
    await desk.batch('run ./p.csv --batch-id b --yes --max-wait 1s');
    const ran = await desk.batch('plan ./p.csv --batch-id b --html ./p.html --json');
    assert.equal(ran.exitCode, 11);
    assert.equal(
      ran.error().message,
      'batch b was approved and has been run; 3 rows are left: 2 in doubt, 1 not released',
    );
    assert.equal(ran.error().hint, 'remit payouts batch run b');
  });

  it('is private, replaces only a page of the same batch, and is written through no link', async () => {
    await page(`A-1,${payeeId(1)},1.00,USD,\n`);
    assert.equal(statSync(join(desk.folder, 'p.html')).mode & 0o777, 0o600);
    await page(`A-1,${payeeId(1)},2.00,USD,\n`);
    writeFileSync(join(desk.folder, 'mine.html'), 'mine');
    const foreign = await desk.batch('plan ./p.csv --batch-id b --html ./mine.html');
    assert.equal(foreign.exitCode, 13);
    assert.equal(readFileSync(join(desk.folder, 'mine.html'), 'utf8'), 'mine');
    symlinkSync(join(desk.folder, 'mine.html'), join(desk.folder, 'link.html'));
    assert.equal((await desk.batch('plan ./p.csv --batch-id b --html ./link.html')).exitCode, 13);
  });

  it('of a batch that has run tells apart what a run would send and what is done', async () => {
    const rows = `A-1,${payeeId(1)},10.00,USD,\nA-2,${payeeId(2)},20.00,USD,\n`;
    writeFileSync(join(desk.folder, 'p.csv'), HEADER + rows);
    assert.equal((await desk.batch('run ./p.csv --batch-id b --yes')).exitCode, 0);
    const text = shown(await page(`${rows}A-3,${payeeId(3)},77.00,USD,\n`));
    for (const part of ['Rows of the plan 3 107.00 USD', 'To send 1 77.00 USD', 'Done 2 30.00 USD'])
      assert.ok(text.includes(part), `${part}: ${text}`);
    const [largest, all] = text.split('Largest rows to send')[1]!.split('Rows (3)');
    assert.doesNotMatch(largest!, /A-1/);
    assert.match(all!, /A-1 \S+ 10\.00 USD done .*A-3 \S+ 77\.00 USD to send/);
  });

  it('is not written for a canceled batch, and neither is a revision', async () => {
    const rows = `A-1,${payeeId(1)},10.00,USD,\n`;
    writeFileSync(join(desk.folder, 'p.csv'), HEADER + rows);
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only');
    assert.equal((await desk.batch('cancel b --yes')).exitCode, 0);
    writeFileSync(join(desk.folder, 'p.csv'), `${HEADER}${rows}A-2,${payeeId(2)},20.00,USD,\n`);
    const refused = await desk.batch('plan ./p.csv --batch-id b --html ./p.html');
    assert.equal(refused.exitCode, 11, refused.stderr);
    const again = /another batch: remit payouts batch (plan .*)$/m.exec(refused.stderr)![1]!;
    assert.match(again, /--batch-id b-2$/);
    assert.equal(existsSync(join(desk.folder, 'p.html')), false);
    assert.equal((await desk.batch(again)).exitCode, 0);
    const {revision} = (await desk.batch('status b --json')).json() as {revision: number};
    assert.equal(revision, 1);
  });

  it('shows which rows a run would leave, because another batch has them', async () => {
    desk.file('a.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    await desk.batch('run ./a.csv --batch-id a --yes');
    const html = await page(
      `A-1,${payeeId(1)},10.00,USD,\nA-2,${payeeId(2)},25.00,USD,\nA-3,${payeeId(3)},30.00,USD,\n`,
    );
    const text = shown(html);
    for (const part of [
      'To send 1 30.00 USD',
      'Paid by another batch 1 10.00 USD',
      'Left as they are 1 25.00 USD',
      `A-2 ${payeeId(2)} 25.00 USD left as it is`,
    ])
      assert.ok(text.includes(part), `${part}: ${text}`);
    assert.ok(!/Largest rows to send.*A-2.*Rows \(3\)/.test(text), 'it is not sent');
  });
});
