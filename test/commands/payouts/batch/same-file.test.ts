import assert from 'node:assert/strict';
import {readdirSync} from 'node:fs';
import {join} from 'node:path';
import {stateDir} from '../../../../src/profiles/folders.ts';
import {Desk} from './desk.ts';

const STATED = '--confirm-total USD=30.00 --confirm-count 2';

describe('payouts batch run, with a file that was run before', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  const batches = () =>
    readdirSync(join(stateDir({HOME: desk.folder}, desk.folder), 'batches/payout'), {withFileTypes: true})
      .filter((entry) => entry.isDirectory())
      .map(({name}) => name);
  const typed = (stderr: string) => /remit payouts batch (.*)$/m.exec(stderr)![1]!;

  it('in the other mode: the hint pays it there as a batch of its own, and leaves the test batch alone', async () => {
    await desk.batch('run ./p.csv --stage-only --yes');
    const refused = await desk.batch(`run ./p.csv --live --yes ${STATED}`, {live: true});
    assert.equal(refused.exitCode, 11);
    assert.match(
      refused.stderr,
      /bound to another mode.*\n.*to pay this file in live mode, give it a batch id/,
    );
    const [batch] = batches();
    const command = typed(refused.stderr);
    assert.ok(command.includes(`--live --yes ${STATED} --batch-id ${batch}-2`), command);
    assert.equal(desk.service.paid.length, 0);
    const ran = await desk.batch(command, {live: true});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.equal(desk.service.paid.length, 2);
  });

  it('in the other mode, named by its id: the hint has the profile of the batch, and no --live', async () => {
    const test = await desk.profile('tests');
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes -p tests', {env: test});
    const refused = await desk.batch('release b --live --yes', {live: true});
    assert.match(refused.stderr, /last run with: remit payouts batch release b --yes -p tests$/m);
    assert.equal((await desk.batch(typed(refused.stderr), {env: test})).exitCode, 0);
  });

  it('under another id, not finished: names that batch and its next command, and plans nothing', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    const sent = desk.service.posts;
    const refused = await desk.batch('run ./p.csv --yes');
    assert.equal(refused.exitCode, 11, refused.stderr);
    assert.match(refused.stderr, /batch b of this file is not finished; nothing was sent/);
    assert.deepEqual([batches(), desk.service.posts], [['b'], sent]);
    assert.equal(typed(refused.stderr), 'release b');
    assert.equal((await desk.batch('release b --yes')).exitCode, 0);
    assert.equal(desk.service.paid.length, 2);
    const again = await desk.batch('run ./p.csv --yes');
    assert.equal(again.exitCode, 0, again.stderr);
    assert.match(again.stdout, /2 paid by another batch/);
    assert.equal(desk.service.paid.length, 2);
  });

  it('in the other mode, where it is not finished under another id: names that batch, and suggests no third one', async () => {
    await desk.batch('run ./p.csv --stage-only --yes');
    const live = `run ./p.csv --live --yes ${STATED}`;
    const [batch] = batches();
    await desk.batch(`${live} --stage-only --batch-id b`, {live: true});
    const refused = await desk.batch(live, {live: true});
    assert.equal(refused.exitCode, 11, refused.stderr);
    assert.match(refused.stderr, /batch b of this file is not finished; nothing was sent/);
    assert.equal(typed(refused.stderr), 'release b --live');
    assert.deepEqual(batches().sort(), ['b', batch]);
  });

  it('under another id, not finished, in the other mode: ignores that batch', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    const ran = await desk.batch(`run ./p.csv --live --yes ${STATED}`, {live: true});
    assert.equal(ran.exitCode, 0, ran.stderr);
  });
});
