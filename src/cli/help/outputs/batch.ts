import * as z from 'zod';
import type {BatchState} from '../../../batch/model/batch-state.ts';
import {BUCKETS} from '../../../batch/model/outcome.ts';
import {byName} from '../../../narrow.ts';
import {APPROVAL} from './approval.ts';
import {BatchDiffOutput, BatchPlanOutput} from './batch-plan.ts';
import {
  anything,
  count,
  document,
  lines,
  list,
  mode,
  object,
  text,
  textOrNull,
  type Printed,
} from './forms.ts';

const STATES = [
  'planned',
  'running',
  'staged',
  'held',
  'stopped',
  'interrupted',
  'complete',
  'incomplete',
  'canceled',
] as const satisfies readonly BatchState[];

const kind = z.enum(['payin', 'payout']);

const Followed = object({
  until: textOrNull.describe('null if records were fetched once'),
  outcome: z.enum(['reached', 'ended', 'timeout', 'passed', 'stopped']),
  reached: count,
  ended: count,
  open: count,
  statuses: z.record(z.string(), count).describe('rows by the last seen status of their record'),
  gets: count,
  unread: count,
});

export const BatchSummaryOutput = object({
  batch_id: text,
  revision: count,
  kind,
  mode: mode.nullable(),
  state: z.enum(STATES),
  planned: count.describe('the sum of the buckets from accepted to not_sent'),
  left_out: count,
  ...byName(BUCKETS, () => count),
  settled: count,
  returned: count
    .optional()
    .describe('part of accepted that the bank has returned, as a reconcile found; absent if there are none'),
  returns_unknown: z
    .literal(true)
    .optional()
    .describe('more rows may have come back: the book of reconcile is lost or cannot be read'),
  failed: count,
  canceled: count,
  held: count,
  differs: count,
  maybe_paid_twice: count,
  replaced: count.describe('part of already_paid: paid with another party, amount or currency'),
  posts: count.describe('POSTs sent by this invocation'),
  elapsed_ms: count,
  totals: z
    .record(z.string(), object({planned: text, ...byName(BUCKETS, () => text)}))
    .describe('by currency, exact, in major units'),
  plan_hash: text,
  results: textOrNull,
  failed_file: textOrNull,
  summary_file: textOrNull,
  stopped_because: object({reason: text, message: text}).nullable(),
  orphans: z.array(object({reference: text, id: text})),
  next: textOrNull.describe('the next command to type'),
  followed: Followed.optional().describe('with --wait, --until or --refresh'),
  report_file: text.optional().describe('with --html'),
  runners: z
    .array(
      object({
        ...{host: text, pid: count, purpose: text, since: text},
        last_word_s: count,
        lease: z.enum(['held', 'lost']),
      }),
    )
    .optional()
    .describe('with --state: the process that has the batch, or has lost it'),
  late_outcomes: count.optional().describe('with --state: answers that came after the lease was lost'),
  published_at: text
    .optional()
    .describe('while another process has the batch: when it published what is shown'),
});

const Listed = object({
  batch_id: text,
  state: text,
  mode: mode.nullable(),
  planned: count,
  accepted: count,
  left_out: count,
  total: text,
  needs_attention: count,
  differs: count.describe('rows whose record differs'),
  maybe_paid_twice: count.describe('part of differs: rows that may be paid twice'),
  updated_at: textOrNull,
  problem: textOrNull,
});

const rowOf = (party: z.ZodRawShape) =>
  object({
    batch_id: text,
    reference: text,
    row: count,
    line: count,
    state: text,
    id: textOrNull.describe('the record, once known'),
    status: textOrNull.describe('as last seen'),
    code: textOrNull,
    message: textOrNull,
    ...party,
    amount_in_minor_units: count,
    currency_code: text,
    rail: textOrNull,
    attempts: count,
    request_id: textOrNull,
    idempotency_key: textOrNull,
    former_id: textOrNull,
    differences: z
      .array(z.strictObject({field: z.string(), asked: z.string(), answered: textOrNull}))
      .nullable(),
    updated_at: textOrNull,
    published_at: text
      .optional()
      .describe('while another process has the batch: when it published what is shown'),
  });

const resolvedRow = {
  ...{reference: text, state: text, id: textOrNull.optional()},
  unchanged: z.literal(true).optional().describe('it was recorded before'),
  replaces: text.optional().describe('what was paid instead of the row: 100.25 USD instead of 99.25 USD'),
  not_paid_by: z
    .array(text)
    .optional()
    .describe('earlier records of the reference that did not pay the row; the next run reads them once more'),
};
const Resolved = z.union([
  object({batch_id: text, ...resolvedRow, next: textOrNull, unseen: text.optional()}),
  object({
    batch_id: text,
    paid: count,
    not_paid: count,
    rows: z.array(object(resolvedRow)),
    unseen: z.array(object({reference: text, why: text})),
    next: textOrNull,
  }),
]);

const exportedOf = (party: z.ZodRawShape, record: z.ZodRawShape) =>
  object({
    batch_id: text,
    row: count,
    reference: text,
    state: text,
    ...party,
    amount: text.describe('major units'),
    amount_in_minor_units: count,
    currency_code: text,
    rail: textOrNull,
    scheduled_date: textOrNull,
    ...record,
    status: textOrNull,
    settled_at: textOrNull.describe('with --refresh'),
    settled_at_field: textOrNull.describe('the field of the record that it is from'),
    fees: textOrNull.describe('fields of the record that are named so, with --refresh'),
    reason_code: textOrNull,
    reason: textOrNull,
    request_id: textOrNull,
    as_of: textOrNull.describe('when the status was seen'),
  });
const ExportedFile = object({file: text, rows: count});

const Template = object({csv: text, columns: z.array(anything)});

const VERBS: Readonly<Record<string, Printed>> = {
  ...byName(['run', 'release', 'resume', 'retry', 'cancel', 'report'], () => document(BatchSummaryOutput)),
  plan: document(BatchPlanOutput),
  diff: document(BatchDiffOutput),
  ...APPROVAL,
  list: list(Listed),
  resolve: document(Resolved),
  template: document(Template),
  move: document(object({batch_id: text, place: text})),
  'state:grants': document(object({role: text, schema: text, sql: text})),
};

/** The verbs whose output names the party or the record. */
const verbsOf = (Row: z.ZodType, Exported: z.ZodType): Readonly<Record<string, Printed>> => ({
  ...VERBS,
  status: document(z.union([BatchSummaryOutput, Row.describe('with --row')])),
  find: list(Row),
  export: lines(z.union([Exported, ExportedFile]), z.union([z.array(Exported), ExportedFile])),
});

const TOPICS = {
  payins: verbsOf(rowOf({payer_id: text}), exportedOf({payer_id: text}, {payin_id: textOrNull})),
  payouts: verbsOf(rowOf({payee_id: text}), exportedOf({payee_id: text}, {payout_id: textOrNull})),
};

export const BATCH: Readonly<Record<string, Printed>> = Object.fromEntries(
  Object.entries(TOPICS).flatMap(([topic, verbs]) =>
    Object.entries(verbs).map(([verb, printed]) => [`${topic}:batch:${verb}`, printed]),
  ),
);
