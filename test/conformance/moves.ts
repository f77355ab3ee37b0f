import assert from 'node:assert/strict';
import {hasForms, isCurrency, isText, isTime, isUuid, isWhole, oneOf, type Form} from './forms.ts';
import {UNKNOWN_ID, expect, refused, type Answer, type Service} from './service.ts';
import {verify} from './suite.ts';

const DESCRIPTION = 'Miete – "März" <&> 𝒳';

/** A move between two subaccounts, with money to carry it out. */
export async function makeMove(at: Service, body: object = {}): Promise<Answer> {
  const source_subaccount_id = await at.fundedSubaccount();
  const destination_subaccount_id = await at.subaccount();
  return expect(
    201,
    at.post('/api/subaccounts/move', {
      source_subaccount_id,
      destination_subaccount_id,
      amount_in_minor_units: 700,
      currency_code: 'USD',
      ...body,
    }),
  );
}

export const approveMove = (at: Service, id: string): Promise<Answer> =>
  at.post(`/api/subaccounts/move/${id}/approve`);

const FORMS: Readonly<Record<string, Form>> = {
  id: isUuid,
  source_subaccount_id: isUuid,
  destination_subaccount_id: isUuid,
  amount_in_minor_units: isWhole,
  currency_code: isCurrency,
  status: oneOf('CREATED', 'SETTLED'),
  created_at: isTime,
  settled_at: isTime,
};

export function moves(): void {
  verify('move.envelope', async (at) => {
    const made = await makeMove(at);
    assert.equal(made.body.id, undefined);
    isUuid(made.body.data.id);
    isUuid((await approveMove(at, made.body.data.id as string)).body.data.id);
  });
  verify('move.warning', 'sandbox', async (at) => {
    const plain = await makeMove(at);
    assert.ok(!('warning' in (await expect(201, approveMove(at, plain.body.data.id as string))).body));
    const odd = await makeMove(at, {description: 'move_207'});
    isText((await expect(207, approveMove(at, odd.body.data.id as string))).body.warning);
  });
  for (const [field, form] of Object.entries(FORMS))
    verify(`move.${field}`, async (at) => {
      const {id} = (await makeMove(at)).body.data as {id: string};
      hasForms((await expect(201, approveMove(at, id))).body.data as Record<string, unknown>, {
        [field]: form,
      });
    });
  verify('move.description', async (at) => {
    const {body} = await makeMove(at, {description: DESCRIPTION});
    assert.equal(body.data.description, DESCRIPTION);
    assert.equal((await approveMove(at, body.data.id as string)).body.data.description, DESCRIPTION);
  });

  verify('moveState.approve', async (at) => {
    const {body} = await makeMove(at);
    const {id, source_subaccount_id, destination_subaccount_id, status} = body.data as Record<string, string>;
    assert.equal(status, 'CREATED');
    assert.equal((await expect(201, approveMove(at, id!))).body.data.status, 'SETTLED');
    assert.deepEqual(
      [await at.balanceOf(source_subaccount_id!), await at.balanceOf(destination_subaccount_id!)],
      [4300, 700],
    );
  });
  verify('moveState.recoverable', 'sandbox', async (at) => {
    const {body} = await makeMove(at, {description: 'please move_207'});
    const answer = await expect(207, approveMove(at, body.data.id as string));
    isText(answer.body.warning);
    oneOf('CREATED', 'SETTLED')(answer.body.data.status);
  });
  verify('moveState.again', async (at) => {
    const {body} = await makeMove(at);
    await expect(201, approveMove(at, body.data.id as string));
    assert.equal((await approveMove(at, body.data.id as string)).status, 400);
  });

  verify('route.approveMove', async (at) => {
    const {body} = await makeMove(at);
    await expect(201, at.call('POST', `/api/subaccounts/move/${body.data.id}/approve`, {text: '{}'}));
  });
  verify('route.approveMoveBody', async (at) => {
    const {body} = await makeMove(at);
    const path = `/api/subaccounts/move/${body.data.id}/approve`;
    await refused(400, 'VALIDATION_ERROR', at.post(path, {amount: 1}));
    await refused(400, 'VALIDATION_ERROR', at.post(path, []));
    await expect(201, at.post(path, {}));
  });
  verify('route.approveMoveErrors', async (at) => {
    const {body} = await makeMove(at);
    await expect(201, approveMove(at, body.data.id as string));
    assert.equal((await approveMove(at, body.data.id as string)).status, 400);
    assert.equal((await approveMove(at, UNKNOWN_ID)).status, 404);
  });

  verify('assumed.7', async (at) => {
    const {body} = await makeMove(at);
    assert.deepEqual((await expect(200, at.get(`/api/subaccounts/move/${body.data.id}`))).body, body);
    const list = await expect(200, at.get('/api/subaccounts/move?limit=1'));
    assert.equal(list.body.data[0].id, body.data.id);
  });
  verify('assumed.8', 'sandbox', async (at) => {
    const {body} = await makeMove(at, {description: 'move_207'});
    const id = body.data.id as string;
    assert.equal((await expect(207, approveMove(at, id))).body.data.status, 'CREATED');
    assert.equal((await expect(201, approveMove(at, id))).body.data.status, 'SETTLED');
  });
  verify('assumed.9', async (at) => {
    const {body} = await makeMove(at);
    await expect(201, approveMove(at, body.data.id as string));
    await refused(400, 'VALIDATION_ERROR', approveMove(at, body.data.id as string));
    await refused(404, 'NOT_FOUND', approveMove(at, UNKNOWN_ID));
  });
}
