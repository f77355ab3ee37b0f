import * as z from 'zod';
import {CONTROL_ANSWERS as ANSWERS} from '../../../sandbox/control/answers.ts';
import * as forms from './forms.ts';
import {count, countOrNull, document, lines, list, object, text, textOrNull} from './forms.ts';

const running = {
  base_url: text,
  control_url: text,
  pid: count,
  started_at: forms.moment,
  store: text,
};

export const Ready = object({
  type: z.literal('ready'),
  base_url: text,
  test_key: text,
  live_key: text,
  control_url: text,
  control_token: text,
});

/** A line of the request log. */
const Request = object({
  type: z.literal('request'),
  at: forms.moment,
  method: text,
  path: text,
  operation: textOrNull,
  status: countOrNull.describe('null if the connection was reset'),
  elapsed_ms: z.number().min(0),
  mode: forms.mode.nullable(),
  request_id: text,
  fault: text.optional(),
});

/** The items of `{data: […]}`. */
const itemsOf = (schema: z.ZodObject<{data: z.ZodArray<z.ZodType>}>): forms.Printed =>
  list(schema.shape.data.element);

export const SANDBOX: Readonly<Record<string, forms.Printed>> = {
  'sandbox:start': lines(z.discriminatedUnion('type', [Ready, Request]), Ready),
  'sandbox:stop': document(object({stopped: z.literal(true), base_url: text, store: text, pid: countOrNull})),
  'sandbox:status': document(ANSWERS.Status.extend(running)),
  'sandbox:reset': document(
    object({reset: z.literal(true), base_url: text, store: text, clock: ANSWERS.Clock}),
  ),
  'sandbox:seed': list(
    object({kind: z.enum(['payee', 'payer']), id: text, payment_method_id: text, name: text}),
  ),
  'sandbox:keys': lines(ANSWERS.Key, z.union([z.array(ANSWERS.Key), ANSWERS.Key])),
  'sandbox:advance': document(ANSWERS.Advanced),
  'sandbox:clock': document(ANSWERS.Clock),
  'sandbox:simulate': document(ANSWERS.Simulated),
  'sandbox:statement': document(
    z.union([
      ANSWERS.StatementFile.omit({next_offset: true}),
      ANSWERS.StatementFile.omit({text: true, next_offset: true}).extend({
        file: text,
        bytes: count,
      }),
    ]),
  ),
  'sandbox:magic': itemsOf(ANSWERS.MagicValues),
  'sandbox:open': document(object({url: text, expires_at: forms.moment})),
  'sandbox:certificate': document(object({cert_file: text, key_file: text, authority_file: textOrNull})),
  'sandbox:faults:add': document(ANSWERS.Fault),
  'sandbox:faults:list': itemsOf(ANSWERS.Faults),
  'sandbox:faults:clear': document(object({cleared: text})),
  'sandbox:checkpoint:save': document(ANSWERS.Checkpoint),
  'sandbox:checkpoint:restore': document(ANSWERS.Checkpoint),
  'sandbox:checkpoint:list': itemsOf(ANSWERS.Checkpoints),
  'sandbox:deliveries:list': itemsOf(ANSWERS.Deliveries),
  'sandbox:deliveries:show': document(ANSWERS.Delivery),
  'sandbox:deliveries:redeliver': document(ANSWERS.Delivery),
};
