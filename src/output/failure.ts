import {RemitError} from '../errors.ts';
import {safeJson, type Sanitizer} from '../sanitize/sanitizer.ts';
import {isList, isObject, type JsonFields, type Printable} from '../narrow.ts';
import type {Paint} from './text/colour.ts';
import {wrapHint, wrapLines} from './text/wrap.ts';

/** Turns anything thrown into one of our errors; anything unexpected is reported as a bug. */
export function asRemitError(thrown: unknown): RemitError {
  if (thrown instanceof RemitError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return new RemitError('BUG', `a bug in remit: ${message}`, {
    cause: thrown,
    hint: 'run the same command with --debug and report what it prints',
  });
}

/** The line for machines, the last of stderr. */
export function failureLine(error: RemitError, sanitizer: Sanitizer): string {
  return safeJson({
    error: {
      code: error.code,
      message: sanitizer.layout(error.message),
      http_status: error.httpStatus ?? null,
      exit_code: error.exitCode,
      retryable: error.retryable,
      request_id: error.requestId === undefined ? null : sanitizer.token(error.requestId),
      hint: error.hint === undefined ? null : sanitizer.layout(error.hint),
      details: sanitizer.value(error.details ?? null),
    },
  });
}

const MOST_ISSUES = 10;
const LONGEST_ISSUE = 200;

/** What the service says about each field, unless the message contains it: `amount_in_minor_units: must be at least 100`. */
function issueLines({message, details}: RemitError, sanitizer: Sanitizer): string[] {
  const issues = fieldIssues(details?.['fields']).filter(({issue}) => !message.includes(issue));
  const shown = issues.slice(0, MOST_ISSUES).map(({field, issue}) => {
    const text = field === '' || issue.includes(field) ? issue : `${field}: ${issue}`;
    return `  - ${sanitizer.words(text).slice(0, LONGEST_ISSUE)}`; // a line of its own must not look like a hint
  });
  const left = issues.length - shown.length;
  return left > 0 ? [...shown, `  and ${left} more`] : shown;
}

/** Names of fields and what is wrong with them, in the usual forms of such lists: one object each, or by field. */
function fieldIssues(details: Printable): FieldIssue[] {
  if (isList(details))
    return details.filter(isObject).flatMap((one) => {
      const issue = firstText(one, ISSUE_KEYS);
      return issue === undefined ? [] : [{field: firstText(one, FIELD_KEYS) ?? '', issue}];
    });
  if (!isObject(details)) return [];
  return Object.entries(details).flatMap(([field, value]) =>
    (isList(value) ? value : [value])
      .filter((one) => typeof one === 'string')
      .map((issue) => ({field, issue})),
  );
}

interface FieldIssue {
  /** Empty if it is not named. */
  field: string;
  issue: string;
}

const FIELD_KEYS = ['field', 'param', 'parameter', 'property', 'path', 'name'];
const ISSUE_KEYS = ['issue', 'message', 'msg', 'reason', 'detail', 'description', 'error'];

const firstText = (object: JsonFields, keys: readonly string[]): string | undefined =>
  keys.map((key) => object[key]).find((value): value is string => typeof value === 'string' && value !== '');

/**
 * The text for people: message, details of the service, request id, then the hint; broken between words at `width`.
 */
export function failureText(
  error: RemitError,
  paint: Paint,
  {sanitizer, width = Infinity}: {sanitizer: Sanitizer; width?: number},
): string {
  const [first = '', ...rest] = sanitizer.layout(error.message).split('\n');
  const lines = [`${paint('red', 'Error:')} ${first}`, ...rest.map((line) => `  ${line}`)];
  lines.push(...issueLines(error, sanitizer));
  if (error.requestId !== undefined) lines.push(`  request id: ${sanitizer.token(error.requestId)}`);
  const hint = error.hint === undefined ? '' : `${wrapHint(sanitizer.layout(error.hint), width)}\n`;
  return `${wrapLines(lines.join('\n'), width)}\n${hint}`;
}
