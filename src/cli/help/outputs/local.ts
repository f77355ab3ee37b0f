import * as z from 'zod';
import {ERRORS} from '../../../errors.ts';
import {keysOf} from '../../../narrow.ts';
import type * as forms from './forms.ts';
import {anything, count, countOrNull, document, flag, list, mode, object, text, textOrNull} from './forms.ts';

const service = anything.describe('the service file: docs/reference/service.schema.json');
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
const Profile = document(object({...summary, caps, service, tls}));

const Doctor = object({
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
      write: anything.describe('the part to add to the service file, or null'),
      sure: flag.nullable(),
      fix: textOrNull,
    }),
  ),
  service,
  written: textOrNull,
  probed: object({
    created: z.array(text),
    canceled: z.array(text),
    left: z.array(object({noun: text, id: text, status: text.nullable()})),
  }).nullable(),
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

const Explanation = object({
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
  of: text.optional(),
  meaning: text,
  exit_code: count.optional(),
  retryable: flag.optional(),
  errors: z.array(z.enum(keysOf(ERRORS))).optional(),
  next: z.array(text).optional(),
  advice: text.optional(),
});

const flagFacts = z.array(
  object({
    name: text,
    char: textOrNull,
    type: z.enum(['boolean', 'option']),
    required: flag,
    multiple: flag,
    options: z.array(text).nullable(),
    value: textOrNull,
    default: anything,
    exclusive: z.array(text),
    depends_on: z.array(text),
    description: textOrNull,
  }),
);
const Catalogue = object({
  commands: z.array(
    object({
      command: text,
      summary: text,
      description: textOrNull,
      examples: z.array(text),
      args: z.array(
        object({
          name: text,
          required: flag,
          repeats: flag,
          options: z.array(text).nullable(),
          description: textOrNull,
        }),
      ),
      flags: flagFacts,
      operations: z.array(text),
      reads_only: flag,
    }),
  ),
  global_flags: flagFacts,
});

const shell = text.describe('bash, zsh, fish or powershell');

const Demo = object({
  folder: text,
  batch: anything.describe('the summary of the batch: remit schema payouts batch run'),
  second_run_posts: count,
  service: object({paid: count, total: text, ledger_balanced: flag}),
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
