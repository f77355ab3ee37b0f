import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {RemitClient} from '../../src/client/client.ts';
import type {EarlierRequest} from '../../src/client/requests/resource.ts';
import {RemitError} from '../../src/errors.ts';
import {METHOD_ID, PAYEE_ID, PAYOUT_ID, payout} from '../commands/fixtures.ts';
import {RecordingClock} from './recording-clock.ts';
import {answer, FakeTransport, lost, type Reply, type Script} from './transport/fake-transport.ts';

const BODY = {payee_id: PAYEE_ID, amount_in_minor_units: 12_500, currency_code: 'USD', auto_approve: true};
const created = payout({status: 'created'});
const approved = payout({status: 'approved'});
const OTHER_ID = METHOD_ID;
const foreign = {...approved, id: OTHER_ID, payee_id: METHOD_ID};
const twin = {...approved, id: OTHER_ID};

function setUp(script: readonly Reply[] | Script, options: object = {}) {
  const transport = new FakeTransport(script);
  const client = new RemitClient({
    ...{baseUrl: 'https://api.example.com', key: 'test_abcdefghijklmnop', transport, random: () => 0},
    clock: new RecordingClock(),
  });
  const methods = () => transport.requests.map(({method}) => method).join(' ');
  const result = client.call('payouts.create', {body: BODY, options: {idempotencyKey: 'k-1', ...options}});
  const error = async (): Promise<RemitError> => {
    const thrown: unknown = await result.then(
      () => assert.fail('it did not fail'),
      (reason: unknown) => reason,
    );
    assert.ok(thrown instanceof RemitError, String(thrown));
    return thrown;
  };
  return {result, error, methods};
}

describe('an approval that is answered with another record', () => {
  for (const [title, read] of [
    ['cannot be read', answer(404)],
    ['is still created', answer(200, created)],
    ['has an unknown status', answer(200, payout({status: 'in_review'}))],
    ['is another payment by now', answer(200, {...approved, payee_id: METHOD_ID})],
  ] as const)
    it(`of another payment is in doubt if the known record ${title}, and names both`, async () => {
      const {error, methods} = setUp([answer(201, created), answer(201, foreign), read]);
      const {code, message, details} = await error();
      assert.deepEqual([code, details?.['id'], methods()], ['IN_DOUBT', PAYOUT_ID, 'POST POST GET']);
      assert.equal(details?.['may_have_taken_effect'], true);
      assert.match(message, new RegExp(`Payout ${PAYOUT_ID} exists.*${OTHER_ID}`, 'i'));
      assert.doesNotMatch(message, /new key/);
    });

  it('of another payment succeeds in part if the known record is approved', async () => {
    const {result, methods} = setUp([answer(201, created), answer(201, foreign), answer(200, approved)]);
    const {data, isPartial, warning} = await result;
    assert.deepEqual([data, isPartial, methods()], [approved, true, 'POST POST GET']);
    assert.match(
      warning ?? '',
      new RegExp(`another payout, ${OTHER_ID}.*payee_id.*${PAYOUT_ID} is approved`),
    );
  });

  it('with the same id is read as well', async () => {
    const other = {...approved, amount_in_minor_units: 1};
    const {error, methods} = setUp([answer(201, created), answer(201, other), answer(200, created)]);
    assert.equal((await error()).code, 'IN_DOUBT');
    assert.equal(methods(), 'POST POST GET');
  });

  it('with another id only warns that the known record was not approved after it was read', async () => {
    const {result} = setUp([answer(201, created), answer(201, twin), answer(200, created)]);
    const {data, warning, isPartial} = await result;
    assert.deepEqual([data, isPartial], [twin, true]);
    assert.match(warning ?? '', new RegExp(`Payout ${PAYOUT_ID} exists too and was not approved: cancel it`));
  });

  it('with another id warns of two payments if the known record is approved too', async () => {
    const {result} = setUp([answer(201, created), answer(201, twin), answer(200, approved)]);
    assert.match((await result).warning ?? '', /Both are approved: check whether the payout was paid twice/);
  });

  it('with another id that waits for approval is about the known record', async () => {
    const waiting = answer(201, {...created, id: OTHER_ID});
    for (const [own, state] of [
      [created, 'was not approved'],
      [approved, 'is approved'],
    ] as const) {
      const {result} = setUp([answer(201, created), waiting, answer(200, own)]);
      const {data, warning, isPartial} = await result;
      assert.deepEqual([data, isPartial], [own, true]);
      assert.match(
        warning ?? '',
        new RegExp(`${OTHER_ID}.*Payout ${PAYOUT_ID} ${state}. Check the other one`),
      );
    }
  });

  it('with another id is in doubt if the known record cannot be read', async () => {
    const {error} = setUp([answer(201, created), answer(201, twin), answer(404)]);
    const {code, details} = await error();
    assert.deepEqual([code, details?.['id']], ['IN_DOUBT', PAYOUT_ID]);
  });
});

describe('a read after a lost approval', () => {
  for (const [title, changed] of [
    ['another payee', {payee_id: METHOD_ID}],
    ['another amount', {amount_in_minor_units: 999}],
  ] as const)
    it(`that shows ${title} leaves the payment in doubt`, async () => {
      const {error, methods} = setUp([answer(201, created), lost(), answer(200, {...approved, ...changed})]);
      const {code, message, details} = await error();
      assert.deepEqual([code, details?.['id'], methods()], ['IN_DOUBT', PAYOUT_ID, 'POST POST GET']);
      assert.match(message, /lost. Read again, it differs: /);
    });

  it('that is interrupted leaves the payment in doubt', async () => {
    const stop = new AbortController();
    const script: Script = ({method, body}) => {
      if (method === 'GET') {
        stop.abort();
        throw lost('aborted', {sent: true});
      }
      return body?.includes('"auto_approve":false') === true ? answer(201, created) : lost();
    };
    const {error} = setUp(script, {signal: stop.signal});
    const {code, message, details} = await error();
    assert.deepEqual([code, details?.['id']], ['INTERRUPTED', PAYOUT_ID]);
    assert.deepEqual([details?.['status'], details?.['may_have_taken_effect']], [null, true]);
    assert.match(message, /whether it was approved is not known/);
  });
});

describe('a key of this call', () => {
  it('that is answered with another payment may have paid', async () => {
    const {error} = setUp([answer(201, foreign)], {isFreshKey: true});
    const {code, details} = await error();
    assert.deepEqual([code, details?.['may_have_taken_effect']], ['KEY_REUSED', true]);
  });
});

describe('a key with an earlier request in doubt', () => {
  const earlier = (changes: Partial<EarlierRequest>) => ({
    earlier: {recordId: null, secondId: null, mayBeApproved: false, ...changes},
  });

  it('releases a new record if no approval was sent before', async () => {
    const {result, methods} = setUp([answer(201, created), answer(201, approved)], earlier({}));
    assert.equal((await result).status, 201);
    assert.equal(methods(), 'POST POST');
  });

  const missing = answer(404, {error_code: 'NOT_FOUND', message: 'no'});
  const known = {recordId: OTHER_ID, mayBeApproved: true};
  const again = {mayBeApproved: true, secondId: PAYOUT_ID};
  for (const [title, sent, script, before] of [
    ['a new one', 'POST', [answer(201, created)], {mayBeApproved: true}],
    ['the new one again', 'GET POST', [answer(200, created), answer(200, created)], again],
    ['another one than the known', 'GET POST', [missing, answer(201, created)], known],
    ['another one than the known, replayed', 'GET POST', [missing, answer(200, created)], known],
  ] as const)
    it(`never releases ${title}: it may be the second payment`, async () => {
      const {error, methods} = setUp(script, earlier(before));
      const {code, message, details} = await error();
      assert.deepEqual([code, methods()], ['IN_DOUBT', sent]);
      const first = 'recordId' in before ? before.recordId : null;
      assert.deepEqual([details?.['id'], details?.['second_id']], [first, PAYOUT_ID]);
      assert.match(message, new RegExp(`${PAYOUT_ID} .* was not approved.*may have paid`));
      if (first !== null) assert.ok(message.includes(first));
    });

  it('is in doubt with the known record if it is answered with another payment', async () => {
    const script = [answer(200, created), answer(200, foreign)];
    const {error, methods} = setUp(script, earlier({recordId: PAYOUT_ID}));
    const {code, message, details} = await error();
    assert.equal(methods(), 'GET POST');
    assert.deepEqual([code, details?.['id']], ['IN_DOUBT', PAYOUT_ID]);
    assert.match(message, new RegExp(`${PAYOUT_ID} exists.*${OTHER_ID}`));
  });

  it('releases the known record', async () => {
    const script = [answer(200, created), answer(200, created), answer(201, approved)];
    const {result, methods} = setUp(script, earlier({recordId: PAYOUT_ID, mayBeApproved: true}));
    assert.deepEqual([(await result).data, methods()], [approved, 'GET POST POST']);
  });

  it('sends nothing if the known record is past its approval', async () => {
    const options = {...earlier({recordId: PAYOUT_ID}), mayApproveAtOnce: true};
    const settled = {...approved, status: 'settled'};
    const {result, methods} = setUp([answer(200, settled)], options);
    const {data, replayed} = await result;
    assert.deepEqual([data, replayed, methods()], [settled, true, 'GET']);
  });

  it('sends a record that is approved again, in case its initiation has failed', async () => {
    const options = {...earlier({recordId: PAYOUT_ID}), mayApproveAtOnce: true};
    const answers = [answer(200, approved), answer(200, approved), answer(201, approved)];
    const {result, methods} = setUp(answers, options);
    assert.deepEqual([(await result).data, methods()], [approved, 'GET POST POST']);
  });

  it('is in doubt with the known record if it is interrupted while that is read', async () => {
    const stop = new AbortController();
    const script: Script = () => {
      stop.abort();
      throw lost('aborted', {sent: true});
    };
    const {error, methods} = setUp(script, {...earlier({recordId: PAYOUT_ID}), signal: stop.signal});
    const {code, message, details} = await error();
    assert.deepEqual(
      [code, details?.['id'], details?.['may_have_taken_effect']],
      ['INTERRUPTED', PAYOUT_ID, true],
    );
    assert.match(message, new RegExp(`Payout ${PAYOUT_ID} exists; whether it was approved is not known`));
    assert.equal(methods(), 'GET');
  });

  it('takes two requests while the known record waits, whose key the service may have forgotten', async () => {
    const options = {...earlier({recordId: OTHER_ID}), mayApproveAtOnce: true};
    const waiting = {...created, id: OTHER_ID};
    const {error, methods} = setUp([answer(200, waiting), answer(201, created)], options);
    const {details} = await error();
    assert.deepEqual(
      [details?.['status'], details?.['second_id'], methods()],
      ['created', PAYOUT_ID, 'GET POST'],
    );
  });
});
