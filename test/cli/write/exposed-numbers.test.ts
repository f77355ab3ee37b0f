import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {answer, type Script} from '../../client/transport/fake-transport.ts';
import {PAYEE_ID, PAYOUT_ID} from '../../commands/fixtures.ts';
import {runCli} from '../run-cli.ts';

const CARD = '4111 1111 1111 1111';
const warned = async (...argv: string[]) => {
  const service: Script = ({body}) => {
    const asked: Record<string, unknown> = JSON.parse(body ?? '{}');
    return answer(201, {...asked, client_metadata: asked['metadata'], id: PAYOUT_ID, status: 'created'});
  };
  const {exitCode, stderr} = await runCli(argv, {service});
  assert.equal(exitCode, 0, stderr);
  return stderr.split('\n').filter((line) => line.includes('seems to contain'));
};

describe('a card or account number in free text', () => {
  const create = ['payouts', 'create', '--payee', PAYEE_ID, '--amount-minor', '5'];

  it('causes a warning that shows only its end', async () => {
    const warning = (name: string) =>
      new RegExp(`^Warning: ${name} seems to contain a card or account number \\(…1111\\)`);
    const [metadata, ...others] = await warned(...create, '--metadata', `note=card ${CARD}`);
    assert.match(metadata!, warning('metadata note'));
    assert.deepEqual(others, []);
    const move = ['moves', 'create', '--source', PAYEE_ID, '--destination', PAYOUT_ID];
    const [description] = await warned(
      ...move,
      '--amount-minor',
      '5',
      '--currency',
      'USD',
      '--description',
      CARD,
    );
    assert.match(description!, warning('description'));
    const [name] = await warned('payees', 'create', '--name', `Ada ${CARD}`);
    assert.match(name!, warning('name'));
  });

  it('is not found in other numbers', async () => {
    assert.deepEqual(await warned(...create, '--metadata', 'invoice=20261122000017'), []);
  });
});
