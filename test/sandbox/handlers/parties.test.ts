import assert from 'node:assert/strict';
import {TestSandbox, UNKNOWN_ID, assertRefused} from '../harness.ts';

for (const [kind, code] of [
  ['payee', 'NOT_FOUND'],
  ['payer', 'PAYER_NOT_FOUND'],
] as const)
  describe(`sandbox: ${kind}s (assumption 10)`, () => {
    let at: TestSandbox;
    before(async () => {
      at = await TestSandbox.open();
    });
    after(() => at.close());

    it('creates, shows and lists', async () => {
      const details = {name: 'Elm Works', email: 'pay@example.com', type: 'individual', metadata: {ref: '7'}};
      const created = await at.post(`/api/${kind}s`, details);
      assert.equal(created.status, 201);
      const {id, created_at, updated_at, ...rest} = created.body;
      assert.deepEqual(rest, details);
      assert.equal(created_at, updated_at);
      assert.deepEqual((await at.get(`/api/${kind}s/${id}`)).body, created.body);
      assert.deepEqual((await at.get(`/api/${kind}s`)).body.data[0], created.body);
    });

    it('changes only what is given', async () => {
      const {body} = await at.post(`/api/${kind}s`, {
        name: 'Elm',
        email: 'a@example.com',
        metadata: {a: '1'},
      });
      at.clock.pass(1000);
      const changed = await at.call('PATCH', `/api/${kind}s/${body.id}`, {body: {name: 'Oak'}});
      assert.equal(changed.status, 200);
      assert.notEqual(changed.body.updated_at, body.updated_at);
      assert.deepEqual(changed.body, {...body, name: 'Oak', updated_at: changed.body.updated_at});
      assert.deepEqual((await at.get(`/api/${kind}s/${body.id}`)).body, changed.body);
    });

    it(`answers 404 ${code} for an unknown one`, async () => {
      assertRefused(await at.get(`/api/${kind}s/${UNKNOWN_ID}`), 404, code);
      assertRefused(await at.call('PATCH', `/api/${kind}s/${UNKNOWN_ID}`, {body: {}}), 404, code);
    });

    it('refuses a nameless one', async () => {
      for (const name of [undefined, '', '   ', 5, 'x'.repeat(256)])
        assertRefused(await at.post(`/api/${kind}s`, {name}), 400, 'VALIDATION_ERROR', 'name');
    });
  });
