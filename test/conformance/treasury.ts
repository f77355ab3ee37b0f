import assert from 'node:assert/strict';
import {hasForms, isCurrency, isText, isTime, isUuid, isWhole, oneOf, orNull} from './forms.ts';
import {UNKNOWN_ID, expect, refused, type Answer, type Service} from './service.ts';
import {verify} from './suite.ts';

const PREFIX = '/api/treasury';
const STATUSES = ['created', 'approved', 'initiated', 'settled', 'failed'];

const credit = async (at: Service, body: object = {}): Promise<Answer> => {
  const [account] = await at.accounts();
  return at.post(`${PREFIX}/accounts/${account}/simulate-inbound-credit`, {
    amount_in_minor_units: 4200,
    ...body,
  });
};

/** The bank lines of an account, newest first. */
const lines = async (at: Service, account: string): Promise<Record<string, unknown>[]> => {
  const {body} = await expect(200, at.get(`${PREFIX}/accounts/${account}/transactions?limit=100`));
  return body.data as Record<string, unknown>[];
};

const approve = (at: Service, id: string): Promise<Answer> =>
  at.post(`${PREFIX}/account-transfers/${id}/approve`);

export function treasury(): void {
  accounts();
  transfers();
  routes();
  assumptions();
}

function accounts(): void {
  verify('service.treasuryProvisioned', async (at) => {
    const {status} = await at.post(`${PREFIX}/accounts`, {label: 'Mine', currency_code: 'USD'});
    assert.ok(status === 404 || status === 405, String(status));
  });
  verify('service.treasuryReads', async (at) => {
    const [account] = await at.accounts();
    await expect(200, at.get(`${PREFIX}/accounts/${account}/balance`));
    await expect(200, at.get(`${PREFIX}/accounts/${account}/transactions`));
  });
  verify('service.ownAccountsOnly', 'live', async (at) => {
    const [foreign] = await at.accounts({key: at.liveKey});
    for (const field of ['source_account_id', 'destination_account_id'])
      await refused(404, 'NOT_FOUND', at.accountTransfer({[field]: foreign}));
  });
  verify('service.liveIngestion', 'live', async (at) => {
    const [account] = await at.accounts({key: at.liveKey});
    const path = `${PREFIX}/accounts/${account}/simulate-inbound-credit`;
    const {status} = await at.post(path, {amount_in_minor_units: 1}, {key: at.liveKey});
    assert.ok(status === 400 || status === 403, String(status));
  });
  verify('treasury.account', async (at) => {
    const {body} = await expect(200, at.get(`${PREFIX}/accounts`));
    for (const account of body.data as Record<string, unknown>[])
      hasForms(account, {id: isUuid, label: isText, currency_code: isCurrency});
  });
  verify('treasury.label', async (at) => {
    const [, account] = await at.accounts();
    const label = `Rücklage ${Date.now()}`;
    await expect(200, at.post(`${PREFIX}/accounts/${account}/update-label`, {label}));
    const {body} = await at.get(`${PREFIX}/accounts`);
    assert.ok((body.data as {label: string}[]).some((one) => one.label === label));
  });
}

function transfers(): void {
  verify('treasury.transfer', async (at) => {
    const {body} = await expect(201, at.accountTransfer());
    hasForms(body as Record<string, unknown>, {
      id: isUuid,
      source_account_id: isUuid,
      destination_account_id: isUuid,
      amount_in_minor_units: isWhole,
      currency_code: isCurrency,
      rail: isText,
      status: oneOf(...STATUSES),
    });
  });
  verify('treasury.autoApprove', async (at) => {
    const {status, body} = await at.accountTransfer({auto_approve: true});
    oneOf(201, 202)(status);
    assert.notEqual(body.status, 'created');
    await refused(400, 'VALIDATION_ERROR', at.accountTransfer({auto_approve: 'yes'}));
  });
  verify('treasury.statuses', async (at) => {
    await at.accountTransfer();
    const {body} = await at.get(`${PREFIX}/account-transfers?limit=100`);
    for (const {status} of body.data as {status: string}[]) oneOf(...STATUSES)(status);
  });
  verify('transferState.created', async (at) => {
    const {body} = await expect(201, at.accountTransfer());
    assert.equal(body.status, 'created');
  });
  verify('transferState.approve', async (at) => {
    const {body} = await expect(201, at.accountTransfer());
    oneOf('approved', 'initiated', 'settled')((await approve(at, body.id as string)).body.status);
    await at.accountTransferReaches(body.id as string, 'initiated', 'settled');
  });
  verify('transferState.auto', async (at) => {
    const {body} = await at.accountTransfer({auto_approve: true});
    await at.accountTransferReaches(body.id as string, 'initiated', 'settled');
  });
  verify('transferState.asynchronous', 'sandbox', async (at) => {
    const {body} = await expect(202, at.accountTransfer({auto_approve: true, description: 'async_202'}));
    assert.equal(body.status, 'approved');
    await at.accountTransferReaches(body.id as string, 'settled');
  });
  verify('transferState.settled', async (at) => {
    const [, destination] = await at.accounts();
    const {body} = await at.accountTransfer({auto_approve: true, amount_in_minor_units: 314});
    await at.accountTransferReaches(body.id as string, 'settled');
    const arrived = await at.until(
      async () => ({...body, body: await lines(at, destination)}) as Answer,
      ({body: all}) =>
        (all as Record<string, unknown>[]).some((line) => line['amount_in_minor_units'] === 314),
    );
    assert.ok(arrived);
  });
  verify('transferState.failed', 'sandbox', async (at) => {
    const {body} = await at.accountTransfer({auto_approve: true, description: 'fails_after_initiated'});
    const failed = await at.accountTransferReaches(body.id as string, 'failed');
    isText(failed.failure_reason);
  });
}

function routes(): void {
  verify('treasuryRoute.accounts', async (at) => {
    const first = (await expect(200, at.get(`${PREFIX}/accounts?limit=1`))).body;
    const second = (await expect(200, at.get(`${PREFIX}/accounts?limit=1&cursor=${first.next_cursor}`))).body;
    assert.notEqual(first.data[0].id, second.data[0].id);
  });
  verify('treasuryRoute.balance', async (at) => {
    const [account] = await at.accounts();
    const {body} = await expect(200, at.get(`${PREFIX}/accounts/${account}/balance`));
    assert.equal(body.account_id, account);
  });
  verify('treasuryRoute.transactions', async (at) => {
    const [account] = await at.accounts();
    for (const amount_in_minor_units of [1001, 1002]) await expect(201, credit(at, {amount_in_minor_units}));
    const path = `${PREFIX}/accounts/${account}/transactions?limit=1`;
    const first = (
      await at.until(
        () => at.get(path),
        ({body}) => body.next_cursor !== null,
      )
    ).body;
    const second = (await expect(200, at.get(`${path}&cursor=${first.next_cursor}`))).body;
    assert.notEqual(first.data[0].id, second.data[0].id);
    oneOf('credit', 'debit')(first.data[0].direction);
  });
  verify('treasuryRoute.label', async (at) => {
    const [account] = await at.accounts();
    await expect(200, at.post(`${PREFIX}/accounts/${account}/update-label`, {label: 'Operating'}));
    await refused(
      404,
      'NOT_FOUND',
      at.post(`${PREFIX}/accounts/${UNKNOWN_ID}/update-label`, {label: 'Operating'}),
    );
  });
  verify('treasuryRoute.create', async (at) => {
    const [source_account_id, destination_account_id] = await at.accounts();
    const asked = {
      source_account_id,
      destination_account_id,
      amount_in_minor_units: 5,
      currency_code: 'USD',
      rail: 'book',
      auto_approve: false,
    };
    const {body} = await expect(201, at.post(`${PREFIX}/account-transfers`, asked));
    for (const [field, value] of Object.entries(asked))
      if (field !== 'auto_approve') assert.equal(body[field], value, field);
  });
  verify('treasuryRoute.approve', async (at) => {
    const {body} = await at.accountTransfer();
    oneOf(200, 201, 202)((await approve(at, body.id as string)).status);
    await refused(404, 'NOT_FOUND', approve(at, UNKNOWN_ID));
  });
  verify('treasuryRoute.list', async (at) => {
    const made = [await at.accountTransfer(), await at.accountTransfer()];
    const path = `${PREFIX}/account-transfers?limit=1`;
    const first = (await expect(200, at.get(path))).body;
    const second = (await expect(200, at.get(`${path}&cursor=${first.next_cursor}`))).body;
    assert.deepEqual(
      [second.data[0].id, first.data[0].id],
      made.map(({body}) => body.id as string),
    );
    isText(first.data[0].status);
  });
  verify('treasuryRoute.credit', async (at) => {
    const [account] = await at.accounts();
    const {body} = await expect(201, credit(at, {description: 'Rent of May'}));
    const read = async () => ({body: await lines(at, account)}) as unknown as Answer;
    await at.until(read, ({body: all}) => (all as {id: string}[]).some(({id}) => id === body.id));
  });
  verify('treasuryRoute.creditTestOnly', 'live', async (at) => {
    const [account] = await at.accounts({key: at.liveKey});
    const path = `${PREFIX}/accounts/${account}/simulate-inbound-credit`;
    const {status} = await at.post(path, {amount_in_minor_units: 1}, {key: at.liveKey});
    assert.ok(status >= 400 && status < 500);
  });
}

function assumptions(): void {
  verify('assumed.18', async (at) => {
    await expect(200, at.get('/api/treasury/accounts'));
    assert.equal((await at.get('/api/accounts')).status, 404);
  });
  verify('assumed.19', async (at) => {
    const {body} = await at.get(`${PREFIX}/accounts`);
    hasForms(body.data[0] as Record<string, unknown>, {type: isText, status: isText});
  });
  verify('assumed.20', async (at) => {
    const [account] = await at.accounts();
    hasForms((await at.get(`${PREFIX}/accounts/${account}/balance`)).body as Record<string, unknown>, {
      account_id: isUuid,
      currency_code: isCurrency,
      current_balance_in_minor_units: isWhole,
      available_balance_in_minor_units: isWhole,
      as_of: isTime,
    });
    await refused(404, 'NOT_FOUND', at.get(`${PREFIX}/accounts/${UNKNOWN_ID}/balance`));
  });
  verify('assumed.21', async (at) => {
    hasForms((await expect(201, credit(at))).body as Record<string, unknown>, {
      id: isUuid,
      account_id: isUuid,
      amount_in_minor_units: isWhole,
      direction: oneOf('credit'),
      currency_code: isCurrency,
      description: orNull(isText),
      bank_reference: orNull(isText),
      status: oneOf('posted', 'pending'),
      posted_at: orNull(isTime),
      value_date: isText,
    });
  });
  verify('assumed.22', async (at) => {
    const [, account] = await at.accounts();
    const path = `${PREFIX}/accounts/${account}/update-label`;
    const label = 'x'.repeat(255);
    assert.deepEqual(
      [(await expect(200, at.post(path, {label}))).body.label, (await at.post(path, {label})).body.id],
      [label, account],
    );
    for (const wrong of ['', `${label}x`, 5, null])
      await refused(400, 'VALIDATION_ERROR', at.post(path, {label: wrong}));
    await expect(200, at.post(path, {label: 'Reserve'}));
  });
  verify('assumed.23', async (at) => {
    await expect(201, at.accountTransfer({description: 'to the reserve'}));
    for (const field of ['source_account_id', 'destination_account_id', 'amount_in_minor_units', 'rail'])
      await refused(400, 'VALIDATION_ERROR', at.accountTransfer({[field]: undefined}));
  });
  verify('assumed.24', async (at) => {
    const {body} = await at.accountTransfer({description: 'to the reserve'});
    hasForms(body as Record<string, unknown>, {created_at: isTime, updated_at: isTime, status: isText});
    assert.equal(body.description, 'to the reserve');
  });
  verify('assumed.25', async (at) => {
    for (const rail of ['book', 'wire', 'same_day_ach', 'standard_ach', 'instant_bank'])
      assert.equal((await expect(201, at.accountTransfer({rail}))).body.rail, rail);
    await refused(400, 'VALIDATION_ERROR', at.accountTransfer({rail: 'pigeon'}));
  });
  verify('assumed.26', async (at) => {
    const {body} = await at.accountTransfer();
    await refused(
      400,
      'VALIDATION_ERROR',
      at.post(`${PREFIX}/account-transfers/${body.id}/approve`, {now: true}),
    );
    assert.equal((await approve(at, body.id as string)).body.id, body.id);
    await refused(400, 'VALIDATION_ERROR', approve(at, body.id as string));
  });
  verify('assumed.27', async (at) => {
    const [source] = await at.accounts();
    const {body} = await at.accountTransfer();
    const read = await at.get(`${PREFIX}/account-transfers?status=created&account_id=${source}&limit=1`);
    assert.equal(read.body.data[0].id, body.id);
    const none = await at.get(`${PREFIX}/account-transfers?account_id=${UNKNOWN_ID}`);
    assert.deepEqual(none.body.data, []);
  });
  verify('assumed.28', async (at) => {
    const {body} = await at.accountTransfer({auto_approve: true, rail: 'book'});
    await at.accountTransferReaches(body.id as string, 'settled');
  });
  verify('assumed.29', async (at) => {
    const asked = {currency_code: 'USD', description: 'Rent', counterparty_name: 'Fir Dairy'};
    const {body} = await expect(201, credit(at, asked));
    assert.deepEqual([body.amount_in_minor_units, body.description], [4200, 'Rent']);
    await refused(400, 'VALIDATION_ERROR', credit(at, {currency_code: 'EUR'}));
    await refused(400, 'VALIDATION_ERROR', credit(at, {amount_in_minor_units: 0}));
  });
  verify('assumed.43', async (at) => {
    const path = `${PREFIX}/accounts/${UNKNOWN_ID}`;
    await refused(404, 'NOT_FOUND', at.get(`${path}/balance`));
    await refused(401, 'AUTHENTICATION_ERROR', at.get(`${path}/balance`, {key: null}));
    await refused(400, 'VALIDATION_ERROR', at.get(`${PREFIX}/accounts/x/balance`));
  });
}
