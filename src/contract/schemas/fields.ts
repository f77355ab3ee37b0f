import * as z from 'zod';
import {LIMITS} from '../limits.ts';

export const Uuid = z.guid().meta({format: 'uuid'});
/**
 * ISO 8601, UTC. The format is documented but not enforced, because an unusual time must not make an answer
 * unreadable.
 */
export const Timestamp = z.string().meta({format: 'date-time'});
/** Interface document, "Limits": a positive whole number of minor units. */
export const AmountMinor = z.int().positive().max(LIMITS.amountMinorMax);
/** Checks only the format: which currencies a market accepts is decided by the service (assumption 53). */
export const CurrencyCode = z
  .string()
  .regex(/^[A-Z]{3}$/, 'a currency code is three capital letters (ISO 4217)');
/** A calendar day, YYYY-MM-DD. Whether it is in the past is decided by the service's clock. */
export const CalendarDay = z.iso.date();

/** Text that databases can store: none accepts U+0000. */
const NO_NUL = /^[^\u0000]*$/;
const NUL_ISSUE = 'must not contain U+0000';
/** A name as people write it: trimmed, not empty. */
export const nameOf = (most: number) => z.string().trim().min(1).max(most).regex(NO_NUL, NUL_ISSUE);
export const Name = nameOf(LIMITS.nameLength);
/** Free text, kept unchanged. */
export const Description = z.string().max(LIMITS.descriptionLength).regex(NO_NUL, NUL_ISSUE);

/**
 * Interface document, "Errors": an account pair must be two different accounts. UUIDs are compared
 * case-insensitively.
 */
export const differ =
  <K extends string>(a: K, b: K) =>
  (body: Record<K, string>, context: z.RefinementCtx): void => {
    if (body[a].toLowerCase() === body[b].toLowerCase())
      context.addIssue({code: 'custom', message: `is the same as ${a}`, path: [b]});
  };

const MetadataEntries = z
  .record(z.string(), z.string())
  .superRefine(checkMetadata)
  .meta({
    description: `At most ${LIMITS.metadataBytes} bytes as compact JSON.`,
    maxProperties: LIMITS.metadataKeys,
    propertyNames: {type: 'string', minLength: 1, maxLength: LIMITS.metadataKeyLength},
    additionalProperties: {type: 'string', maxLength: LIMITS.metadataValueLength},
  });

/** Interface document, "Limits"; counted as in assumption 52. A record schema silently drops a key `__proto__`. */
export const Metadata = z.preprocess((metadata: Record<string, string>, context) => {
  if (hasProto(metadata)) context.addIssue({code: 'custom', message: 'a metadata key cannot be __proto__'});
  return metadata;
}, MetadataEntries);

/** @param metadata anything: it is typed for callers, and checked only afterwards */
const hasProto = (metadata: unknown): boolean =>
  typeof metadata === 'object' && metadata !== null && Object.hasOwn(metadata, '__proto__');

function checkMetadata(metadata: Record<string, string>, context: z.RefinementCtx): void {
  const entries = Object.entries(metadata);
  const complain = (message: string, path: string[] = []) =>
    context.addIssue({code: 'custom', message, path});
  if (entries.length > LIMITS.metadataKeys)
    complain(`has ${entries.length} keys; at most ${LIMITS.metadataKeys}`);
  for (const [key, value] of entries) {
    if (key.length === 0) complain('a metadata key is empty');
    if (isLonger(key, LIMITS.metadataKeyLength))
      complain(`a metadata key is longer than ${LIMITS.metadataKeyLength} characters`, [key]);
    if (isLonger(value, LIMITS.metadataValueLength))
      complain(`is longer than ${LIMITS.metadataValueLength} characters`, [key]);
  }
  const text = JSON.stringify(metadata);
  if (text.length * UTF8_MOST > LIMITS.metadataBytes && encoder.encode(text).length > LIMITS.metadataBytes)
    complain(`is larger than ${LIMITS.metadataBytes} bytes as JSON`);
}

const encoder = new TextEncoder();
/** Maximum number of UTF-8 bytes for one UTF-16 unit. */
const UTF8_MOST = 3;

/** Counted in code points; a text has at most as many as UTF-16 units. */
const isLonger = (text: string, most: number): boolean => text.length > most && [...text].length > most;

/** Assumptions 40, 41. Query values arrive as text. */
export const PageQuery = z.strictObject({
  cursor: z.string().min(1).optional(),
  limit: z
    .string()
    .regex(/^\d+$/, 'a whole number')
    .transform(Number)
    .pipe(z.int().min(LIMITS.pageSizeMin).max(LIMITS.pageSizeMax))
    .optional(),
  order: z.enum(['asc', 'desc']).optional(),
});

export const Empty = z.strictObject({});

/** Assumption 39: `next_cursor` is null on the last page. */
export const pageSchemaOf = <T extends z.ZodType>(item: T) =>
  z.looseObject({data: z.array(item), next_cursor: z.string().nullable()});

/** Assumption 42. */
export const ErrorBody = z.looseObject({
  error_code: z.string(),
  message: z.string(),
  details: z.array(z.looseObject({field: z.string(), issue: z.string()})).optional(),
});
