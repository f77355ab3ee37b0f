import assert from 'node:assert/strict';
import {existsSync, mkdirSync, readFileSync} from 'node:fs';
import {join, relative} from 'node:path';
import {Desk} from './desk.ts';

describe('the folders in printed commands', () => {
  let desk: Desk;
  beforeEach(() => {
    desk = Desk.withTwoRows();
    mkdirSync(join(desk.folder, 'out'));
  });
  afterEach(() => desk.close());

  it('are absolute, also in the summary file and the page, which are read in other folders', async () => {
    const state = join(desk.folder, 'state');
    desk.service.distort = (record) => ({...record, rail: 'instant'});
    desk.file('p.csv', [['A-1', 1, '10.00']]);
    const place = `--state-dir ${relative(process.cwd(), state)} --out ${relative(process.cwd(), join(desk.folder, 'out'))}`;
    await desk.batch(`run ./p.csv --batch-id b --yes --stage-only ${place}`);
    const {next} = JSON.parse(readFileSync(join(desk.folder, 'out/b.summary.json'), 'utf8')) as {
      next: string;
    };
    assert.ok(next.includes(`--state-dir ${state}`), next);
    await desk.batch(`report b --html ${place}`);
    const page = readFileSync(join(desk.folder, 'out/b.report.html'), 'utf8');
    assert.match(page, new RegExp(`--state-dir ${state}`));
    assert.doesNotMatch(page, /--(?:state-dir|out) \.\./);
  });

  it('include the folder of the results, also for the file as another batch', async () => {
    const out = join(desk.folder, 'out');
    await desk.batch('run ./p.csv --batch-id b --yes --stage-only --out ./out');
    await desk.batch('cancel b --yes --out ./out');
    const refused = await desk.batch('run b --yes');
    assert.equal(refused.exitCode, 11, refused.stderr);
    assert.match(refused.stderr, new RegExp(`batch run \\S+ --batch-id b-2 --out ${out}`));
  });

  it('report writes the results where the last run wrote them', async () => {
    await desk.batch('run ./p.csv --batch-id b --yes --out ./out');
    const ran = await desk.batch('report b');
    assert.match(ran.stdout, new RegExp(`Results +${join(desk.folder, 'out')}`));
    assert.equal(existsSync(join(desk.folder, 'b.results.csv')), false);
  });
});
