import {isObject} from '../../narrow.ts';
import type {Schema} from './schema.ts';

/** A value that the schema does not allow. `path` leads to it; `name`: the key itself is not allowed. */
export interface SchemaIssue {
  readonly path: readonly string[];
  readonly allowed: string;
}

/** The first part of a value that its schema does not allow. */
export function firstIssue(
  value: unknown,
  schema: Schema,
  path: readonly string[] = [],
): SchemaIssue | undefined {
  if (schema.anyOf !== undefined) {
    const issues = schema.anyOf.map((branch) => firstIssue(value, branch, path));
    if (issues.includes(undefined)) return undefined;
    const deeper = issues.find((issue) => issue !== undefined && issue.path.length > path.length);
    return deeper ?? {path, allowed: allowedBy(schema)};
  }
  if (!isAllowed(value, schema)) return {path, allowed: allowedBy(schema)};
  if (schema.type !== 'object' || !isObject(value)) return undefined;
  const {properties = {}, propertyNames, additionalProperties} = schema;
  for (const [name, inner] of Object.entries(value)) {
    const at = [...path, name];
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own === undefined && additionalProperties === false)
      return {
        path: at,
        allowed: `is not a key here; known: ${Object.keys(properties).filter(isShown).join(', ')}`,
      };
    if (own === undefined && propertyNames !== undefined && !isAllowed(name, propertyNames))
      return {path: at, allowed: nameAllowedBy(name, propertyNames)};
    const nested = own ?? (additionalProperties || undefined);
    const issue = nested === undefined ? undefined : firstIssue(inner, nested, at);
    if (issue !== undefined) return issue;
  }
  return undefined;
}

const isShown = (name: string): boolean => !name.startsWith('$');

function isAllowed(value: unknown, schema: Schema): boolean {
  if (schema.enum !== undefined) return schema.enum.some((word) => word === value);
  if (schema.type === 'object') return isObject(value);
  if (schema.type === 'integer')
    return (
      typeof value === 'number' &&
      Number.isInteger(value) &&
      value >= (schema.minimum ?? -Infinity) &&
      value <= (schema.maximum ?? Infinity)
    );
  return typeof value === 'string' && new RegExp(schema.pattern ?? '').test(value);
}

function allowedBy({description, enum: words, type}: Schema): string {
  if (description !== undefined) return `must be ${description}`;
  return words === undefined
    ? `must be ${type === 'object' ? 'an object' : `a ${type}`}`
    : `must be ${listed(words)}`;
}

const nameAllowedBy = (name: string, {description = 'a known name', enum: words}: Schema): string => {
  const like = (words ?? []).map(String).filter((word) => isLike(word, name));
  return `is not ${description}${like.length === 0 ? '' : `; did you mean ${like.slice(0, 3).join(' or ')}?`}`;
};

/** One letter inserted, removed or changed, or the same letters in another case. */
function isLike(word: string, name: string): boolean {
  const [a, b] = [word.toLowerCase(), name.toLowerCase()];
  if (a === b) return true;
  if (Math.abs(a.length - b.length) > 1) return false;
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return (
    a.slice(at + 1) === b.slice(at + 1) || a.slice(at) === b.slice(at + 1) || a.slice(at + 1) === b.slice(at)
  );
}

const listed = (words: NonNullable<Schema['enum']>): string =>
  words
    .map((word) => JSON.stringify(word))
    .join(', ')
    .replace(/, (?!.*,)/, ' or ');
