import assert from 'node:assert/strict';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {openBatch, runPurpose} from '../../../../src/batch/journal/open-batch.ts';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {type Clock, systemClock} from '../../../../src/clock.ts';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import {acquireLock} from '../../../../src/store/locks/lock.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

describe('a batch that another process has', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = Desk.withTwoRows();
  });
  afterEach(() => desk.close());

  const folderOf = (batch: string) => join(desk.folder, '.local/state/remit/batches/payout', batch);
  const lockOf = (batch: string) => join(folderOf(batch), '..', `${batch}.lock`);
  const copiesOf = (batch: string) =>
    readdirSync(folderOf(batch)).filter((name) => name.startsWith('published'));

  /** Types some lines when the first request with this method is on its way, and returns their results. */
  const during = async (
    method: string,
    run: string,
    lines: readonly string[],
    then: () => void = () => undefined,
  ): Promise<CliResult[]> => {
    const results: CliResult[] = [];
    const inner = desk.service.transport();
    let isFirst = true;
    const service: Transport = {
      send: async (request) => {
        if (request.method === method && isFirst) {
          isFirst = false;
          for (const line of lines) results.push(await desk.batch(line));
          then();
          for (const record of desk.service.byId.values())
            if (method === 'GET') Object.assign(record, {status: 'settled'});
        }
        return inner.send(request);
      },
      close: () => inner.close(),
    };
    const ran = await desk.batch(run, {service, clock: systemClock});
    assert.equal(ran.exitCode, 0, ran.stderr);
    return results;
  };

  it('and only follows is read as it was last published, with the time', async () => {
    mkdirSync(join(desk.folder, 'out'));
    const [found, row, same, exported, reported, listed] = await during(
      'GET',
      'run ./p.csv --batch-id fol --until settled --yes',
      [
        ...['find A-1', 'status fol --row A-2', 'diff ./p.csv', 'export fol', 'report fol --out ./out'],
        'list',
      ],
    );
    for (const ran of [found, row, same, exported, reported]) {
      assert.equal(ran!.exitCode, 0, ran!.stderr);
      assert.match(
        ran!.stderr,
        /Batch fol is shown as of \d{4}-[\d-]+T[\d:.]+Z: another process is using it\./,
      );
    }
    assert.match(found!.stdout, /^fol\tA-1\taccepted/m);
    assert.match(same!.stdout, /are equal/);
    assert.match(exported!.stdout, /,A-1,accepted,/);
    assert.ok(existsSync(join(desk.folder, 'out', 'fol.results.csv')));
    assert.match(listed!.stdout, /fol/);
  });

  it('is current again afterwards, and leaves no copy', async () => {
    await during('GET', 'run ./p.csv --batch-id fol --until settled --yes', ['find A-1']);
    const found = await desk.batch('find A-1');
    assert.doesNotMatch(found.stderr, /shown as of/);
    assert.match(found.stdout, /settled/);
    assert.deepEqual(copiesOf('fol'), []);
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => /^remit-(?:read|draft)-/.test(name)),
      [],
    );
  });

  it('and sends rows is read in a copy that it publishes: rows in flight are in doubt, and nothing is to be typed', async () => {
    const [row, held, exported, reported, text, status] = await during(
      'POST',
      'run ./p.csv --batch-id snd --yes',
      [
        ...['find A-1 -o json', 'status snd --row A-1', 'export snd', 'report snd -o json', 'report snd'],
        'status snd',
      ],
    );
    const note =
      /Batch snd is shown as of \d{4}-[\d-]+T[\d:.]+Z: another process is sending it\. Rows whose turn/;
    for (const ran of [row, held, exported, reported, text]) {
      assert.match(ran!.stderr, note);
      assert.equal(ran!.exitCode, 0, ran!.stderr);
    }
    const [found] = row!.json() as {state: string; published_at: string}[];
    assert.equal(found?.state, 'in_doubt');
    assert.ok(Date.parse(found.published_at) > 0);
    assert.match(exported!.stdout, /,A-1,in_doubt,.*\n.*,A-2,/);
    const {state, next, in_doubt: doubts, not_sent: unsent, ...rest} = JSON.parse(reported!.stdout);
    assert.deepEqual({state, next, results: rest.results}, {state: 'running', next: null, results: null});
    assert.equal(rest.published_at, found.published_at);
    assert.equal(doubts + unsent, 2);
    assert.doesNotMatch(text!.stdout, /Needs attention|Next|Results|Failed/);
    assert.equal(status!.exitCode, 0, status!.stderr);
  });

  it('and does not answer is refused, with its progress and a command that works', async () => {
    await desk.batch('run ./p.csv --batch-id snd --yes');
    await desk.batch('find A-1');
    const lock = await acquireLock(lockOf('snd'), {purpose: runPurpose('snd', 'run')});
    writeFileSync(join(folderOf('snd'), 'published.db'), '');
    utimesSync(join(folderOf('snd'), 'published.db'), 1, 1); // of the process before
    try {
      const ran = await desk.batch('export snd');
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.stderr, /batch snd has been running since \d{4}-.*: 2 of 2 rows accepted\./s);
      assert.match(ran.stderr, /Hint: try again, or see its progress: remit payouts batch status snd$/m);
      assert.doesNotMatch(ran.stderr, /break-lock/);
    } finally {
      await lock.release();
    }
  });

  it('and ends while it is asked is read itself', async () => {
    await desk.batch('run ./p.csv --batch-id snd --yes');
    const lock = await acquireLock(lockOf('snd'), {purpose: runPurpose('snd', 'run')});
    const exporting = desk.batch('export snd');
    await once(systemClock, join(folderOf('snd'), 'published.asked'));
    await lock.release();
    const ran = await exporting;
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.doesNotMatch(ran.stderr, /shown as of/);
    assert.match(ran.stdout, /,A-1,accepted,/);
    assert.deepEqual(copiesOf('snd'), []);
  });

  it('after it was killed while it wrote a copy, publishes one again', async () => {
    await desk.batch('plan ./p.csv --batch-id snd');
    const draft = join(folderOf('snd'), 'published.db.tmp');
    mkdirSync(`${draft}.lock`);
    for (const path of [draft, `${draft}-journal`, join(folderOf('snd'), 'published.asked')])
      writeFileSync(path, 'left');
    const [exported] = await during('POST', 'run snd --yes', ['export snd']);
    assert.match(exported!.stderr, /shown as of/);
    assert.deepEqual(copiesOf('snd'), []);
  });

  it('only to read, after its run was killed, is interrupted', async () => {
    await desk.batch('run ./p.csv --batch-id snd --stage-only --yes');
    const batch = await openBatch({
      ...{stateDir: join(desk.folder, '.local/state/remit'), kind: 'payout', batchId: 'snd'},
      ...{purpose: 'export of batch snd', clock: systemClock},
    });
    try {
      batch.journal.setFact('state', 'running');
      const ran = await desk.batch('report snd -o json');
      assert.match(ran.stderr, /: another process is using it\./);
      const {state, next} = ran.json() as Summary;
      assert.deepEqual({state, next}, {state: 'interrupted', next: null});
    } finally {
      await batch.close();
    }
  });

  it('is searched by diff for the references of a file', async () => {
    await desk.batch('run ./p.csv --batch-id first --yes');
    desk.file('q.csv', [['B-1', 3, '5.00']]);
    const [same, sent] = await during('POST', 'run ./q.csv --batch-id second --yes', [
      'diff ./p.csv',
      'diff ./q.csv',
    ]);
    assert.equal(same!.exitCode, 0, same!.stderr);
    assert.doesNotMatch(same!.stderr, /not searched/);
    assert.match(sent!.stderr, /Batch second is shown as of/);
  });

  it('keeps its own results and page: a report is written to another place only', async () => {
    mkdirSync(join(desk.folder, 'out'));
    symlinkSync(desk.folder, join(desk.folder, 'link'));
    const written: string[] = [];
    await during(
      'POST',
      'run ./p.csv --batch-id snd --yes',
      [
        ...['report snd', 'report snd --out ./link --html', 'report snd --out ./out'],
        'report snd --html ./page.html',
      ],
      () => written.push(...readdirSync(desk.folder)),
    );
    assert.deepEqual(
      written.filter((name) => name.startsWith('snd')),
      [],
    );
    const results = readFileSync(join(desk.folder, 'out', 'snd.results.csv'), 'utf8');
    assert.match(results, /A-1.*in_doubt/);
    const page = readFileSync(join(desk.folder, 'page.html'), 'utf8');
    assert.match(page, /Another process was using the batch/);
    assert.doesNotMatch(page, /batch (?:resume|release|resolve|retry)/);
  });
});

/** Waits until a file exists. */
async function once(clock: Clock, path: string): Promise<void> {
  while (!existsSync(path)) await clock.sleep(5);
}
