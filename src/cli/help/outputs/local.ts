import * as z from 'zod';
import type {Summary} from '../../../batch/standing/summary.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {ERRORS} from '../../../errors.ts';
import {keysOf} from '../../../narrow.ts';
import type * as forms from './forms.ts';
import {anything, count, countOrNull, document, flag, list, mode, object, text, textOrNull} from './forms.ts';

const service = z.custom<ServiceFile>().describe('the service file: docs/reference/service.schema.json');
const amountsMinor = z.record(z.string(), count).describe('by currency, in minor units');

const caps = object({
  max_amount_minor: amountsMinor.optional(),
  max_batch_total_minor: amountsMinor.optional(),
  max_batch_rows: count.optional(),
  rails: z.array(text).optional(),
});
const tls = object({
  ca_file: text.optional(),
  client_cert: text.optional(),
  client_key: text.optional(),
});

const summary = {
  name: text,
  default: flag,
  mode: mode.nullable(),
  base_url: text,
  key: textOrNull.describe('masked'),
  read_only: flag,
  approve_by_id: flag,
};
const approval = {
  approval_policy: object({path: text, sha256: text}).optional(),
  approval_key: text.optional(),
};
const Profile = document(object({...summary, ...approval, caps, service, tls}));

export const Doctor = object({
  profile: textOrNull,
  base_url: textOrNull,
  mode: textOrNull,
  ok: flag,
  counts: object({holds: count, differs: count, unknown: count}),
  requests: count,
  checks: z.array(
    object({
      area: z.enum(['setup', 'connection', 'service']),
      check: text,
      verdict: z.enum(['holds', 'differs', 'unknown']),
      evidence: text,
      row: countOrNull.describe('row of the assumption'),
      write: z.custom<ServiceFile | null>().describe('the part to add to the service file, or null'),
      sure: flag.nullable(),
      fix: textOrNull,
    }),
  ),
  service: service.describe('with all differences that are certain'),
  written: textOrNull.describe('path of the file that was written'),
  probed: object({
    created: z.array(text),
    canceled: z.array(text),
    left: z.array(object({noun: text, id: text, status: text.nullable()})),
  })
    .nullable()
    .describe('what --probe-writes created and canceled, and the records that remain'),
});

const Whoami = object({
  profile: textOrNull,
  mode,
  base_url: text,
  key: text.describe('masked'),
  key_fingerprint: text,
  read_only: flag,
  caps,
  service,
  tls,
  proxy: textOrNull,
  from: z.record(z.string(), text).describe('where each value comes from'),
  project_file: textOrNull,
  config_dir: text,
  state_dir: text,
});

export const Explanation = object({
  kind: z.enum([
    'error',
    'service code',
    'exit code',
    'HTTP status',
    'status',
    'bank code',
    'batch row',
    'sandbox scenario',
  ]),
  name: text,
  of: text.optional().describe('what has the status: payouts'),
  meaning: text,
  exit_code: count.optional(),
  retryable: flag.optional(),
  errors: z
    .array(z.enum(keysOf(ERRORS)))
    .optional()
    .describe('that end with this exit code, or that this HTTP status becomes'),
  next: z.array(text).optional().describe('statuses that may follow; none after a final one'),
  advice: text.optional().describe('what to do'),
});

const flagFacts = z.array(
  object({
    name: text,
    char: textOrNull,
    type: z.enum(['boolean', 'option']),
    required: flag,
    multiple: flag.describe('may be given several times'),
    options: z.array(text).nullable(),
    value: textOrNull.describe('what it looks like'),
    default: anything,
    exclusive: z.array(text),
    depends_on: z.array(text),
    description: textOrNull,
  }),
);
export const Catalogue = object({
  commands: z.array(
    object({
      command: text.describe('the words that are typed: payouts create'),
      summary: text,
      description: textOrNull,
      examples: z.array(text),
      args: z.array(
        object({
          name: text,
          required: flag,
          repeats: flag.describe('may be given several times; only the last argument'),
          options: z.array(text).nullable(),
          description: textOrNull,
        }),
      ),
      flags: flagFacts.describe('its own; the global ones are the same everywhere'),
      operations: z.array(text).describe('that it may call: remit schema payouts.create'),
      reads_only: flag.describe('false if it may change something, here or at the service'),
    }),
  ),
  global_flags: flagFacts,
});

const shell = text.describe('bash, zsh, fish or powershell');

export const Demo = object({
  folder: text,
  batch: z.custom<Summary>().describe('the summary of the batch: remit schema payouts batch run'),
  second_run_posts: count.describe('POSTs sent by a second run of the same file'),
  service: object({paid: count, total: text, ledger_balanced: flag}).describe(
    'according to the service: payouts approved or further, their sum, and whether the ledger balances',
  ),
});

export const LOCAL: Readonly<Record<string, forms.Printed>> = {
  'profiles:add': Profile,
  'profiles:set': Profile,
  'profiles:unset': Profile,
  'profiles:show': Profile,
  'profiles:list': list(object(summary)),
  'profiles:remove': document(object({name: text, removed: z.literal(true), was_default: z.boolean()})),
  'profiles:test': document(
    object({profile: textOrNull, base_url: text, mode, http_status: count, elapsed_ms: count}),
  ),
  'profiles:use': document(object({default: text, mode: mode.nullable(), base_url: text})),
  whoami: document(Whoami),
  doctor: document(Doctor),
  explain: document(z.array(Explanation)),
  help: document(object({subject: text, help: text})),
  commands: document(Catalogue),
  schema: document(z.looseObject({})),
  completion: document(object({shell, script: text})),
  'completion:install': document(object({shell, script: text, startup: textOrNull, line: textOrNull})),
  'completion:uninstall': document(object({shell, removed: z.array(text)})),
  demo: document(Demo),
};
