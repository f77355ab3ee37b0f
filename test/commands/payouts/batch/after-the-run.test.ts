import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
import {type Cell, type Sheet, workbook} from '../../../batch/workbook/xlsx.ts';
import {Desk} from './desk.ts';

let desk: Desk;
const rows = [
  ['A-1', 1, '10.00'],
  ['A-2', 2, '20.00'],
  ['A-3', 3, '30.00'],
] as const;
const recordOf = (reference: string) =>
  [...desk.service.byId.values()].find(
    ({body}) => (body['metadata'] as Record<string, string>)['remit_reference'] === reference,
  )!;
const begin = () => {
  desk = new Desk();
  desk.file('p.csv', rows);
};
const end = () => desk.close();

describe('payouts batch cancel', () => {
  beforeEach(begin);
  afterEach(end);

  it('asks with the number and the total of the records, and reports the result', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    const refused = await desk.batch('cancel b', {columns: 100, answers: [false]});
    assert.deepEqual(refused.questions, ['Cancel batch b?']);
    assert.deepEqual([refused.exitCode, recordOf('A-1').status], [11, 'created']);
    const ran = await desk.batch('cancel b', {columns: 100, answers: [true]});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /Batch b is canceled: 3 records canceled; nothing more will be sent/);
    assert.match(ran.stdout, /^ {2}canceled +3 +60\.00 USD$/m);
    assert.doesNotMatch(ran.stdout, /dead key|conflict|Needs attention/); // nothing needs attention
    assert.doesNotMatch(ran.stdout, /Next|Failed/);
    const status = (await desk.batch('status b --json')).json() as Summary;
    assert.deepEqual([status.state, status.canceled, status.next], ['canceled', 3, null]);
    const [listed] = (await desk.batch('list --json')).json() as {state: string; needs_attention: number}[];
    assert.deepEqual([listed!.state, listed!.needs_attention], ['canceled', 0]);
  });

  it('needs --live and the figures with a live key', async () => {
    const live = {live: true};
    await desk.batch(
      'run ./p.csv --batch-id b --stage-only --live --yes --confirm-total USD=60.00 --confirm-count 3',
      live,
    );
    const without = await desk.batch('cancel b', live);
    assert.deepEqual([without.exitCode, without.requests.length], [11, 0]);
    assert.match(without.stderr, /refused to cancel batch b with a live key/);
    const unstated = await desk.batch('cancel b --live --yes', live);
    assert.match(unstated.stderr, /--live --yes --confirm-total USD=60\.00 --confirm-count 3/);
    const wrong = await desk.batch('cancel b --live --yes --confirm-total USD=60.00 --confirm-count 2', live);
    assert.equal(wrong.exitCode, 11);
    const typed = await desk.batch('cancel b --live', {live: true, columns: 100, answers: ['59.00']});
    assert.equal(typed.exitCode, 11);
    assert.equal(recordOf('A-1').status, 'created');
    const ran = await desk.batch('cancel b --live', {live: true, columns: 100, answers: ['60.00']});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(recordOf('A-1').status, 'canceled');
  });

  it('of rows that were never sent has no total to state, with a live key and without a terminal', async () => {
    await desk.batch('plan ./p.csv --batch-id b');
    const unstated = await desk.batch('cancel b --live --yes', {live: true});
    const [, hint] = /--live --yes (--confirm-count 0)\n/.exec(unstated.stderr)!;
    const ran = await desk.batch(`cancel b --live --yes ${hint!}`, {live: true});
    assert.deepEqual([ran.exitCode, ran.requests.length], [0, 0], ran.stderr);
    assert.match(ran.stdout, /Batch b is canceled: 3 not sent/);
  });

  it('is refused by a read-only profile', async () => {
    const env = await desk.profile('reader');
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes', {env});
    await desk.profile('reader', '--replace', '--read-only');
    const ran = await desk.batch('cancel b --yes', {env});
    assert.equal(ran.exitCode, 11);
    assert.match(ran.stderr, /profile reader is read-only/);
  });

  it('leaves released rows, names them, and exits 8', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    recordOf('A-2').status = 'approved';
    const ran = await desk.batch('cancel b --yes');
    assert.equal(ran.exitCode, 8, ran.stderr);
    assert.match(ran.stdout, /2 records canceled, 1 already released/);
    assert.ok(
      ran.stderr.includes(`Already released, unchanged: A-2 (record ${recordOf('A-2').id})\n`),
      ran.stderr,
    );
    assert.equal(recordOf('A-2').status, 'approved');
  });

  it('has nothing to do if every row is released', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes');
    const ran = await desk.batch('cancel b --yes');
    assert.equal(ran.exitCode, 2);
    assert.match(ran.stderr, /batch b has no record that could be canceled/);
    assert.equal(((await desk.batch('status b --json')).json() as Summary).state, 'complete');
  });

  it('ends the batch: every other verb is refused with what is left to do', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    await desk.batch('cancel b --yes');
    for (const verb of ['run b', 'resume b', 'release b', 'retry b']) {
      const ran = await desk.batch(`${verb} --yes --json`);
      assert.deepEqual([ran.exitCode, ran.error().code], [11, 'BATCH_CANCELED'], verb);
    }
    const again = await desk.batch('run ./p.csv --batch-id c --yes');
    assert.match(again.stdout, /Batch c is complete: 3 of 3 rows accepted/);
  });

  it('leaves no next command of a batch that was never run', async () => {
    await desk.batch('plan ./p.csv --batch-id b');
    assert.equal((await desk.batch('cancel b --yes')).exitCode, 0);
    for (const verb of ['status', 'report', 'plan ./p.csv --batch-id']) {
      const {next} = (await desk.batch(`${verb} b --json`)).json() as {next: string | null};
      assert.equal(next, null, verb);
    }
  });

  it('is the same for payins', async () => {
    const text =
      'reference,payer_id,amount,currency_code\nP-1,018f0000-0000-7000-8000-000000000001,5.00,USD\n';
    writeFileSync(join(desk.folder, 'in.csv'), text);
    const topic = 'payins' as const;
    await desk.batch('run ./in.csv --batch-id i --stage-only --yes', {topic});
    const ran = await desk.batch('cancel i --yes', {topic});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /Batch i is canceled: 1 record canceled/);
  });
});

describe('payouts batch resolve --from', () => {
  beforeEach(async () => {
    begin();
    desk.service.fault = ({method, body}) =>
      method === 'POST' && /"A-[23]"/.test(body) ? 'lost-after' : undefined;
    await desk.batch('run ./p.csv --batch-id b --yes --direct');
    desk.service.fault = () => undefined;
  });
  afterEach(end);

  const resolve = (text: string, flags = ''): Promise<CliResult> => {
    writeFileSync(join(desk.folder, 'found.csv'), text);
    return desk.batch(`resolve b --from ./found.csv${flags}`);
  };
  const doubts = async () => ((await desk.batch('status b --json')).json() as Summary).in_doubt;

  it('resolves every row of the file, and names the next command', async () => {
    const ran = await resolve(`reference,verdict,id\nA-3,paid,${recordOf('A-3').id}\nA-2,not-paid,\n`);
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.match(ran.stdout, /Batch b: 1 row recorded as paid, 1 row as not paid\./);
    assert.match(ran.stderr, /Hint: remit payouts batch run b/);
    const resumed = await desk.batch('run b --yes --json');
    assert.deepEqual([resumed.exitCode, (resumed.json() as Summary).state], [0, 'complete']);
    assert.deepEqual(
      desk.service.paid.map(({approvals}) => approvals),
      [1, 1, 1],
    );
  });

  it('reads its columns in any order, with the signs of a spreadsheet', async () => {
    const ran = await resolve(
      `\uFEFFid;Reference;VERDICT\r\n${recordOf('A-3').id};A-3;Paid\r\n;A-2;not-paid\r\n`,
    );
    assert.equal(ran.exitCode, 0, ran.stderr);
  });

  for (const [words, text, message] of [
    [
      'an unknown reference',
      'reference,verdict,id\nA-3,not-paid,\nA-9,not-paid,\n',
      /line 3: batch b has no row A-9/,
    ],
    [
      'a repeated reference',
      'reference,verdict,id\nA-3,not-paid,\nA-3,not-paid,\n',
      /line 3: A-3 is repeated \(line 2\)/,
    ],
    [
      'a row that is not in doubt',
      'reference,verdict,id\nA-3,not-paid,\nA-1,not-paid,\n',
      /line 3: row A-1 is not in doubt/,
    ],
    ['another verdict', 'reference,verdict,id\nA-3,yes,\n', /line 2: A-3 has the verdict "yes"/],
    ['a paid row without an id', 'reference,verdict,id\nA-3,paid,\n', /line 2: A-3 is paid and has no id/],
    ['an id that is not one', 'reference,verdict,id\nA-3,paid,17\n', /line 2: A-3 is paid and has 17/],
    [
      'an unpaid row with an id',
      'reference,verdict,id\nA-3,not-paid,x\n',
      /line 2: A-3 is not-paid and has an id/,
    ],
    [
      'another header',
      'reference,verdict\nA-3,not-paid\n',
      /its header is reference,verdict, not reference,verdict,id/,
    ],
    ['no row', 'reference,verdict,id\n', /it has no row/],
  ] as const)
    it(`refuses ${words} with 5, and changes nothing`, async () => {
      const ran = await resolve(text, ' --json');
      assert.deepEqual([ran.exitCode, ran.error().code], [5, 'CSV_INVALID'], ran.stderr);
      assert.match(ran.error().message, message);
      assert.match(ran.error().message, /nothing was changed/);
      assert.equal(await doubts(), 2);
    });

  it('checks each id as the single form does: one of another payment changes nothing', async () => {
    const {id} = recordOf('A-1');
    const ran = await resolve(`reference,verdict,id\nA-2,not-paid,\nA-3,paid,${id}\n`);
    assert.equal(ran.exitCode, 5, ran.stderr);
    assert.match(ran.stderr, /is not the payment of row A-3/);
    assert.equal(await doubts(), 2);
  });

  describe('with a workbook', () => {
    const HEADER = ['Verdict', 'ID', 'Reference'];
    const resolveSheet = (rows: readonly (readonly Cell[])[], flags = '', more: Partial<Sheet> = {}) => {
      const sheets = [
        {name: 'Found', rows: [HEADER, ...rows], ...more},
        {name: 'Notes', rows: [['x']]},
      ];
      writeFileSync(join(desk.folder, 'found.xlsx'), workbook(sheets));
      return desk.batch(`resolve b --from ./found.xlsx${flags}`);
    };
    const paid = () => ['paid', recordOf('A-3').id, 'A-3'];

    it('resolves every row of its sheet', async () => {
      const ran = await resolveSheet([paid(), ['not-paid', null, 'A-2']], ' --sheet Found');
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.match(ran.stdout, /Batch b: 1 row recorded as paid, 1 row as not paid\./);
      assert.equal(await doubts(), 0);
    });

    it('refuses a workbook of several sheets without --sheet, and prints the command with it', async () => {
      const ran = await resolveSheet([paid()], ' --json');
      assert.deepEqual([ran.exitCode, ran.error().code], [2, 'USAGE'], ran.stderr);
      assert.match(ran.error().hint!, /payouts batch resolve b --from \S+found\.xlsx --json --sheet Found$/);
    });

    for (const [words, rows, message, more] of [
      [
        'a reference that Excel has damaged',
        [['not-paid', null, {v: '1E+20'}]],
        /row 2: reference .*number of more than 15/,
        {},
      ],
      [
        'a row that is hidden',
        [
          ['not-paid', null, 'A-2'],
          ['not-paid', null, 'A-3'],
        ],
        /rows are hidden \(3\)/,
        {hidden: [3]},
      ],
      ['a value beside the table', [['not-paid', null, 'A-2', 'x']], /row 2: cell D2 has a value/, {}],
      ['an unknown reference', [['not-paid', null, 'A-9']], /row 2: batch b has no row A-9/, {}],
      [
        'a repeated reference',
        [
          ['not-paid', null, 'A-3'],
          ['not-paid', null, 'A-3'],
        ],
        /row 3: A-3 is repeated \(row 2\)/,
        {},
      ],
    ] as const)
      it(`refuses ${words} with 5, and changes nothing`, async () => {
        const ran = await resolveSheet(rows, ' --sheet Found --json', more);
        assert.deepEqual([ran.exitCode, ran.error().code], [5, 'CSV_INVALID'], ran.stderr);
        assert.match(ran.error().message, message);
        assert.equal(await doubts(), 2);
      });

    it('refuses --sheet for a CSV, and without --from', async () => {
      const csv = await resolve('reference,verdict,id\nA-3,not-paid,\n', ' --sheet Found');
      assert.equal(csv.exitCode, 2, csv.stderr);
      assert.equal((await desk.batch('resolve b A-3 --not-paid --sheet Found')).exitCode, 2);
    });
  });

  it('records the file unchanged with --unseen, without a request', async () => {
    const unknown = '018f0000-0000-7000-8000-00000000dead';
    const ran = await resolve(`reference,verdict,id\nA-3,paid,${unknown}\n`, ' --unseen');
    assert.deepEqual([ran.exitCode, await doubts()], [0, 1]);
  });

  it('does not record the record of another row, not even with --unseen', async () => {
    const ran = await resolve(`reference,verdict,id\nA-3,paid,${recordOf('A-1').id}\n`, ' --unseen');
    assert.deepEqual([ran.exitCode, await doubts()], [5, 2]);
  });

  it('accepts one reference, or a file, but not both', async () => {
    for (const line of ['resolve b', 'resolve b A-3', 'resolve b A-3 --from ./found.csv'])
      assert.equal((await desk.batch(line)).exitCode, 2, line);
  });
});

describe('a second batch in one state folder', () => {
  beforeEach(() => {
    begin();
    desk.file('q.csv', [['B-1', 4, '40.00']]);
  });
  afterEach(end);

  /**
   * Runs the first batch; `second` begins while its first request is on the way, which is answered when the second has
   * ended, or reports that it waits.
   */
  async function beside(second: string, isAwaited: boolean): Promise<{first: CliResult; second: CliResult}> {
    await desk.batch('plan ./q.csv --batch-id second');
    const inner = desk.service.transport();
    let other: Promise<CliResult> | undefined;
    let waits: () => void;
    const waiting = new Promise<void>((resolve) => (waits = resolve));
    const onOutput = (text: string) => void (text.includes('Waiting for') && waits());
    const service: Transport = {
      ...inner,
      send: async (request) => {
        other ??= desk.batch(second, {onOutput});
        await (isAwaited ? other : Promise.race([waiting, other]));
        return inner.send(request);
      },
    };
    const first = await desk.batch('run ./p.csv --batch-id first --yes', {service});
    return {first, second: await other!};
  }

  it('names the batch that runs, since when, its progress and the command that shows it', async () => {
    const {second} = await beside('run second --yes --json', true);
    const {message, hint, details} = second.error();
    assert.match(
      message,
      /^payouts batch first is running since 2026-\S+ \(process \d+ on \S+\): staging, 0 of 3 rows accepted; one batch at a time/,
    );
    assert.equal(hint, 'remit payouts batch status first, or the same command with --wait-lock 30m');
    assert.deepEqual([second.exitCode, details!['batch']], [13, 'payouts batch first']);
  });

  it('waits for its turn with --wait-lock, and reports what it waits for', async () => {
    const {first, second} = await beside('run second --yes --wait-lock 30m', false);
    assert.equal(first.exitCode, 0, first.stderr);
    assert.equal(second.exitCode, 0, second.stderr);
    assert.match(
      second.stderr,
      /Waiting for payouts batch first, which runs since \S+ .*To see its progress: remit payouts batch status first\n/,
    );
    assert.equal(second.stderr.match(/Waiting for/g)!.length, 1);
    assert.equal(desk.service.paid.length, 4);
  });

  it('waits in the same way for a run of the same file, which then sends nothing', async () => {
    const {first, second} = await beside('run ./p.csv --batch-id first --yes --wait-lock 30m', false);
    assert.deepEqual([first.exitCode, second.exitCode], [0, 0], second.stderr);
    assert.match(second.stderr, /Waiting for payouts batch first/);
    assert.match(second.stdout, /this command sent nothing/);
    assert.equal(desk.service.paid.length, 3);
  });

  it('names a run of the same file as well', async () => {
    const {second} = await beside('run ./p.csv --batch-id first --yes --json', true);
    assert.match(second.error().message, /^payouts batch first is running since/);
    assert.equal(
      second.error().hint,
      'remit payouts batch status first, or the same command with --wait-lock 30m',
    );
  });

  it('gives up when the time is over', async () => {
    const {second} = await beside('run second --yes --wait-lock 3s', true);
    assert.equal(second.exitCode, 13);
    assert.match(second.stderr, /payouts batch first is running, also after a wait of 3 s,/);
  });
});
