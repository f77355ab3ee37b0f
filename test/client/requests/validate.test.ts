import assert from 'node:assert/strict';
import {validateBody} from '../../../src/client/requests/validate.ts';
import {RemitError} from '../../../src/errors.ts';

const BODY = {payee_id: '7f8c1f6e-3a56-4a1b-9c7d-2b6b4b0f8a02', amount_in_minor_units: 12_500};

describe('local validation', () => {
  it('accepts a valid body, and an operation without one', async () => {
    await validateBody('payouts.create', BODY);
    await validateBody('payouts.get', undefined);
    await validateBody('payouts.approve', {});
  });

  it('names every field that is wrong, and sends nothing', async () => {
    await assert.rejects(
      validateBody('payouts.create', {...BODY, amount_in_minor_units: 1.5, rial: 'wire'}),
      (error) => {
        assert.ok(error instanceof RemitError);
        assert.deepEqual([error.code, error.exitCode], ['LOCAL_VALIDATION', 5]);
        const fields = error.details?.['fields'] as {field: string; issue: string}[];
        assert.ok(fields.some(({field}) => field === 'amount_in_minor_units'));
        assert.match(JSON.stringify(fields), /rial/);
        assert.match(error.message, /^Create a payout: refused before it was sent: /);
        return true;
      },
    );
  });
});
