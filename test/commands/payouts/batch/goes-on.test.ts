import assert from 'node:assert/strict';
import {FormerDesk} from './former-desk.ts';

const HOUR = 3_600_000;

let desk: FormerDesk;
beforeEach(() => (desk = FormerDesk.withTwoRows()));
afterEach(() => desk.close());

describe('a cancel that the service does not carry out', () => {
  const answers = [
    ['404 without a route', {status: 404, body: {error_code: 'NOT_FOUND', message: 'no route'}}],
    ['400', {status: 400, body: {error_code: 'VALIDATION_ERROR', message: 'too late'}}],
    ['405', {status: 405, body: {}}],
  ] as const;
  for (const [name, answer] of answers)
    it(`says so on every screen and ends with 8, after a ${name}`, async () => {
      await desk.go('run ./p.csv --batch-id b --stage-only --yes');
      desk.service.fault = ({path}) => (path.endsWith('/cancel') ? answer : undefined);
      const ran = await desk.go('cancel b --yes');
      assert.equal(ran.exit, 8);
      const reason = new RegExp(`being canceled, and 2 rows are not canceled: row 1 .*: ${answer.status}`);
      assert.match(String(ran.stopped_because?.message), reason);
      for (const line of ['status b', 'report b']) {
        const shown = await desk.batch(line);
        assert.equal(shown.exitCode, 8, line);
        if (line === 'status b') assert.match(shown.stdout, reason);
      }
      const {next} = await desk.go('cancel b --yes');
      const first = desk.recordsOf('A-1')[0]!.id;
      assert.equal(next, `remit payouts get ${first} && remit payouts batch cancel b`, 'not alone');
      desk.answer();
      assert.equal((await desk.go('cancel b --yes')).state, 'canceled');
    });

  it('stops in time if each cancel is answered with 429, although the records can be read', async () => {
    await desk.go('run ./p.csv --batch-id b --stage-only --yes');
    desk.service.fault = ({path}) => (path.endsWith('/cancel') ? '429' : undefined);
    const before = desk.clock.now();
    const {stopped_because: stop, exit} = await desk.go('cancel b --yes');
    assert.equal(stop?.message, 'the service has answered only 429 to each POST for 900 s');
    assert.equal(exit, 7);
    assert.ok(desk.clock.now() - before < HOUR / 2);
  });
});

it('a cancel says which rows it asks for once more', async () => {
  let isFirst = true;
  desk.service.fault = ({method}) => {
    if (method !== 'POST' || !isFirst) return undefined;
    isFirst = false;
    return {status: 302, headers: {location: 'http://127.0.0.1/'}};
  };
  await desk.go('run ./p.csv --batch-id b --yes');
  const ran = await desk.batch('cancel b --yes');
  assert.match(ran.stderr, /1 row may have been sent: asked for once more, without approval, and canceled/);
  assert.match(ran.stderr, /1 row not sent: will not be sent/);
});

describe('an approval that was lost', () => {
  it('stays one after a retry that comes too late for its key', async () => {
    await desk.go('run ./p.csv --batch-id b --yes');
    for (const record of desk.service.byId.values()) record.status = 'created';
    await desk.batch('status b --refresh');
    desk.clock.advance(25 * HOUR);
    const ran = await desk.batch('retry b --yes');
    assert.match(ran.stderr, /only an approval by its id releases it/);
    const {unapproved, staged, next} = await desk.go('status b');
    assert.deepEqual([unapproved, staged, next], [2, 0, 'remit payouts batch cancel b']);
    assert.match(
      (await desk.batch('status b --row A-1')).stdout,
      /had been approved, and is now shown as created/,
    );
  });

  it('is approved again by its id where the profile allows that', async () => {
    await desk.profile('acme');
    await desk.go('run ./p.csv --batch-id b --yes -p acme');
    for (const record of desk.service.byId.values()) record.status = 'created';
    await desk.batch('status b --refresh -p acme');
    desk.clock.advance(25 * HOUR);
    const {next} = await desk.go('retry b --yes -p acme');
    assert.equal(next, 'remit profiles set acme --approve-by-id && remit payouts batch retry b -p acme');
  });
});

it('a held row whose record agrees when it is read again is released', async () => {
  desk.service.distort = (shown, {method}) => (method === 'POST' ? {...shown, currency_code: 'CAD'} : shown);
  assert.equal((await desk.go('run ./p.csv --batch-id b --yes')).held, 2);
  desk.service.distort = (shown) => shown;
  const {accepted, next} = await desk.go('run b --yes');
  assert.deepEqual([accepted, next], [2, null]);
  desk.paysOnce('A-1');
  desk.paysOnce('A-2');
});

describe('a cancel, beside what is left to a person', () => {
  it('that the service refuses does not hide that a row has to be resolved', async () => {
    desk.service.fault = ({method, body}) =>
      method === 'POST' && body.includes('"A-2"') ? 'lost-after' : undefined;
    await desk.go('run ./p.csv --batch-id b --stage-only --yes --max-wait 5s');
    desk.clock.advance(25 * HOUR);
    desk.service.fault = ({path}) =>
      path.endsWith('/cancel') ? {status: 400, body: {error_code: 'X'}} : undefined;
    await desk.go('cancel b --yes');
    assert.equal((await desk.go('cancel b --yes')).next, 'remit payouts batch resolve b --from FILE');
  });

  it('says why it ended if only rows in doubt are left', async () => {
    await desk.go('run ./p.csv --batch-id b --stage-only --yes');
    desk.service.fault = ({method}) => (method === 'GET' ? {status: 200, body: {odd: true}} : undefined);
    const {stopped_because: stop} = await desk.go('cancel b --yes --max-wait 5s');
    assert.notEqual(stop, null);
  });
});

describe('a payment that is shown as created, and of which no key is known', () => {
  it('is approved by its id, as its next command says', async () => {
    desk.close();
    desk = await FormerDesk.open();
    await desk.profile('acme');
    await desk.stageB();
    desk.former.status = 'settled';
    await desk.go('release b --yes -p acme');
    desk.former.status = 'created';
    const {next} = await desk.go('status b --refresh -p acme');
    assert.match(String(next), /profiles set acme --approve-by-id && remit payouts batch retry b/);
  });
});
