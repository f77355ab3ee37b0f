import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {globalFlags} from '../../src/cli/input/global-flags.ts';
import {helpText} from '../../src/cli/help/help.ts';
import {COMMAND_OPERATIONS} from '../../src/cli/help/command-operations.ts';
import {allOperations} from '../../src/contract/operations/operations.ts';
import {sourceConfig} from '../cli/run-cli.ts';
import {requestFields, WITHOUT_FLAG} from './contract-fields.ts';

/** Commands that read one record by its id, or say a field as an argument: their flags are not fields. */
const BY_ARGUMENT = /:(get|wait|delete|balance|label|enable|disable|event-types)$/;
const COMMANDS = Object.entries(COMMAND_OPERATIONS).filter(([id]) => !BY_ARGUMENT.test(id));

/** Flags of a field that do not follow the rule "the field's name without _id". */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  amount_in_minor_units: ['amount', 'amount-minor'],
  override_default_payment_method_id: ['payment-method'],
  source_subaccount_id: ['source'],
  destination_subaccount_id: ['destination'],
  source_account_id: ['source'],
  destination_account_id: ['destination'],
  currency_code: ['currency'],
  country_code: ['country'],
  is_default: ['default'],
  limit: ['limit', 'all', 'page-size'],
  'card.number': ['card-number'],
  'bank_account.iban': ['account-number'],
  'bank_account.clabe': ['account-number'],
  'bank_account.sort_code': ['field'],
  'bank_account.institution_number': ['field'],
  'bank_account.transit_number': ['field'],
  'bank_account.bsb': ['field'],
};

/** Flags that are ours, not a field's. */
const OURS = new Set([
  'data',
  'dry-run',
  'curl',
  'idempotency-key',
  'accept',
  'wait',
  'until',
  'timeout',
  'payee',
  'payer',
  'secret-file',
  'number-file',
  'summary',
  'history',
  'days',
  'html',
]);

/** Approvals and cancellations state an amount only where the record names none; no body carries it. */
const STATED = ['amount', 'currency'];
const TAKES_STATED = /:(approve|cancel)$/;

const flagsOf = (field: string): readonly string[] =>
  WITHOUT_FLAG.has(field)
    ? []
    : (OTHERWISE[field] ?? [field.split('.').at(-1)!.replace(/_id$/, '').replaceAll('_', '-')]);

/** It copies the fields of the endpoint that it replaces. */
const COPIES = 'webhooks:endpoints:rotate';

describe('the flags of a command and the fields of its operation', () => {
  for (const [id, operations] of COMMANDS) {
    if (id === COPIES) continue;
    it(`agree in both directions: ${id.replaceAll(':', ' ')}`, async () => {
      const config = await sourceConfig();
      const own = Object.keys(config.findCommand(id, {must: true}).flags).filter(
        (flag) => !(flag in globalFlags),
      );
      const fields = operations.flatMap(requestFields);
      const expected = new Set(fields.flatMap(flagsOf));
      const missing = [...expected].filter((flag) => !own.includes(flag));
      assert.deepEqual(
        missing,
        [],
        `${id} has no flag for a field: add it to the command, or name the field in WITHOUT_FLAG`,
      );
      const ours = TAKES_STATED.test(id) ? new Set([...OURS, ...STATED]) : OURS;
      const extra = own.filter((flag) => !expected.has(flag) && !ours.has(flag));
      assert.deepEqual(extra, [], `${id} has a flag without a field: add it to the contract, or to OURS`);
    });
  }
});

describe('the operations of the contract', () => {
  /** A PATCH that says the same as a command's own verb, and changes of parties, which `api` can send. */
  const withoutCommand = ['payeePaymentMethods.update', 'payerPaymentMethods.update'];

  it('each have a command, and the commands exist', async () => {
    const config = await sourceConfig();
    for (const id of Object.keys(COMMAND_OPERATIONS)) config.findCommand(id, {must: true});
    const named = new Set(Object.values(COMMAND_OPERATIONS).flat());
    assert.deepEqual(
      allOperations()
        .map(({id}) => id)
        .filter((id) => !named.has(id)),
      withoutCommand,
    );
  });

  it('stand in the help of their command, given or assumed', async () => {
    const config = await sourceConfig();
    const help = async (id: string) =>
      (await helpText(config, id, {stdout: process.stdout, env: {}})).replaceAll(/\s+/g, ' ');
    assert.match(await help('payouts:create'), /SERVICE POST \/api\/payouts \(assumed\)/);
    assert.match(await help('payouts:get'), /SERVICE GET \/api\/payouts\/\{id\} \(given\)/);
    assert.match(
      await help('moves:approve'),
      /POST \/api\/subaccounts\/move\/\{move_id\}\/approve \(given\)/,
    );
    assert.doesNotMatch(await help('whoami'), /SERVICE/);
  });
});
