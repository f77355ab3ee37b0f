import * as z from 'zod';
import {anything, count, countOrNull, document, object, text, textOrNull, type Printed} from './forms.ts';

const Approved = object({
  batch_id: text,
  revision: count,
  person: text.describe('the name in the policy'),
  fingerprint: text,
  rows: count,
  totals: z.record(z.string(), text).describe('major units by currency'),
  expires: text,
  written: text,
});
const Asked = object({batch_id: text, written: text}).describe('with --ask');

const Audit = object({
  batch_id: text,
  ok: z.boolean(),
  events: z.array(
    object({
      seq: count,
      event: text,
      at: text,
      by: text.describe('user of the operating system'),
      person: textOrNull.describe('the name in the policy'),
      facts: z.record(z.string(), anything),
      previous: text.describe('hash of the event before'),
    }),
  ),
  signatures: z.array(
    object({
      ...{name: text, role: z.enum(['maker', 'approver']), person: textOrNull, fingerprint: text},
      ...{events: count.describe('events when it was signed'), issued: text, expires: text},
    }),
  ),
  problems: z.array(text),
});

const policy = {
  sha256: text,
  rules: z.array(
    object({
      ...{currency: text, above_minor: text, approvers: z.array(text), quorum: count},
      ...{expires_ms: count, keys: z.enum(['any', 'hardware', 'pin']), text},
    }),
  ),
  people: z.array(object({person: text, type: text, fingerprint: text})),
};

/** The verbs of `batch` that approve, or say who may. */
export const APPROVAL: Readonly<Record<string, Printed>> = {
  approve: document(z.union([Approved, Asked])),
  audit: document(Audit),
  'policy:init': document(object({...policy, written: text})),
  'policy:show': document(object({...policy, profile: textOrNull, path: text})),
  'policy:check': document(
    object({
      ...{...policy, warnings: z.array(text), is_pinned: z.boolean()},
      signed_by: z.array(text).nullable().describe('approvers of the pinned policy'),
      quorum: countOrNull,
    }),
  ),
};
