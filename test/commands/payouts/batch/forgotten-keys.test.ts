import assert from 'node:assert/strict';
import type {Summary} from '../../../../src/batch/standing/summary.ts';
import {Desk} from './desk.ts';

describe('payouts batch, after the service has forgotten the keys', () => {
  let desk: Desk;
  beforeEach(() => (desk = Desk.withTwoRows()));
  afterEach(() => desk.close());

  it('without a profile, a release names the commands that approve the records by their ids', async () => {
    await desk.batch('run ./p.csv --batch-id b --stage-only --yes');
    desk.service.forgetKeys();
    const ran = await desk.batch('release b --yes');
    assert.equal(ran.exitCode, 6, ran.stderr);
    assert.match(ran.stdout, /^Next +remit payouts batch cancel b$/m);
    const printed =
      /to approve the records by their ids, add a profile with the same key: (remit profiles add NAME .*--approve-by-id); then: (.*)$/m;
    const [, added, then] = printed.exec(ran.stderr)!;
    assert.match(added!, /--base-url \S+ --approve-by-id$/);
    assert.equal(then, 'remit payouts batch resume b --profile NAME');
    const env = await desk.profile('acme', '--approve-by-id');
    const approved = await desk.batch('resume b --profile acme --yes --json', {env});
    assert.equal(approved.exitCode, 0, approved.stderr);
    assert.deepEqual([(approved.json() as Summary).accepted, desk.service.paid.length], [2, 2]);
  });
});
