import assert from 'node:assert/strict';
import {openSandboxStore} from '../../../src/sandbox/migrations/open-store.ts';
import type {Store} from '../../../src/store/port/port.ts';
import {TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';
import {ACCOUNTS} from '../market-accounts.ts';
import {bankAccount, card} from '../payment-details.ts';
import {testStore, type TestStore} from '../test-store.ts';

for (const [kind, ownerCode, methodCode] of [
  ['payee', 'NOT_FOUND', 'NOT_FOUND'],
  ['payer', 'PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND'],
] as const)
  describe(`sandbox: payment methods of ${kind}s`, () => {
    let at: TestSandbox;
    let owner: string;
    let place: TestStore;
    let store: Store;
    const methods = () => `/api/${kind}s/${owner}/payment-methods`;
    const shown = async (id: string) =>
      ((await at.get(methods())).body.data as {id: string}[]).find((method) => method.id === id) as
        {verification_status: string; is_default: boolean} | undefined;
    before(async () => {
      place = await testStore();
      store = await openSandboxStore(place.place);
      at = await TestSandbox.open({store});
    });
    beforeEach(async () => {
      owner = await at.party(kind);
    });
    after(async () => {
      await at.close();
      await place.drop();
    });
    /** Every value of every table, as text. */
    const everyCell = () =>
      store.read(async (queries) => {
        const tables = await queries.all(
          store.dialect === 'sqlite'
            ? `select name from sqlite_master where type = 'table'`
            : `select table_name as name from information_schema.tables where table_schema = current_schema()`,
        );
        const cells: string[] = [];
        for (const {name} of tables)
          for (const row of await queries.all(`select * from ${String(name)}`))
            cells.push(...Object.values(row).map(String));
        return cells;
      });

    it('masks what it was given (assumption 15)', async () => {
      const added = await at.post(methods(), bankAccount({account_number: '9988776655'}));
      assert.equal(added.status, 201);
      assert.equal(added.body[`${kind}_id`], owner);
      assert.equal(added.body.last4, '6655');
      assert.equal(added.body.bank_name, 'Sandbox Test Bank');
      assert.doesNotMatch(JSON.stringify([added.body, (await at.get(methods())).body]), /998877|110000000/);
    });

    it('keeps no account number whole, however short', async () => {
      const numbers = ['4821', '73519', '640275', '95137264805'];
      const shownLast = [];
      for (const account_number of numbers)
        shownLast.push((await at.post(methods(), bankAccount({account_number}))).body.last4);
      assert.deepEqual(shownLast, ['21', '519', '0275', '4805']);
      const cells = await everyCell();
      for (const number of numbers)
        assert.ok(!cells.some((cell) => cell === number || cell.includes(`"${number}"`)), number);
      assert.ok(!cells.some((cell) => cell.includes('95137264805')));
    });

    it('goes from pending to verified (Payment method verification)', async () => {
      const {body} = await at.post(methods(), bankAccount());
      assert.equal(body.verification_status, 'pending');
      at.clock.pass(1999);
      assert.equal((await shown(body.id as string))?.verification_status, 'pending');
      at.clock.pass(1);
      assert.equal((await shown(body.id as string))?.verification_status, 'verified');
    });

    it('goes to failed, and stays there, for the holder name Failed; stays pending for Pending', async () => {
      const failed = (await at.post(methods(), bankAccount({holder_name: 'Failed'}))).body.id as string;
      const pending = (await at.post(methods(), bankAccount({holder_name: 'Pending'}))).body.id as string;
      at.clock.pass(86_400_000);
      assert.equal((await shown(failed))?.verification_status, 'failed');
      assert.equal((await shown(pending))?.verification_status, 'pending');
    });

    it('is created without being the default while unverified: 207 with warning (default rule 2)', async () => {
      const added = await at.post(methods(), bankAccount({}, {is_default: true}));
      assert.equal(added.status, 207);
      assert.equal(added.body.is_default, false);
      assert.match(added.body.warning as string, /not verified/);
      at.passVerification();
      assert.equal((await shown(added.body.id as string))?.is_default, false);
    });

    it('has no warning on 201', async () => {
      const added = await at.post(methods(), bankAccount({}, {is_default: false}));
      assert.deepEqual([added.status, 'warning' in added.body], [201, false]);
    });

    it('cannot become the default before it is verified (default rules 1 and 3)', async () => {
      const {body} = await at.post(methods(), bankAccount());
      const path = `${methods()}/${body.id}`;
      assertRefused(await at.post(`${path}/set-default`), 400, 'VALIDATION_ERROR');
      assertRefused(await at.call('PATCH', path, {body: {is_default: true}}), 400, 'VALIDATION_ERROR');
    });

    it('passes the default on: at most one method is the default (assumption 14)', async () => {
      const ids: string[] = [];
      while (ids.length < 2) ids.push((await at.post(methods(), bankAccount())).body.id as string);
      at.passVerification();
      const first = await at.post(`${methods()}/${ids[0]}/set-default`);
      assert.deepEqual([first.status, first.body.is_default], [200, true]);
      const second = await at.call('PATCH', `${methods()}/${ids[1]}`, {body: {is_default: true}});
      assert.deepEqual([second.status, second.body.is_default], [200, true]);
      const defaults = ((await at.get(methods())).body.data as {id: string; is_default: boolean}[])
        .filter((method) => method.is_default)
        .map((method) => method.id);
      assert.deepEqual(defaults, [ids[1]]);
    });

    it('cannot be deleted while it is the default (default rule 5)', async () => {
      const first = (await at.post(methods(), bankAccount())).body.id as string;
      const second = (await at.post(methods(), bankAccount())).body.id as string;
      at.passVerification();
      await at.post(`${methods()}/${first}/set-default`);
      assertRefused(await at.call('DELETE', `${methods()}/${first}`), 400, 'VALIDATION_ERROR');
      await at.post(`${methods()}/${second}/set-default`);
      assert.equal((await at.call('DELETE', `${methods()}/${first}`)).status, 204);
    });

    it('is not found by any operation after 204 (Payment methods)', async () => {
      const {body} = await at.post(methods(), bankAccount());
      const deleted = await at.call('DELETE', `${methods()}/${body.id}`);
      assert.deepEqual([deleted.status, deleted.body], [204, undefined]);
      at.passVerification();
      assert.equal(await shown(body.id as string), undefined);
      assertRefused(await at.call('DELETE', `${methods()}/${body.id}`), 404, methodCode);
      assertRefused(await at.post(`${methods()}/${body.id}/set-default`), 404, methodCode);
    });

    it('answers 404 for an unknown owner, an unknown method, and a method of another owner', async () => {
      const other = await at.ready(kind);
      const nobody = `/api/${kind}s/${UNKNOWN_ID}/payment-methods`;
      assertRefused(await at.post(nobody, bankAccount()), 404, ownerCode);
      assertRefused(await at.get(nobody), 404, ownerCode);
      assertRefused(await at.call('DELETE', `${nobody}/${other.methodId}`), 404, ownerCode);
      for (const id of [UNKNOWN_ID, other.methodId]) {
        assertRefused(await at.call('DELETE', `${methods()}/${id}`), 404, methodCode);
        assertRefused(await at.post(`${methods()}/${id}/set-default`), 404, methodCode);
      }
    });

    it('accepts only known countries and their currency (assumption 86), and pays nothing abroad', async () => {
      const swiss = bankAccount({}, {country_code: 'CH', currency_code: 'CHF'});
      assertRefused(await at.post(methods(), swiss), 400, 'VALIDATION_ERROR', 'country_code');
      const british = {country_code: 'GB', currency_code: 'GBP', bank_account: ACCOUNTS['GB']};
      const added = await at.post(methods(), {type: 'bank_account', ...british});
      assert.deepEqual([added.status, added.body.supported_rails, added.body.last4], [201, [], '5678']);
      const abroad = {
        currency_code: 'GBP',
        type: 'bank_account',
        country_code: 'GB',
        bank_account: ACCOUNTS['US'],
      };
      assertRefused(await at.post(methods(), abroad), 400, 'VALIDATION_ERROR', 'bank_account.sort_code');
      const euro = bankAccount({}, {currency_code: 'EUR'});
      assertRefused(await at.post(methods(), euro), 400, 'VALIDATION_ERROR', 'currency_code');
    });

    it('refuses details that are well formed but cannot exist: 422', async () => {
      const wrong = bankAccount({routing_number: '110000001'});
      assertRefused(
        await at.post(methods(), wrong),
        422,
        'INVALID_PAYMENT_DETAILS',
        'bank_account.routing_number',
      );
    });
  });

describe('sandbox: cards', () => {
  let at: TestSandbox;
  before(async () => {
    at = await TestSandbox.open();
  });
  after(() => at.close());

  it('belong to payees only (Payment method)', async () => {
    const payee = await at.party('payee');
    const payer = await at.party('payer');
    const added = await at.post(`/api/payees/${payee}/payment-methods`, card());
    assert.equal(added.status, 201);
    assert.deepEqual(added.body.supported_rails, ['instant_card']);
    assert.deepEqual([added.body.last4, added.body.brand], ['5556', 'visa']);
    assertRefused(await at.post(`/api/payers/${payer}/payment-methods`, card()), 400, 'VALIDATION_ERROR');
  });

  it('are refused with a wrong number or after their expiry: 422', async () => {
    const path = `/api/payees/${await at.party('payee')}/payment-methods`;
    for (const details of [{number: '4000056655665557'}, {exp_year: 2026, exp_month: 2}, {exp_year: 2020}])
      assertRefused(await at.post(path, card(details)), 422, 'INVALID_PAYMENT_DETAILS');
    assert.equal((await at.post(path, card({exp_year: 2026, exp_month: 3}))).status, 201);
  });

  it('become the default at once where verification takes no time', async () => {
    const instant = await TestSandbox.open({timing: 'instant'});
    const path = `/api/payees/${await instant.party('payee')}/payment-methods`;
    const added = await instant.post(path, card({}, {is_default: true}));
    assert.deepEqual(
      [added.status, added.body.is_default, added.body.verification_status],
      [201, true, 'verified'],
    );
    await instant.close();
  });
});
