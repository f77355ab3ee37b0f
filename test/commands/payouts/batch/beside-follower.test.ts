import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readdirSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import type {Transport} from '../../../../src/client/transport/transport.ts';
import type {CliResult} from '../../../cli/run-cli.ts';
import {Desk} from './desk.ts';

describe('a batch that another process has', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = Desk.withTwoRows();
  });
  afterEach(() => desk.close());

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
    const ran = await desk.batch(run, {service});
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
        /Batch fol is shown as of \d{4}-[\d-]+T[\d:.]+Z: another process follows it\./,
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
    const folder = join(desk.folder, '.local/state/remit/batches/payout/fol');
    assert.deepEqual(
      readdirSync(folder).filter((name) => name.startsWith('published')),
      [],
    );
    assert.deepEqual(
      readdirSync(tmpdir()).filter((name) => /^remit-(?:read|draft)-/.test(name)),
      [],
    );
  });

  it('and sends rows is refused, with its progress and a command that works', async () => {
    const [row, exported, reported, status] = await during('POST', 'run ./p.csv --batch-id snd --yes', [
      ...['status snd --row A-1', 'export snd', 'report snd', 'status snd'],
    ]);
    for (const ran of [row, exported, reported]) {
      assert.equal(ran!.exitCode, 13, ran!.stderr);
      assert.match(ran!.stderr, /batch snd has been running since \d{4}-.*: 0 of 2 rows accepted\./s);
      assert.match(ran!.stderr, /Hint: its progress: remit payouts batch status snd$/m);
      assert.doesNotMatch(ran!.stderr, /break-lock/);
    }
    assert.equal(status!.exitCode, 0, status!.stderr);
  });

  it('does not keep diff from finding the batch of a file', async () => {
    await desk.batch('run ./p.csv --batch-id first --yes');
    desk.file('q.csv', [['B-1', 3, '5.00']]);
    const [same] = await during('POST', 'run ./q.csv --batch-id second --yes', ['diff ./p.csv']);
    assert.equal(same!.exitCode, 0, same!.stderr);
    assert.match(same!.stderr, /not searched for references of the file: batch second has been running/);
  });
});
