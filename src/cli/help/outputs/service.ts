import * as z from 'zod';
import {ERRORS} from '../../../errors.ts';
import {keysOf, type JsonFields} from '../../../narrow.ts';
import {allOperations} from '../../../contract/operations/operations.ts';
import {SCHEMAS} from '../../../contract/schemas/registry.ts';
import {COMMAND_OPERATIONS} from '../command-operations.ts';
import type * as forms from './forms.ts';
import {count, document, DryRun, list, listOr, object, text, textOrNull} from './forms.ts';

/** A write whose answer could not be read: exit code 8. */
const Unread = object({id: text, http_status: count, status: z.null().optional()});

export const WaitRow = object({
  id: text,
  outcome: z.enum(['reached', 'ended', 'timeout', 'error']).describe('ended: it failed or was canceled'),
  status: textOrNull.describe('as last seen'),
  expected_settlement_date: textOrNull,
  reason: textOrNull.describe('why it failed, or could not be read'),
  error: z.enum(keysOf(ERRORS)).nullable(),
});
const WaitLine = z.discriminatedUnion('type', [
  object({type: z.literal('change'), id: text, status: textOrNull, record: z.looseObject({})}),
  object({type: z.literal('end'), ...WaitRow.shape}),
]);

/** One id gives its record, several ids a row each. */
const waited = (record: z.ZodType): forms.Printed => ({
  form: 'lines',
  schema: z.union([record, WaitLine]),
  document: z.union([record, z.array(WaitRow)]),
});

const deleted = (extra: z.ZodRawShape = {}): forms.Printed =>
  document(z.union([object({id: text, deleted: z.literal(true).nullable(), ...extra}), DryRun]));

const Rotated = object({
  id: text,
  replaced: text,
  url: text,
  event_types: z.array(text),
  secret_fingerprint: text,
  secret_file: textOrNull,
  verified_by: z.enum(['delivery', 'confirmation']),
  delivery: textOrNull,
  canceled_deliveries: z.array(text).nullable(),
});

export const Imported = object({
  kind: z.enum(['payee', 'payer']),
  file: text,
  rows: count,
  created: count.describe('rows that this invocation has brought to their end'),
  found: count.describe('rows whose records the service had, unknown to this state folder'),
  already: count.describe('rows that were imported before'),
  pending: count.describe('accounts that are not verified, or not the default yet'),
  problems: z.array(
    object({
      reference: text,
      place: text.describe('line 3, or row 3 of a sheet'),
      state: z.enum([
        'refused',
        'in_doubt',
        'not_sent',
        'duplicate',
        'other_record',
        'gone',
        'unverified',
        'not_default',
      ]),
      message: text,
      others: z.array(text).describe('ids of records beside the one that is recorded'),
    }),
  ),
  results: textOrNull.describe('the file with the ids; null with --dry-run'),
  next: textOrNull,
});

export const SummaryRow = object({
  by: z.enum(['status', 'rail', 'day']),
  value: text,
  count,
  currency_code: textOrNull,
  amount_in_minor_units: textOrNull.describe('exact, as text'),
  amount: textOrNull,
});

const BalanceDay = object({
  day: text,
  currency_code: text,
  balance_in_minor_units: z.int(),
  credits_in_minor_units: count,
  debits_in_minor_units: count,
  transactions: count,
});

/** Commands whose result is not the answer of their operation. */
const OTHERS: Readonly<Record<string, forms.Printed>> = {
  'payees:import': document(Imported),
  'payers:import': document(Imported),
  'payouts:list': listOr(SCHEMAS.Payout, SummaryRow.describe('with --summary')),
  'payins:list': listOr(SCHEMAS.Payin, SummaryRow.describe('with --summary')),
  'treasury:balance': {
    form: 'lines',
    schema: z.union([SCHEMAS.TreasuryBalance, BalanceDay.describe('with --history')]),
    document: z.union([SCHEMAS.TreasuryBalance, z.array(BalanceDay)]),
  },
  'payouts:wait': waited(SCHEMAS.Payout),
  'payins:wait': waited(SCHEMAS.Payin),
  'treasury:accounts:get': document(SCHEMAS.TreasuryAccountPage.shape.data.element),
  'transfers:get': document(SCHEMAS.AccountTransfer),
  'transfers:wait': waited(SCHEMAS.AccountTransfer),
  'payment-methods:delete': deleted({payee_id: text.optional(), payer_id: text.optional()}),
  'webhooks:endpoints:delete': deleted(),
  'webhooks:endpoints:rotate': document(z.union([Rotated, DryRun])),
  'webhooks:event-types': list(SCHEMAS.EventTypeList.shape.data.element),
  api: document(z.unknown().describe('the answer of the service')),
};

/** What a command prints, by the operation that it calls first. */
function printedBy(command: string): forms.Printed {
  const [first] = COMMAND_OPERATIONS[command] ?? [];
  const operation = allOperations().find(({id}) => id === first)?.operation;
  const name = operation === undefined ? undefined : Object.values(operation.ok)[0];
  if (operation === undefined || name === undefined || name === null)
    throw new Error(`${command} has no operation with an answer`);
  const answer = SCHEMAS[name];
  if (operation.pages === 'cursor') return list(itemOf(answer));
  const record = name === 'MoveEnvelope' ? SCHEMAS.MoveEnvelope.shape.data : answer;
  return document(operation.method === 'GET' ? record : z.union([record, Unread, DryRun]));
}

function itemOf(page: z.ZodType): z.ZodType {
  const shape: JsonFields = page instanceof z.ZodObject ? page.shape : {};
  const {data} = shape;
  const items: unknown = data instanceof z.ZodArray ? data.element : undefined;
  if (items instanceof z.ZodType) return items;
  throw new Error('the page of a list has no data');
}

export const SERVICE: Readonly<Record<string, forms.Printed>> = {
  ...Object.fromEntries(
    Object.keys(COMMAND_OPERATIONS)
      .filter((command) => !(command in OTHERS))
      .map((command) => [command, printedBy(command)]),
  ),
  ...OTHERS,
};
