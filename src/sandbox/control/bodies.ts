import * as z from 'zod';
import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import {FaultRule} from '../outcomes/fault-schema.ts';
import {CLOCK_MAX_MS, SPEED_MAX} from '../time/clock.ts';
import {BANK_DIALECT_NAMES} from '../base/bank-dialect.ts';
import {STATEMENT_FILE_FORMATS} from '../statement/formats.ts';
import {NONCE_FORM} from './proof.ts';
import {DELIVERY_STATES} from '../base/shown-records.ts';

const Seed = z.strictObject({
  payees: z.int().min(0).max(100_000).default(0).describe('how many payees'),
  payers: z.int().min(0).max(100_000).default(0).describe('how many payers'),
  seed: z
    .string()
    .min(1)
    .max(255)
    .default('remit')
    .describe('determines ids and names; repeating a seed changes nothing'),
  mode: z.enum(['test', 'live']).default('test').describe('of which entity'),
});
const Reset = z.strictObject({
  main_balance_in_minor_units: z
    .int()
    .min(0)
    .optional()
    .describe('balance of each main account afterwards (default: the balance given to `sandbox start`)'),
});
const NewKey = z.strictObject({
  mode: z.enum(['test', 'live']).describe('of which entity'),
  scope: z.enum(['full', 'read']).default('full').describe('a `read` key gets 403 on every write'),
});
const Advance = z.union([
  z.strictObject({
    ms: z
      .int()
      .min(0)
      .max(366 * 86_400_000)
      .describe('milliseconds; 0 waits for webhook deliveries that are due'),
  }),
  z.strictObject({
    to: z.iso
      .datetime({offset: true})
      .refine(
        (to) => Date.parse(to) <= CLOCK_MAX_MS,
        'is after the year 2199, the last that the sandbox supports',
      )
      .describe('a time that is not in the past'),
  }),
  z.strictObject({
    until: z.enum(['next', 'idle']).describe('to the next scheduled step, or until nothing is scheduled'),
  }),
]);
const Clock = z.discriminatedUnion('mode', [
  z.strictObject({mode: z.literal('real').describe("the machine's speed")}),
  z.strictObject({
    mode: z.literal('accelerated').describe('faster than the machine'),
    speed: z.int().min(2).max(SPEED_MAX).describe('sandbox seconds per second'),
  }),
  z.strictObject({mode: z.literal('frozen').describe('stopped; moves only when it is advanced')}),
]);
const Simulate = z.strictObject({
  kind: z.string().describe('`payout`, `payin`, `account-transfer`, `subaccount` or `payment-method`'),
  id: z.uuid().describe('of the record'),
  outcome: z.string().describe('what happens to it; each kind has its own'),
  code: z.string().min(1).max(40).optional().describe("`fail` and `return`: the bank's reason"),
  amount_in_minor_units: z.int().positive().optional().describe('`credit`: the amount'),
  after_ms: z
    .int()
    .min(0)
    .max(366 * 86_400_000)
    .optional()
    .describe('`return` of a settled record: how long from now, in milliseconds'),
});
const NewBankDialect = z.strictObject({
  dialect: z.enum(BANK_DIALECT_NAMES).describe('how the bank reports lines from now on'),
  account_id: z.uuid().optional().describe('of which treasury account (default: all)'),
});
const NewCheckpoint = z.strictObject({
  name: z.string().describe('lower-case letters, digits and hyphens, up to 30'),
});
const Nothing = z.strictObject({});

/** Bodies of control calls, by the names that the calls use. */
export const CONTROL_BODIES = {
  Seed,
  Reset,
  NewKey,
  Advance,
  Clock,
  Simulate,
  NewBankDialect,
  FaultRule,
  NewCheckpoint,
  Nothing,
} as const;

export type ControlBody = keyof typeof CONTROL_BODIES;

const DeliveryFilter = z.strictObject({
  state: z.enum(DELIVERY_STATES).optional().describe('only deliveries in this state'),
  event: z.enum(EVENT_TYPE_NAMES).optional().describe('only this event type'),
  endpoint: z.uuid().optional().describe('only to this endpoint'),
  before: z.uuid().optional().describe('only deliveries older than this one'),
  limit: z
    .string()
    .regex(/^\d{1,4}$/)
    .default('50')
    .transform(Number)
    .pipe(z.int().min(1).max(1000))
    .describe('how many, 50 by default'),
});

const Hello = z.strictObject({
  nonce: z.string().regex(NONCE_FORM).describe('at least 16 random bytes, as hex or base64url'),
});

const StatementOf = z.strictObject({
  account_id: z.uuid().describe('of which treasury account'),
  format: z.enum(STATEMENT_FILE_FORMATS).describe('format of the file'),
  from: z.iso.date().optional().describe('first day (default: that of the account)'),
  to: z.iso.date().optional().describe("last day (default: the sandbox's today)"),
  offset: z
    .string()
    .regex(/^\d{1,12}$/)
    .transform(Number)
    .pipe(z.int().min(0))
    .optional()
    .describe('where a part of the file begins: 0, then `next_offset` (default: the whole file)'),
});

export const CONTROL_QUERIES = {DeliveryFilter, Hello, StatementOf} as const;

export type ControlQuery = keyof typeof CONTROL_QUERIES;
