import {SERVICE_ERRORS} from '../../contract/error-codes.ts';
import {ExactNumber, isList, isObject, type JsonFields, type Json, asObject} from '../../narrow.ts';

/** The contents of an error body; each part only if present. */
export interface ErrorBody {
  /** The service's own code, unchanged. */
  errorCode?: string;
  message?: string;
  details?: Json;
}

/**
 * Reads the common shapes of error bodies (assumption 42): a code in `error_code`, `code`, `error.code` or `type`;
 * text in `message`, `title` or `detail`, in problem+json (RFC 9457) both of the latter; and one or more problems in
 * `errors`, `error.errors` or `detail`, as a list or by field.
 */
export function readErrorBody(json: JsonFields): ErrorBody {
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
  ...['instance', 'error_description', 'request_id', 'trace_id', 'timestamp', 'path', 'success', 'ok'],
]);

/**
 * Whether a body with a status of success reports an error. Some services and gateways send one with a 200; it is
 * neither a record nor a confirmation. `success: false` always means an error, and so does a filled `error`,
 * `errors` or `error_code` in a body that is not itself a record, whatever is in its envelope. A record may have such
 * a field beside its own: a failed payment says why.
 *
 * @param status with 207, an envelope with contents and an error is a partial success
 */
export function isErrorBody(json: JsonFields, status = 200): boolean {
  if (isNo(json['success']) || isNo(json['ok'])) return true;
  if (hasOwnId(json)) return false;
  if (['error_code', 'error', 'errors'].some((key) => isFilled(json[key])))
    return status !== 207 || !isFilled(json['data']);
  return Object.entries(json).every(([key, value]) => ERROR_KEYS.has(key) || !isFilled(value)) && isBad(json);
}

const isNo = (value: Json): boolean => value === false || value === 'false';

/** An id of the record itself or of what it belongs to; other ids are those of the exchange. */
const hasOwnId = (json: JsonFields): boolean =>
  (typeof json['id'] === 'string' && json['id'] !== '') || // nearly always
  Object.entries(json).some(
    ([key, value]) =>
      /(^|_)id$|[a-z]Id$/.test(key) &&
      !/^(request|trace|correlation|span|error)_?id$/i.test(key) &&
      (typeof value === 'number' ||
        value instanceof ExactNumber ||
        (typeof value === 'string' && value !== '')),
  );

/** A body with nothing but such keys is an error by its status, as in JSend and problem+json, or by a documented code. */
const isBad = ({status, code}: JsonFields): boolean =>
  status === 'error' ||
  status === 'fail' ||
  (typeof status === 'number' && status >= 400) ||
  (typeof code === 'string' && Object.hasOwn(SERVICE_ERRORS, code));

/** Values with which services state that there is no error. */
const NO_ERROR: ReadonlySet<Json> = new Set(['', '0', '00', '000', 'ok', 'none', 'success', 'null', 0, 200]);

function isFilled(value: Json): boolean {
  if (isList(value)) return value.length > 0;
  if (isObject(value)) return Object.values(value).some(isFilled);
  if (typeof value === 'string') return !NO_ERROR.has(value.trim().toLowerCase());
  return (
    value === true || value instanceof ExactNumber || (typeof value === 'number' && !NO_ERROR.has(value))
  );
}

function messageOf(
  json: JsonFields,
  nested: JsonFields,
  code: string | undefined,
  problems: readonly JsonFields[],
) {
  const words = (object: JsonFields) => [object['message'], ...titleAndDetail(object)];
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
function titleAndDetail({title, detail}: JsonFields): Json[] {
  if (!isWords(title) || !isWords(detail) || title === detail) return [title, detail];
  return [`${title.replace(/[.:]\s*$/, '')}: ${detail}`];
}

const listOnly = (value: Json): Json => (Array.isArray(value) ? value : undefined);

/** `[{field, message}]`, `['words']` or `{field: ['words']}`. */
function problemsIn(errors: Json): JsonFields[] {
  if (isList(errors)) return errors.map((one) => (isWords(one) ? {message: one} : asObject(one)));
  return Object.entries(asObject(errors)).flatMap(([field, said]) =>
    (isList(said) ? said : [said]).map((one) =>
      isWords(one) ? {field, message: one} : {field, ...asObject(one)},
    ),
  );
}

/** `amount: must be positive`. */
function wordsOf(problem: JsonFields): string[] {
  const words = firstOf(
    [problem['message'], problem['detail'], problem['msg'], problem['title'], problem['description']],
    isWords,
  );
  const field = fieldOf(problem);
  if (words === undefined) return [];
  return [field === undefined || words.includes(field) ? words : `${field}: ${words}`];
}

/** The location of the problem: `field`, `param`, `path`, `loc`, or the pointer of JSON:API. */
function fieldOf(problem: JsonFields): string | undefined {
  const source = asObject(problem['source']);
  const at = [problem['field'], problem['param'], problem['name'], problem['path'], problem['loc']];
  for (const place of [...at, source['pointer'], source['parameter'], problem['pointer']]) {
    const text = Array.isArray(place) ? place.filter((part) => part !== 'body').join('.') : place;
    if (isWords(text)) return text.replace(/^#?\//, '').replaceAll('/', '.');
  }
  return undefined;
}

/** Accepts a single word, not a sentence and not the URL that problem+json puts into `type`. */
const isCode = (value: Json): value is string =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_.-]{0,99}$/.test(value);
const isWords = (value: Json): value is string => typeof value === 'string' && value.trim() !== '';

function firstOf(values: readonly Json[], fits: (value: Json) => value is string): string | undefined {
  return values.find(fits);
}
