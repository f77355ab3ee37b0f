import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {runCli} from '../../cli/run-cli.ts';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID, PAYER_ID} from '../fixtures.ts';

const record = {
  ...{id: PAYEE_ID, name: 'Acme', email: 'a@example.com', type: 'business'},
  metadata: {account: '4711', region: 'north'},
};
const UPDATE = ['payees', 'update', PAYEE_ID];
const CHANGES = ['--name', 'Acme', '--metadata', 'region=north', '--metadata', 'account=4711'];
const answers =
  (body: unknown): Script =>
  () =>
    answer(200, body);

describe('payees update and payers update', () => {
  it('send only what was typed, and print the record', async () => {
    const ran = await runCli([...UPDATE, '--email', 'a@example.com', '--json'], {service: answers(record)});
    assert.equal(ran.exitCode, 0, ran.stderr);
    assert.deepEqual(
      ran.requests.map(({method, path, body}) => [method, path, body]),
      [['PATCH', `/api/payees/${PAYEE_ID}`, '{"email":"a@example.com"}']],
    );
    assert.deepEqual(ran.json(), record);
    const payer = await runCli(['payers', 'update', PAYER_ID, '--type', 'individual', '--json'], {
      service: answers({...record, id: PAYER_ID, type: 'individual'}),
    });
    assert.deepEqual(
      payer.requests.map(({path, body}) => [path, body]),
      [[`/api/payers/${PAYER_ID}`, '{"type":"individual"}']],
    );
  });

  it('take metadata in any order of keys for the same', async () => {
    const ran = await runCli([...UPDATE, ...CHANGES, '--json'], {service: answers(record)});
    assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
  });

  it('keep the reference of an import when metadata is replaced', async () => {
    const imported = {...record, metadata: {remit_reference: 'S-1', old: 'x'}};
    const service: Script = (request) =>
      answer(
        200,
        request.method === 'GET'
          ? imported
          : {...record, metadata: {...record.metadata, remit_reference: 'S-1'}},
      );
    const ran = await runCli([...UPDATE, ...CHANGES, '--json'], {service});
    assert.deepEqual([ran.exitCode, ran.stderr], [0, '']);
    const sent = ran.requests
      .filter(({method}) => method === 'PATCH')
      .map(({body}) => JSON.parse(body!) as unknown);
    assert.deepEqual(sent, [{name: 'Acme', metadata: {...record.metadata, remit_reference: 'S-1'}}]);
    const replaced = await runCli([...UPDATE, '--metadata', 'remit_reference=S-2', '--json'], {
      service: () => answer(200, {...record, metadata: {remit_reference: 'S-2'}}),
    });
    assert.equal(replaced.requests.length, 1);
  });

  for (const [field, value] of [
    ['name', 'Acme Inc'],
    ['metadata', {account: '4711', region: 'south'}],
    ['metadata', {account: '4711', region: 'north', old: 'kept'}],
  ] as const)
    it(`exit with 8 if the record shows another ${field} afterwards: ${JSON.stringify(value)}`, async () => {
      const ran = await runCli([...UPDATE, ...CHANGES, '--json'], {
        service: answers({...record, [field]: value}),
      });
      assert.equal(ran.exitCode, 8);
      assert.match(ran.stderr, new RegExp(`payee ${PAYEE_ID} is not as requested: ${field}`));
      assert.match(ran.stderr, new RegExp(`^Hint: remit payees get ${PAYEE_ID}$`, 'm'));
    });

  it('refuse a command without a change, and a name without a terminal', async () => {
    const none = await runCli([...UPDATE, '--json'], {service: answers(record)});
    assert.equal(none.exitCode, 2);
    assert.match(none.error().message, /nothing to change: use --name, --email, --type or --metadata/);
    const named = await runCli(['payees', 'update', 'Acme', '--name', 'B'], {service: answers(record)});
    assert.equal(named.exitCode, 2);
    assert.match(named.stderr, /is not the id of a payee/);
    assert.deepEqual([...none.requests, ...named.requests], []);
  });

  it('are in doubt after a lost answer, and name the command that shows the record', async () => {
    const ran = await runCli([...UPDATE, '--name', 'B', '--json'], {
      service: [answer(200, {success: false, message: 'declined'})],
    });
    assert.equal(ran.exitCode, 12);
    assert.match(ran.error().hint ?? '', new RegExp(`remit payees get ${PAYEE_ID}`));
  });
});
