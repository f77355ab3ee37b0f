import type * as z from 'zod';

/**
 * Describes an invalid value in the words of this tool: the schema library's own texts ("Too small: expected number
 * to be >=1") are written for the author of the schema. A schema's own message is kept.
 *
 * @param value the value at the path of the issue, in the input
 */
export function issueWords(issue: z.core.$ZodIssue, value: unknown): string {
  switch (issue.code) {
    case 'invalid_type':
      return value === undefined ? 'is missing' : `must be ${NOUNS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}${gotten(value)}`;
    case 'invalid_format':
      return formatWords(issue);
    case 'too_small':
      if (!issue.message.startsWith('Too small')) return issue.message;
      if (issue.origin === 'string' && Number(issue.minimum) === 1) return 'must not be empty';
      return `must ${amountWords(issue.origin, 'at least', issue.inclusive === false ? Number(issue.minimum) + 1 : issue.minimum)}`;
    case 'too_big':
      if (!issue.message.startsWith('Too big')) return issue.message;
      return `must ${amountWords(issue.origin, 'at most', issue.inclusive === false ? Number(issue.maximum) - 1 : issue.maximum)}`;
    case 'unrecognized_keys':
      return `${issue.keys.map((key) => JSON.stringify(key)).join(', ')} ${issue.keys.length === 1 ? 'is an unknown field' : 'are unknown fields'}`;
    case 'invalid_union':
      return issue.discriminator === undefined
        ? 'matches none of the allowed formats'
        : 'is of an unknown type';
    case 'invalid_key':
    case 'invalid_element':
    case 'not_multiple_of':
      return 'contains a value that is not allowed';
    case 'custom':
      return issue.message;
  }
}

const NOUNS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
};

const FORMATS: Readonly<Record<string, string>> = {
  guid: 'must be an id: a UUID such as 018f0000-0000-7000-8000-000000000001',
  uuid: 'must be an id: a UUID such as 018f0000-0000-7000-8000-000000000001',
  date: 'must be a valid date such as 2026-11-30',
  datetime: 'must be a time in UTC such as 2026-11-30T12:00:00Z',
  url: 'must be a URL',
};

function formatWords(issue: z.core.$ZodIssueInvalidStringFormat): string {
  if (!issue.message.startsWith('Invalid')) return issue.message; // the schema's own words
  const known = FORMATS[issue.format];
  if (known !== undefined) return known;
  if ('prefix' in issue) return `must begin with ${String(issue.prefix)}`;
  return 'has an invalid format';
}

/** `be at least 1`, `have at most 5 characters`. */
function amountWords(origin: string, bound: string, limit: number | bigint | undefined): string {
  const most = `${bound} ${limit}`;
  if (origin === 'string') return `have ${most} ${Number(limit) === 1 ? 'character' : 'characters'}`;
  if (origin === 'array' || origin === 'set' || origin === 'map')
    return `have ${most} ${Number(limit) === 1 ? 'entry' : 'entries'}`;
  return `be ${most}`;
}

const gotten = (value: unknown): string =>
  typeof value === 'string' && value.length <= 60 ? `, not ${JSON.stringify(value)}` : '';

/** The value at the path of an issue. */
export function valueAtPath(value: unknown, path: readonly PropertyKey[]): unknown {
  let at = value;
  for (const step of path) {
    if (at === null || typeof at !== 'object') return undefined;
    at = Reflect.get(at, step);
  }
  return at;
}
