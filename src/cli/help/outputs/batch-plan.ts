import * as z from 'zod';
import {amounts, anything, count, countOrNull, flag, mode, object, text, textOrNull} from './forms.ts';

const Issue = object({
  row: count,
  line: count,
  cell: text.optional().describe('in a workbook: Payouts!C14'),
  column: text,
  code: text,
  message: text,
  value: text,
});

export const BatchPlanOutput = object({
  batch_id: text,
  revision: count,
  kind: z.enum(['payin', 'payout']),
  namespace: text,
  plan_hash: text,
  file: text,
  file_sha256: text,
  sheet: textOrNull.describe('of a workbook'),
  changed: z.boolean(),
  changes: anything.describe('what an edited file changes in a batch that has run; otherwise null'),
  planned: count,
  invalid_rows: count,
  empty_rows: count,
  totals: amounts,
  rails: z.array(object({rail: textOrNull, currency: text, rows: count, total: text})),
  largest: object({n: count, line: count, reference: text, party: text, currency: text, amount: text}),
  soft_duplicates: object({
    count,
    examples: z.array(object({references: z.array(text), party: text, currency: text, amount: text})),
  }),
  similar_references: object({count, examples: z.array(z.array(text))}),
  scheduled: object({first: textOrNull, last: textOrNull}),
  warnings: z.array(text),
  error_groups: z.array(object({code: text, column: text, count, examples: z.array(Issue)})),
  errors: z.array(Issue),
  seen_before: z
    .array(object({batch: text, mode, base_url: text, namespace: text, rows: count, example: text}))
    .nullable(),
  seen_alike: z
    .array(
      object({
        ...{mode, base_url: text, alike: count, similar: count},
        examples: z.array(
          object({
            reference: text,
            earlier: object({
              ...{batch: textOrNull, namespace: textOrNull, reference: text, id: textOrNull, at: text},
            }),
          }),
        ),
      }),
    )
    .nullable(),
  next: textOrNull,
  page_file: text.optional().describe('with --html'),
});

const Payment = object({party: text, amount: text, currency: text}).nullable();
const Differences = object({
  rows: count,
  totals: amounts,
  listed: z
    .array(
      object({
        reference: text,
        line: countOrNull,
        state: textOrNull,
        id: textOrNull,
        file: Payment,
        paid: Payment,
        fields: z.array(text),
        returned_on: text.optional().describe('day on which the bank returned it; absent otherwise'),
        return_code: textOrNull.optional(),
        paid_again_by: textOrNull.optional().describe('batch that has paid it again'),
      }),
    )
    .describe('the first 10,000'),
});
export const BatchDiffOutput = object({
  equal: flag,
  file: text,
  file_sha256: text,
  sheet: textOrNull,
  batch_id: text,
  rows: object({file: count, paid: count, same: count}),
  left_out: count,
  not_paid: Differences,
  not_in_file: Differences,
  differ: Differences,
});
