import * as z from 'zod';
import {EVENT_TYPE_NAMES} from '../../contract/events.ts';
import {byName} from '../../narrow.ts';
import {FaultRule} from '../outcomes/fault-schema.ts';
import {TIMING_PROFILES} from '../time/timing.ts';
import {BANK_DIALECT_NAMES} from '../base/bank-dialect.ts';
import {STATEMENT_FILE_FORMATS} from '../statement/formats.ts';
import {DELIVERY_STATES} from '../base/shown-records.ts';

// The answers of control calls, for the documentation and the tests. The server itself never loads this.

const mode = z.enum(['test', 'live']);
const moment = z.iso.datetime();
const count = z.int().min(0);
/** Sums may exceed what a JSON number keeps exact. */
const minorText = z.string().describe('minor units, as decimal text');

const Clock = z.strictObject({
  mode: z.enum(['real', 'accelerated', 'frozen']),
  now: moment.describe("the sandbox's time"),
  timing: z.enum(TIMING_PROFILES),
  speed: z.int().optional().describe('of an accelerated clock: sandbox seconds per second'),
});
const tallies = z.record(z.string(), z.strictObject({count, amount: minorText}));
const audit = {
  entities: z.array(
    z.strictObject({
      id: z.uuid(),
      mode,
      name: z.string(),
      payouts: tallies.describe('by status'),
      payins: tallies.describe('by status'),
      balances: z.record(z.string(), minorText).describe('by kind of account; they sum to zero'),
    }),
  ),
  balanced: z.boolean().describe('whether `problems` is empty'),
  problems: z.array(z.string()).describe('what does not add up'),
};
const Truth = z.strictObject({
  posts: count.describe('POSTs to the API since the start or the last reset'),
  ...audit,
});
const Status = z.strictObject({
  clock: Clock,
  requests: z
    .strictObject({total: count, posts: count, answers: z.record(z.string(), count)})
    .describe('since the start or the last reset; `answers` counts by operation and status'),
  faults: count.describe('fault rules'),
  deliveries: z
    .strictObject({
      events: count,
      attempts: count,
      ...byName(DELIVERY_STATES, () => count),
    })
    .describe('webhook deliveries by state, events, and requests sent'),
  audit: Truth,
});
const Key = z.strictObject({
  key: z.string(),
  entity_id: z.uuid(),
  mode,
  scope: z.enum(['full', 'read']),
});
const seeded = z.strictObject({id: z.uuid(), payment_method_id: z.uuid(), name: z.string()});
const Advanced = z.strictObject({
  now: moment.describe("the sandbox's time"),
  fired: count.describe('scheduled steps that happened'),
  attempts: count.describe('requests sent to webhook endpoints'),
  deliveries: count.describe('deliveries that ended: delivered, failed or dropped'),
  idle: z.boolean().optional().describe('with `until: idle`: whether nothing is scheduled any more'),
  deliveries_under_way: count.optional().describe('deliveries that are still waiting for slow receivers'),
});
const Simulated = z.strictObject({
  kind: z.string(),
  id: z.uuid(),
  outcome: z.string(),
  status: z.string().describe('current status of the record'),
  code: z.string().optional().describe('the reason of a failure'),
  due_at: moment.optional().describe("when the money will be returned (the sandbox's time)"),
  balance_in_minor_units: z.int().optional().describe('of a subaccount'),
  currency_code: z.string().optional().describe('of that balance'),
});
const Fault = z.strictObject({
  ...FaultRule.shape,
  id: z.string(),
  seen: count.describe('requests or attempts that matched'),
  hits: count.describe('how many of them were affected'),
});
const Checkpoint = z.strictObject({
  name: z.string(),
  saved_at: moment.describe("the machine's time"),
  clock_at: moment.describe("the sandbox's time, to which a restore goes back"),
});
const delivery = {
  id: z.uuid(),
  event_id: z.string(),
  event_type: z.enum(EVENT_TYPE_NAMES),
  endpoint_id: z.uuid(),
  url: z.string(),
  mode,
  state: z.enum(DELIVERY_STATES),
  sent: count.describe('requests sent, redeliveries included'),
  last_status: z.int().nullable(),
  last_error: z.string().nullable(),
  next_attempt_at: moment.nullable().describe("the sandbox's time"),
  created_at: moment.describe("the sandbox's time"),
};
const attempt = z.strictObject({
  n: z.int(),
  by_hand: z.boolean(),
  at: moment.describe("the sandbox's time"),
  sent_at: moment.describe("the machine's time"),
  timestamp: z.string().describe('the timestamp header that was sent'),
  elapsed_ms: z.number(),
  status: z.int().nullable(),
  error_code: z.string().nullable(),
  error: z.string().nullable(),
  response: z.string().describe('the first characters of the answer'),
  fault: z.string().nullable(),
});

export const CONTROL_ANSWERS = {
  Status,
  Truth,
  Clock,
  Key,
  Keys: z.strictObject({data: z.array(Key)}),
  Seeded: z.strictObject({payees: z.array(seeded), payers: z.array(seeded)}),
  Advanced,
  Simulated,
  BankDialects: z.strictObject({
    data: z.array(z.strictObject({account_id: z.uuid(), dialect: z.enum(BANK_DIALECT_NAMES)})),
  }),
  StatementFile: z.strictObject({
    account_id: z.uuid(),
    format: z.enum(STATEMENT_FILE_FORMATS),
    from: z.iso.date(),
    to: z.iso.date(),
    lines: count,
    opening_balance_in_minor_units: minorText,
    closing_balance_in_minor_units: minorText,
    text: z.string().describe('the file, or a part of it'),
    next_offset: count.nullable().describe('where the next part begins'),
  }),
  MagicValues: z.strictObject({
    data: z.array(z.strictObject({where: z.string(), value: z.string(), effect: z.string()})),
  }),
  Fault,
  Faults: z.strictObject({data: z.array(Fault)}),
  Checkpoint,
  Checkpoints: z.strictObject({data: z.array(Checkpoint)}),
  Deliveries: z.strictObject({data: z.array(z.strictObject(delivery))}),
  Delivery: z.strictObject({
    ...delivery,
    payload: z.string().describe('the body, byte for byte'),
    attempts: z.array(attempt),
  }),
  PageLink: z.strictObject({
    path: z.string().describe('path and query, relative to the address of the sandbox'),
    expires_at: moment.describe("the machine's time"),
  }),
  Proof: z.strictObject({
    proof: z.string().describe('HMAC-SHA256 of the nonce with the control token, in hex'),
  }),
  Stopping: z.strictObject({stopping: z.literal(true)}),
} as const;

export type ControlAnswer = keyof typeof CONTROL_ANSWERS;
