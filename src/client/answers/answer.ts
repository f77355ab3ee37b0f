import {idText} from '../../contract/ids.ts';
import {readJsonExactly} from '../../json/exact.ts';
import {isList, isObject, type JsonFields, type Json, type Printable} from '../../narrow.ts';
import {isErrorBody, readErrorBody} from './error-body.ts';
import {unwrapRecord} from './envelope.ts';
import type {Assumption} from '../../service/file/assumption.ts';
import {type Path, valueAt} from '../../service/paths.ts';
import type {TransportAnswer} from '../transport/transport.ts';

/** The readable parts of an HTTP answer: several error shapes, any content type, no required field. */
export interface Answer<Content = Printable> {
  status: number;
  /** Undefined if the body is empty, is not JSON, or cannot be processed here. */
  json: Content;
  /** Set if there is a body but no `json`: what the body is instead, for the error message. */
  unreadable?: Unreadable;
  /** The answer had no body, as with 204. */
  empty?: true;
  /** The service's own code, unchanged; read only from unsuccessful answers. */
  errorCode?: string;
  message?: string;
  details?: Json;
  requestId?: string;
  /** Counted from now: the minimum wait before the next attempt. */
  retryAfterMs?: number;
  /** The service's wall clock when it answered, as received. */
  date?: string;
  /** The headers, with lower-case names: those of a list may state what follows. Not kept beside a record. */
  headers?: Readonly<Record<string, string>>;
  /** The target of a redirect, as received. */
  location?: string;
  /** Interface document, "Errors": sent with 207. */
  warning?: string;
  /** What may explain that the answer cannot be used. */
  assumption?: Assumption;
}

/** Where a service has what its answers state in other places than assumed; every part is optional. */
export interface AnswerPlaces {
  requestIdHeader?: string | undefined;
  /** Paths into an error body. */
  code?: Path | undefined;
  message?: Path | undefined;
  details?: Path | undefined;
  /** Documented codes by those on the wire. */
  codes?: Readonly<Record<string, string>> | undefined;
}

/** A body that cannot be processed as JSON, with the reason and what is known about it. */
export interface Unreadable {
  /** `text/html`, `broken JSON`, `JSON of an error (VALIDATION_ERROR)`. */
  what: string;
  bytes: number;
  /** Id and status of the record, if the outermost level of the JSON has them. */
  id?: string;
  status?: string;
}

/**
 * Reads an answer, with the error shapes of error-body.ts. Never throws.
 *
 * @param nowMs wall clock, for a Retry-After date of a service that sends no Date
 */
export function readAnswer(answer: TransportAnswer, nowMs: number, places: AnswerPlaces = {}): Answer<Json> {
  const {json, unreadable} = parseBody(answer);
  const read: Answer<Json> = {status: answer.status, json};
  if (!isObject(json) || json['id'] === undefined) read.headers = answer.headers;
  if (answer.body.length === 0) read.empty = true;
  if (unreadable !== undefined) read.unreadable = unreadable;
  const own = places.requestIdHeader === undefined ? undefined : answer.headers[places.requestIdHeader];
  const requestId = own ?? answer.headers['x-request-id'] ?? answer.headers['request-id'];
  if (requestId) read.requestId = requestId;
  const retryAfterMs = readRetryAfter(answer.headers, nowMs);
  if (retryAfterMs !== undefined) read.retryAfterMs = retryAfterMs;
  const {date} = answer.headers;
  if (date !== undefined) read.date = date;
  const {location} = answer.headers;
  if (location !== undefined && answer.status >= 300 && answer.status < 400) read.location = location;
  if (answer.status >= 400 && unreadable?.what === 'text/plain') {
    const words = firstLine(answer.body);
    if (words !== '') read.message = words;
  }
  if (!isObject(json)) return read;
  if (answer.status >= 300) {
    Object.assign(read, readErrorBody(json), readPlaces(json, places));
    const {errorCode} = read;
    if (errorCode !== undefined && Object.hasOwn(places.codes ?? {}, errorCode))
      read.errorCode = places.codes?.[errorCode] ?? errorCode;
  } else if (isErrorBody(json, answer.status)) {
    const {errorCode, message, details} = {...readErrorBody(json), ...readPlaces(json, places)};
    read.json = undefined; // nothing may take it for a record
    read.unreadable = {
      what: `JSON of an error${errorCode === undefined ? '' : ` (${errorCode})`}`,
      bytes: answer.body.length,
      ...namedBy(json),
    };
    if (message !== undefined) read.message = message;
    if (details !== undefined) read.details = details;
  } else if (json['warning'] !== undefined && json['warning'] !== null)
    read.warning = asText(json['warning']);
  return read;
}

/** True for a status that the client treats as success; assumptions, "any 2xx is success". */
export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/**
 * Deeper values overflow the stack when they are redacted, compared or printed. No real record has a tenth of this
 * depth.
 */
const DEEPEST = 200;

function parseBody({body, headers, undecoded}: TransportAnswer): {json?: Json; unreadable?: Unreadable} {
  const bytes = body.length;
  if (bytes === 0) return {};
  if (undecoded !== undefined) return {unreadable: {what: undecoded, bytes}};
  let json: Json;
  try {
    const text = body.toString('utf8');
    json = readJsonExactly(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return {unreadable: {what: typeOf(headers['content-type']), bytes}};
  }
  if (bytes <= 2 * DEEPEST || !isDeeper(json, DEEPEST)) return {json};
  return {
    unreadable: {what: `JSON nested more than ${DEEPEST} levels deep`, bytes, ...namedBy(json)},
  };
}

/** Enough for a sentence; what shows it removes control characters. */
const LONGEST_LINE = 300;

const firstLine = (body: Buffer): string =>
  (
    body
      .subarray(0, LONGEST_LINE)
      .toString('utf8')
      .trim()
      .split(/[\r\n]/, 1)[0] ?? ''
  ).trim();

function typeOf(contentType = ''): string {
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  if (type === '') return 'a body without a content type';
  return type.includes('json') ? 'broken JSON' : type.replace(/[^\w/.+-]/g, '?').slice(0, 80);
}

function isDeeper(value: Json, levels: number): boolean {
  if (!isList(value) && !isObject(value)) return false;
  return levels === 0 || Object.values<Json>(value).some((inner) => isDeeper(inner, levels - 1));
}

function namedBy(json: Json): {id?: string; status?: string} {
  const record = unwrapRecord(json);
  if (!isObject(record)) return {};
  const {status} = record;
  const id = idText(record['id']);
  return {
    ...(id === undefined ? {} : {id}),
    ...(typeof status === 'string' ? {status} : {}),
  };
}

/** What an error body says at the places that a service file names. */
function readPlaces(json: JsonFields, {code, message, details}: AnswerPlaces): Partial<Answer<Json>> {
  const at = (path: Path | undefined) =>
    path === undefined ? undefined : (valueAt(json, path) ?? undefined);
  const [own, words, more] = [at(code), at(message), at(details)];
  return {
    ...(typeof own === 'string' || typeof own === 'number' ? {errorCode: String(own)} : {}),
    ...(typeof words === 'string' ? {message: words} : {}),
    ...(more === undefined ? {} : {details: more}),
  };
}

function asText(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * The wait that a `Retry-After` asks for, in milliseconds. The header contains seconds or an HTTP date, which is
 * compared with the Date of the same answer, so that a wrong clock here does not matter. Anything else is undefined,
 * never "at once".
 */
export function readRetryAfter(headers: Readonly<Record<string, string>>, nowMs: number): number | undefined {
  const text = headers['retry-after']?.trim();
  if (!text) return undefined;
  if (/^\d+(\.\d+)?(\s*,\s*\d+(\.\d+)?)*$/.test(text)) {
    const seconds = Math.max(...text.split(',').map(Number)); // sent twice: the longer one
    return Math.min(Math.ceil(seconds * 1000), Number.MAX_SAFE_INTEGER);
  }
  const at = readHttpDate(text);
  if (at === undefined) return undefined;
  return Math.max(0, at - (readHttpDate(headers['date'] ?? '') ?? nowMs));
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Milliseconds since the epoch. RFC 9110, 5.6.7, the preferred form: `Sun, 06 Nov 1994 08:49:37 GMT`. */
export function readHttpDate(text: string): number | undefined {
  const match = /^[a-z]{3}, (\d{2}) ([a-z]{3}) (\d{4}) (\d{2}):(\d{2}):(\d{2}) gmt$/i.exec(text.trim());
  if (match === null) return undefined;
  const [, day, monthName = '', year, ...time] = match;
  const month = MONTHS.indexOf(monthName.toLowerCase());
  if (month < 0) return undefined;
  const [hour, minute, second] = time.map(Number);
  return Date.UTC(Number(year), month, Number(day), hour, minute, second);
}
