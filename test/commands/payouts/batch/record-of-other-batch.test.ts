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

  it('is held, and the printed commands pay each row once', async () => {
    const first = await run();
    assert.deepEqual([first.conflict, first.held, first.exit], [0, 1, 8]);
    const released = await desk.go('release b --accept differences --accept duplicates=1 --yes');
    assert.match(String(released.stopped_because?.message), /the first belongs to another payment/);
    let {next} = released;
    for (let steps = 0; next !== null && steps < 4; steps++) {
      assert.doesNotMatch(next, /cancel|differences/);
      next = await follow(next);
    }
    assert.equal(next, null);
    paysOnceEach();
  });

  it('is a conflict if it comes back to a request that is repeated', async () => {
    let isFirst = true;
    desk.service.fault = ({method, body}) => {
      if (method !== 'POST' || !body.includes('"A-1"') || !isFirst) return undefined;
      isFirst = false;
      return 'lost-after';
    };
    swaps = 2; // of the lost answer too
    const {conflict, stopped_because: stop, next} = await run();
    assert.equal(conflict, 1);
    assert.match(
      String(stop?.message),
      /came back, which is already the record of row N-1 of batch n; a record pays one row/,
    );
    assert.equal(next, 'remit payouts batch release b --accept rest'); // of the other row; then a retry by name
    let after: string | null = next;
    for (let steps = 0; after !== null && steps < 5; steps++) after = await follow(after);
    assert.equal(after, null);
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

  it('ends in a command that shows the record, if it comes back again to a request that is repeated', async () => {
    let isFirst = true;
    desk.service.fault = ({method, body}) => {
      if (method !== 'POST' || !body.includes('"A-1"') || !isFirst) return undefined;
      isFirst = false;
      return 'lost-after';
    };
    swaps = 9;
    let {next} = await run();
    for (let steps = 0; next !== null && steps < 5 && / batch /.test(next); steps++)
      next = await follow(next);
    assert.equal(next, `remit payouts get ${desk.recordsOf('N-1')[0]!.id}`);
    assert.equal(desk.recordsOf('N-1')[0]!.approvals, 0);
  });
});
