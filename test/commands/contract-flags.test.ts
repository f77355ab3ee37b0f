import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import type {ZodType} from 'zod';
import {globalFlags} from '../../src/cli/flags.ts';
import {operationOf} from '../../src/client/routes.ts';
import type {OperationId} from '../../src/contract/operations.ts';
import {SCHEMAS} from '../../src/contract/schemas/registry.ts';
import {sourceConfig} from '../cli/run-cli.ts';

/** Commands and the operations whose body or query their flags say, field by field. */
const COMMANDS: Readonly<Record<string, readonly OperationId[]>> = {
  'payouts:create': ['payouts.create'],
  'payouts:list': ['payouts.list'],
  'payouts:approve': ['payouts.approve'],
  'payouts:cancel': ['payouts.cancel'],
  'payins:create': ['payins.create'],
  'payins:list': ['payins.list'],
  'payins:approve': ['payins.approve'],
  'payins:cancel': ['payins.cancel'],
  'payees:create': ['payees.create'],
  'payees:list': ['payees.list'],
  'payers:create': ['payers.create'],
  'payers:list': ['payers.list'],
  'payment-methods:add': ['payeePaymentMethods.add', 'payerPaymentMethods.add'],
  'payment-methods:list': ['payeePaymentMethods.list', 'payerPaymentMethods.list'],
  'payment-methods:set-default': ['payeePaymentMethods.setDefault', 'payerPaymentMethods.setDefault'],
  'moves:create': ['moves.create'],
  'moves:list': ['moves.list'],
  'moves:approve': ['moves.approve'],
  'subaccounts:create': ['subaccounts.create'],
  'subaccounts:list': ['subaccounts.list'],
  'treasury:accounts': ['treasury.accounts'],
  'treasury:transactions': ['treasury.transactions'],
  'treasury:simulate-credit': ['treasury.simulateInboundCredit'],
  'transfers:create': ['accountTransfers.create'],
  'transfers:approve': ['accountTransfers.approve'],
  'transfers:list': ['accountTransfers.list'],
  'webhooks:endpoints:create': ['webhookEndpoints.create'],
  'webhooks:endpoints:list': ['webhookEndpoints.list'],
  'webhooks:endpoints:update': ['webhookEndpoints.update'],
};

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
};

/** Fields without a flag: the deprecated alias, the second name of one field, and what enable and disable switch. */
const WITHOUT = new Set(['amount_in_cents', 'payout_metadata', 'is_active']);

/** Flags that are ours, not a field's. */
const OURS = new Set([
  'dry-run',
  'idempotency-key',
  'wait',
  'until',
  'timeout',
  'payee',
  'payer',
  'secret-file',
]);

type Shape = {
  def: {
    type: string;
    shape?: Record<string, ZodType>;
    options?: ZodType[];
    innerType?: ZodType;
    out?: ZodType;
  };
};

/** Field names of an object schema, of every branch of a union; an object inside is opened. */
function fieldsOf(schema: ZodType, prefix = ''): string[] {
  const {def} = schema as unknown as Shape; // zod's own description of a schema
  if (def.options) return def.options.flatMap((branch) => fieldsOf(branch, prefix));
  if (def.innerType) return fieldsOf(def.innerType, prefix);
  if (!def.shape) return [];
  return Object.entries(def.shape).flatMap(([name, field]) => {
    const inner = fieldsOf(field, `${prefix}${name}.`);
    return inner.length > 0 ? inner : [`${prefix}${name}`];
  });
}

const flagsOf = (field: string): readonly string[] =>
  WITHOUT.has(field)
    ? []
    : (OTHERWISE[field] ?? [field.split('.').at(-1)!.replace(/_id$/, '').replaceAll('_', '-')]);

describe('the flags of a command and the fields of its operation', () => {
  for (const [id, operations] of Object.entries(COMMANDS)) {
    it(`agree in both directions: ${id.replaceAll(':', ' ')}`, async () => {
      const config = await sourceConfig();
      const own = Object.keys(config.findCommand(id, {must: true}).flags).filter(
        (flag) => !(flag in globalFlags),
      );
      const fields = operations.flatMap((operation) => {
        const {body, query} = operationOf(operation);
        const name = body ?? query;
        return name === undefined ? [] : fieldsOf(SCHEMAS[name]);
      });
      const expected = new Set(fields.flatMap(flagsOf));
      const missing = [...expected].filter((flag) => !own.includes(flag));
      assert.deepEqual(
        missing,
        [],
        `${id} has no flag for a field: add it to the command, or name the field in WITHOUT`,
      );
      const extra = own.filter((flag) => !expected.has(flag) && !OURS.has(flag));
      assert.deepEqual(extra, [], `${id} has a flag without a field: add it to the contract, or to OURS`);
    });
  }
});
