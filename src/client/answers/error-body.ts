import {isList, isObject} from '../../narrow.ts';

/** The contents of an error body; each part only if present. */
export interface ErrorBody {
  /** The service's own code, unchanged. */
  errorCode?: string;
  message?: string;
  details?: unknown;
}

type Json = Readonly<Record<string, unknown>>;

const asObject = (value: unknown): Json => (isObject(value) ? value : {});

/**
 * Reads the common shapes of error bodies (assumption 42): a code in `error_code`, `code`, `error.code` or `type`;
 * text in `message`, `title` or `detail`, in problem+json (RFC 9457) both of the latter; and one or more problems in
 * `errors`, `error.errors` or `detail`, as a list or by field.
 */
export function readErrorBody(json: Json): ErrorBody {
  const nested = asObject(json['error']);
  const problems = problemsIn(json['errors'] ?? nested['errors'] ?? listOnly(json['detail']));
  const [first = {}] = problems;
  const code = firstOf(
    [json['error_code'], json['code'], nested['error_code'], nested['code'], json['error']].concat([
      json['type'],
      nested['type'],
      first['error_code'],
      first['code'],
      first['type'],
    ]),
    isCode,
  );
  const message = messageOf(json, nested, code, problems);
  const details = json['details'] ?? nested['details'] ?? json['errors'] ?? listOnly(json['detail']);
  return {
    ...(code === undefined ? {} : {errorCode: code}),
    ...(message === undefined ? {} : {message}),
    ...(details === undefined || details === null ? {} : {details}),
  };
}

/** Keys that error bodies have, also those of problem+json. */
const ERROR_KEYS: ReadonlySet<string> = new Set([
  ...['error_code', 'code', 'message', 'error', 'errors', 'details', 'detail', 'title', 'type', 'status'],
  ...['instance', 'error_description', 'request_id', 'trace_id', 'timestamp', 'path', 'success'],
]);

/**
 * Whether a body contains an error and nothing else. Some services and gateways send one with a 200; it is neither a
 * record nor a confirmation. A record that has such a field beside its own is not meant.
 */
export const isErrorBody = (json: Json): boolean =>
  ['error_code', 'error', 'errors'].some((key) => hasContent(json[key])) &&
  Object.keys(json).every((key) => ERROR_KEYS.has(key));

const hasContent = (value: unknown): boolean =>
  isObject(value) || isList(value)
    ? Object.keys(value).length > 0
    : typeof value === 'string' && value !== '';

function messageOf(json: Json, nested: Json, code: string | undefined, problems: readonly Json[]) {
  const words = (object: Json) => [object['message'], ...titleAndDetail(object)];
  const said = firstOf([...words(json), ...words(nested), json['error_description'], json['error']], isWords);
  const own = said === code ? undefined : said;
  const listed = [...new Set(problems.flatMap(wordsOf))].filter((text) => !own?.includes(text));
  const more = listed.length > MOST_PROBLEMS ? ` (and ${listed.length - MOST_PROBLEMS} more)` : '';
  const list = listed.slice(0, MOST_PROBLEMS).join('; ') + more;
  if (own === undefined) return list === '' ? undefined : list;
  return list === '' ? own : `${own.replace(/[.:]\s*$/, '')}: ${list}`;
}

/** Enough to act on; `details` has all of them. */
const MOST_PROBLEMS = 3;

/** `title` is the kind of problem, `detail` what happened this time. */
function titleAndDetail({title, detail}: Json): unknown[] {
  if (!isWords(title) || !isWords(detail) || title === detail) return [title, detail];
  return [`${title.replace(/[.:]\s*$/, '')}: ${detail}`];
}

const listOnly = (value: unknown): unknown => (Array.isArray(value) ? value : undefined);

/** `[{field, message}]`, `['words']` or `{field: ['words']}`. */
function problemsIn(errors: unknown): Json[] {
  if (isList(errors)) return errors.map((one) => (isWords(one) ? {message: one} : asObject(one)));
  return Object.entries(asObject(errors)).flatMap(([field, said]) =>
    (isList(said) ? said : [said]).map((one) =>
      isWords(one) ? {field, message: one} : {field, ...asObject(one)},
    ),
  );
}

/** `amount: must be positive`. */
function wordsOf(problem: Json): string[] {
  const words = firstOf(
    [problem['message'], problem['detail'], problem['msg'], problem['title'], problem['description']],
    isWords,
  );
  const field = fieldOf(problem);
  if (words === undefined) return [];
  return [field === undefined || words.includes(field) ? words : `${field}: ${words}`];
}

/** The location of the problem: `field`, `param`, `path`, `loc`, or the pointer of JSON:API. */
function fieldOf(problem: Json): string | undefined {
  const source = asObject(problem['source']);
  const at = [problem['field'], problem['param'], problem['name'], problem['path'], problem['loc']];
  for (const place of [...at, source['pointer'], source['parameter'], problem['pointer']]) {
    const text = Array.isArray(place) ? place.filter((part) => part !== 'body').join('.') : place;
    if (isWords(text)) return text.replace(/^#?\//, '').replaceAll('/', '.');
  }
  return undefined;
}

/** Accepts a single word, not a sentence and not the URL that problem+json puts into `type`. */
const isCode = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/.test(value);
const isWords = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function firstOf(values: readonly unknown[], fits: (value: unknown) => value is string): string | undefined {
  return values.find(fits);
}
