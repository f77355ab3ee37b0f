import * as z from 'zod';
import type {DeepReadonly} from '../../../narrow.ts';

/** What a command prints with `-o json` and `-o ndjson`. */
export type Printed =
  /** One JSON document, which is also the one line of NDJSON. */
  | {form: 'document'; schema: z.ZodType}
  /** A JSON array, or a line for each item; `rows` are its usual items if a flag changes them. */
  | {form: 'list'; schema: z.ZodType; rows?: z.ZodType}
  /** Lines while it runs, with `-o ndjson` only; `document` if `-o json` prints one too. */
  | {form: 'lines'; schema: z.ZodType; document?: z.ZodType}
  /** Nothing in these formats. */
  | {form: 'none'};

/** What a command returns to be printed by a schema. */
export type Shown<Schema extends z.ZodType> = DeepReadonly<z.output<Schema>>;

export const document = (schema: z.ZodType): Printed => ({form: 'document', schema});
export const list = (schema: z.ZodType): Printed => ({form: 'list', schema});
/** A list that is another one with a flag. */
export const listOr = (rows: z.ZodType, other: z.ZodType): Printed => ({
  ...{form: 'list', schema: z.union([rows, other]), rows},
});
export const lines = (schema: z.ZodType, whole?: z.ZodType): Printed =>
  whole === undefined ? {form: 'lines', schema} : {form: 'lines', schema, document: whole};

export const text = z.string();
export const textOrNull = z.string().nullable();
export const flag = z.boolean();
export const count = z.int().min(0);
export const countOrNull = count.nullable();
/** Major units as decimal text. */
export const amounts = z.record(z.string(), z.string()).describe('by currency, in major units');
export const moment = z.string().describe('ISO 8601 in UTC');
export const anything = z.unknown();
export const mode = z.enum(['test', 'live']);
export const object = z.strictObject;

/** The request that `--dry-run` shows instead of a result. */
export const DryRun = object({
  dry_run: z.literal(true),
  method: text,
  url: text,
  headers: z.record(z.string(), z.string()).describe('the key is masked'),
  body: anything,
  idempotency_key: textOrNull,
  curl: text.optional().describe('with --curl'),
});
