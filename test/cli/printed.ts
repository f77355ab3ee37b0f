import assert from 'node:assert/strict';
import type {ZodType} from 'zod';
import {OUTPUTS} from '../../src/cli/help/outputs/outputs.ts';
import {SERVICE} from '../../src/cli/help/outputs/service.ts';

/**
 * Holds what a command printed to its published schema. Every test that runs a command in JSON checks its output this
 * way.
 * @param fromSandbox the answers are those of the sandbox; others may be anything
 */
export function checkPrinted(
  argv: readonly string[],
  stdout: string,
  {fromSandbox}: {fromSandbox: boolean},
): void {
  const format = formatOf(argv);
  const id = commandOf(argv);
  if (format === undefined || id === undefined || stdout === '') return;
  if (argv.some((word) => /^--(query|fields)\b/.test(word)) || (id in SERVICE && !fromSandbox)) return;
  const printed = OUTPUTS[id];
  assert.ok(printed, `${id} has no schema of its output: add it to src/cli/help/outputs`);
  assert.notEqual(printed.form, 'none', `${id} prints something`);
  if (printed.form === 'none') return;
  const isStream = id === EXPORT && !argv.some((word) => /^--out\b/.test(word));
  if (format === 'ndjson' || isStream) {
    for (const line of stdout.trimEnd().split('\n')) holdTo(printed.schema, JSON.parse(line), id);
    return;
  }
  const whole: unknown = JSON.parse(stdout.replaceAll(OTHER_ID, '$1-$2-$3-$4-$5'));
  if (printed.form === 'list') for (const item of whole as unknown[]) holdTo(printed.schema, item, id);
  else holdTo(printed.form === 'lines' ? printed.document : printed.schema, whole, id);
}

/** An id of a sandbox with `ids.format` `any`; the schemas describe those of the contract. */
const OTHER_ID = /\bid_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\b/g;

function holdTo(schema: ZodType | undefined, value: unknown, id: string): void {
  assert.ok(schema, `${id} has no schema for -o json`);
  const {success, error} = schema.safeParse(value);
  assert.ok(success, `${id} printed ${JSON.stringify(value).slice(0, 2000)}, but ${error?.message}`);
}

function formatOf(argv: readonly string[]): 'json' | 'ndjson' | undefined {
  if (argv.includes('--json')) return 'json';
  const at = argv.findIndex((word) => /^(-o|--output)(=|$)/.test(word));
  if (at === -1) return undefined;
  const format = argv[at]!.includes('=') ? argv[at]!.split('=')[1] : argv[at + 1];
  return format === 'json' || format === 'ndjson' ? format : undefined;
}

/** Writes NDJSON to stdout, whatever the format. */
const EXPORT = 'webhooks:events:export';

/** The command at the beginning of a line; undefined if it is none or begins with a flag. */
function commandOf(argv: readonly string[]): string | undefined {
  for (let length = 4; length > 0; length -= 1) {
    const id = argv.slice(0, length).join(':');
    if (id in OUTPUTS && argv.length >= length) return id;
  }
  return undefined;
}
