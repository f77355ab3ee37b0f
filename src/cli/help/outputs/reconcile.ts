import * as z from 'zod';
import {count, document, list, object, text, textOrNull, type Printed} from './forms.ts';

const counted = object({
  count,
  amount: text.describe('exact, in major units; money that leaves the account is negative'),
});

const AccountTotals = object({
  account: textOrNull.describe('null for payments that no account has booked yet, if there are several'),
  currency_code: text,
  opening: textOrNull,
  matched: counted,
  returned: counted,
  internal: counted,
  ignored: counted.describe('lines that a person ignores'),
  unexplained: counted.describe('lines in every other state'),
  closing: textOrNull.describe('opening + matched + returned + internal + ignored + unexplained'),
  differences: counted.describe('confirmed: lines less their payments; part of matched and returned'),
  balances: z
    .enum(['stated', 'calculated', 'unknown'])
    .describe('calculated: opening follows from the other sums'),
  pending: counted,
  planned: counted.describe('the sum of payments'),
  carried_over: counted.describe('part of planned: sent before the period'),
  payments: z.record(text, counted).describe('by state'),
});

const ReportedFinding = object({
  kind: text,
  text,
  payment: textOrNull.describe('id of its record, or batch:NAME/REFERENCE'),
  batch: textOrNull,
  reference: textOrNull,
  line: textOrNull.describe('the id of the bank line, or its key'),
  amount: text,
  currency_code: text,
  day: textOrNull,
  return_code: textOrNull,
  candidates: z.array(text),
  next: z.array(text).describe('commands to type'),
});

export const Reconciled = object({
  accounts: z.array(object({id: text, label: textOrNull})),
  from: text,
  to: text,
  batches: z.array(text).describe('those that the findings are restricted to; empty for none'),
  conclusive: z.boolean(),
  why: z.array(text).describe('why it is not conclusive'),
  lines: object({added: count, known: count, changed: count, gone: count}).describe(
    'bank lines of the service, since the last run',
  ),
  statement: object({format: text, lines: count}).nullable(),
  totals: z.array(AccountTotals).describe('of the period, by account and currency'),
  counts: z.record(text, count).describe('findings by kind'),
  findings: z.array(ReportedFinding).describe('the first 1000 of each kind, the most urgent first'),
  unplanned: count.describe('payments of the service that no batch of the state folder has'),
  files: z.array(text).describe('what was written'),
});

/** Of `reconcile statements`. */
const knownStatement = () =>
  object({
    id: text,
    file: text,
    format: text,
    account: text.describe('id of the treasury account'),
    number: textOrNull.describe('end of the account number that it states'),
    from: text,
    to: text,
    lines: count,
    read_by: text,
    read_at: text,
    forgotten_by: textOrNull,
    forgotten_at: textOrNull,
    note: textOrNull.describe('why it was forgotten'),
  });
export const KnownStatement = knownStatement();

/** A schema of its own for each command, which has its own entry in the published document. */
const decided = () =>
  document(
    object({
      line: text,
      verb: z.enum(['confirm', 'reject', 'ignore']),
      payments: z.array(text),
      note: text,
      by: text,
      at: text,
    }),
  );

export const RECONCILE: Readonly<Record<string, Printed>> = {
  reconcile: document(Reconciled),
  'reconcile:confirm': decided(),
  'reconcile:reject': decided(),
  'reconcile:ignore': decided(),
  'reconcile:forget': document(knownStatement()),
  'reconcile:statements': list(knownStatement()),
};
