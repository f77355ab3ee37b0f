import assert from 'node:assert/strict';
import {COMMAND_OPERATIONS} from '../../../src/cli/help/command-operations.ts';
import {readFault} from '../../../src/cli/sandbox/fault-flags.ts';
import {RemitError} from '../../../src/errors.ts';

describe('the flags of sandbox faults add', () => {
  const operationOf = (operation: string) =>
    (readFault('reset', {operation, after: false}, COMMAND_OPERATIONS) as {match: {operation: string}}).match
      .operation;
  const hintOf = (operation: string) => {
    try {
      return operationOf(operation);
    } catch (error) {
      return error instanceof RemitError ? error.hint : undefined;
    }
  };

  it('take an operation by its id, or by the name of the command that calls it', () => {
    assert.equal(operationOf('accountTransfers.create'), 'accountTransfers.create');
    assert.equal(operationOf('transfers.create'), 'accountTransfers.create');
    assert.equal(operationOf('webhooks endpoints create'), 'webhookEndpoints.create');
  });

  it('suggest the operations of a command that calls one of several, and the nearest id otherwise', () => {
    assert.equal(
      hintOf('payment-methods.add'),
      'did you mean --operation payeePaymentMethods.add or payerPaymentMethods.add?',
    );
    assert.equal(hintOf('payout.create'), 'did you mean --operation payouts.create?');
    assert.match(hintOf('unrelated-name-of-anything')!, /^one of payins\.create, /);
  });
});
