import type * as z from 'zod';
import {type IdFormat, isId} from '../ids.ts';
import {Empty, ErrorBody, PageQuery} from './fields.ts';
import {issueWords, valueAtPath} from './issue-words.ts';
import * as moves from './moves.ts';
import * as parties from './parties.ts';
import * as transfers from './transfers.ts';
import * as treasury from './treasury.ts';
import * as webhooks from './webhooks.ts';

/**
 * Every schema by the name that operations use; OpenAPI components have the same names. Loads zod: import it lazily.
 */
export const SCHEMAS = {
  Empty,
  ErrorBody,
  PageQuery,
  ...transfers,
  ...parties,
  ...moves,
  ...treasury,
  ...webhooks,
} as const;

export type SchemaName = keyof typeof SCHEMAS;
/** What a schema accepts: a request body as a caller writes it. */
export type Input<N extends SchemaName> = z.input<(typeof SCHEMAS)[N]>;
/** What a schema returns: an answer as a reader sees it. */
export type Output<N extends SchemaName> = z.output<(typeof SCHEMAS)[N]>;

/** One error in a request: the field (dotted path, empty for the whole) and the problem. */
export interface FieldIssue {
  field: string;
  issue: string;
  /** The values of a list, if the field has one. */
  allowed?: readonly string[];
}

/**
 * Checks `value` against a schema. Returns the parsed value, or every issue by field. Never throws.
 * @param ids what ids look like
 */
export function check<N extends SchemaName>(
  name: N,
  value: unknown,
  ids: IdFormat = 'uuid',
): {ok: true; value: Output<N>} | {ok: false; issues: FieldIssue[]} {
  const result = SCHEMAS[name].safeParse(value);
  const issues = (result.error?.issues ?? []).filter(
    (issue) => !(isGuid(issue) && isId(String(valueAtPath(value, issue.path)), ids)),
  );
  const read: unknown = result.success ? result.data : value;
  if (issues.length === 0) return {ok: true, value: read as Output<N>}; // the union of schemas hides which one
  return {
    ok: false,
    issues: issues.map((issue) => ({
      field: issue.path.join('.'),
      issue: issueWords(issue, valueAtPath(value, issue.path)),
      ...(issue.code === 'invalid_value' ? {allowed: issue.values.map(String)} : {}),
    })),
  };
}

const isGuid = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_format' && issue.format === 'guid';
