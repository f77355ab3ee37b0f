import assert from 'node:assert/strict';
import {FormerDesk, typed} from './former-desk.ts';

/** Another batch, in another namespace, has staged the same payments under other references. */
describe('a create that is answered with the record of another batch', () => {
  let desk: FormerDesk;
  let swaps: number;
  beforeEach(async () => {
    desk = new FormerDesk();
    swaps = 1;
    desk.file('n.csv', [
      ['N-1', 1, '10.00'],
      ['N-2', 2, '20.00'],
    ]);
    desk.file('p.csv', [
      ['A-1', 1, '10.00'],
      ['A-2', 2, '20.00'],
    ]);
    await desk.go('run ./n.csv --batch-id n --namespace other --stage-only --yes');
    const [record] = desk.recordsOf('N-1');
    desk.service.distort = (shown, {body}) =>
      body.includes('"A-1"') && swaps-- > 0
        ? {...shown, id: record!.id, client_metadata: {remit_reference: 'N-1'}}
        : shown;
  });
  afterEach(() => desk.close());

  const run = () => desk.go('run ./p.csv --batch-id b --accept duplicates=2 --yes');
  /** Types a printed command, and the one that its refusal names: the payments look like those of the other batch. */
  const follow = async (next: string) => {
    const line = `${typed(next)} --yes`;
    const ran = await desk.batch(line);
    const accepted = ran.exitCode === 11 ? /--accept duplicates=\d/.exec(ran.stderr)![0] : '';
    return (accepted === '' ? await desk.go('status b') : await desk.go(`${line} ${accepted}`)).next;
  };
  const paysOnceEach = () => {
    desk.paysOnce('A-1');
    desk.paysOnce('A-2');
    assert.deepEqual(
      desk.recordsOf('N-1').map(({status}) => status),
      ['created'],
      'the record of the other batch is not touched',
    );
  };

  it('is a conflict that names its row, and the printed commands pay each row once', async () => {
    const first = await run();
    const [record] = desk.recordsOf('N-1');
    assert.deepEqual([first.conflict, first.held, first.exit], [1, 0, 6]);
    assert.match(
      first.stopped_because!.message,
      new RegExp(
        `${record!.id} came back, which is already the record of row N-1 of batch n; a record pays one row`,
      ),
    );
    let {next} = first;
    for (let steps = 0; next !== null && steps < 4; steps++) {
      assert.doesNotMatch(next, /cancel|differences/);
      next = await follow(next);
    }
    assert.equal(next, null);
    paysOnceEach();
  });

  it('is not paid by a release that accepts differences', async () => {
    await run();
    await desk.batch('release b --accept differences,rest --yes');
    assert.equal(desk.recordsOf('N-1')[0]!.approvals, 0);
    assert.equal(desk.recordsOf('A-1')[0]?.approvals ?? 0, 0);
  });

  it('is held as before if no batch has that reference', async () => {
    desk.service.distort = (shown, {body}) =>
      body.includes('"A-1"') ? {...shown, client_metadata: {remit_reference: 'CUT'}} : shown;
    const {held, conflict, exit} = await run();
    assert.deepEqual([held, conflict, exit], [1, 0, 8]);
  });

  it('ends in a command that shows the record, if it comes back again and again', async () => {
    swaps = Infinity;
    let {next} = await run();
    for (let steps = 0; next !== null && steps < 4 && / batch /.test(next); steps++)
      next = await follow(next);
    assert.equal(next, `remit payouts get ${desk.recordsOf('N-1')[0]!.id}`);
    assert.equal(desk.recordsOf('N-1')[0]!.approvals, 0);
  });
});
