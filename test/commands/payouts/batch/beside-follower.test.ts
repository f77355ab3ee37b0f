import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readdirSync, readFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {systemClock} from '../../../../src/clock.ts';
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
  const copiesOf = (batch: string) =>
    readdirSync(folderOf(batch)).filter((name) => name.startsWith('published'));

  /** Types some lines when the first request with this method is on its way, and returns their results. */
  const during = async (method: string, run: string, lines: readonly string[]): Promise<CliResult[]> => {
    const results: CliResult[] = [];
    const inner = desk.service.transport();
    let isFirst = true;
    const service: Transport = {
      send: async (request) => {
        if (request.method === method && isFirst) {
          isFirst = false;
          for (const line of lines) results.push(await desk.batch(line));
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
    const [row, held, exported, reported, status] = await during('POST', 'run ./p.csv --batch-id snd --yes', [
      ...['find A-1', 'status snd --row A-1', 'export snd', 'report snd -o json', 'status snd'],
    ]);
    const note = /Batch snd is shown as of \d{4}-[\d-]+T[\d:.]+Z: another process sends its rows\./;
    for (const ran of [row, held, exported, reported]) assert.match(ran!.stderr, note);
    assert.match(row!.stdout, /^snd\tA-1\tin doubt/m);
    assert.equal(held!.exitCode, 12);
    assert.match(exported!.stdout, /,A-1,in_doubt,.*\n.*,A-2,/);
    const {state, next, in_doubt: doubts, not_sent: unsent, results} = JSON.parse(reported!.stdout);
    assert.deepEqual({state, next, results}, {state: 'running', next: null, results: null});
    assert.equal(doubts + unsent, 2);
    assert.equal(reported!.exitCode, 0);
    assert.equal(status!.exitCode, 0, status!.stderr);
  });

  it('and does not answer is refused, with its progress and a command that works', async () => {
    await desk.batch('run ./p.csv --batch-id snd --yes');
    const lock = await acquireLock(join(folderOf('snd'), '..', 'snd.lock'), {purpose: 'batch snd (run)'});
    try {
      const ran = await desk.batch('export snd');
      assert.equal(ran.exitCode, 13, ran.stderr);
      assert.match(ran.stderr, /batch snd has been running since \d{4}-.*: 2 of 2 rows accepted\./s);
      assert.match(ran.stderr, /Hint: try again, or see its progress: remit payouts batch status snd$/m);
      assert.doesNotMatch(ran.stderr, /break-lock/);
      assert.deepEqual(copiesOf('snd'), []);
    } finally {
      await lock.release();
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

  it('keeps the results that it writes at its end: report writes them elsewhere only', async () => {
    mkdirSync(join(desk.folder, 'out'));
    await during('POST', 'run ./p.csv --batch-id snd --yes', ['report snd', 'report snd --out ./out']);
    const results = (folder: string) => readFileSync(join(desk.folder, folder, 'snd.results.csv'), 'utf8');
    assert.match(results('.'), /A-1.*accepted/);
    assert.match(results('out'), /A-1.*in_doubt/);
  });
});
