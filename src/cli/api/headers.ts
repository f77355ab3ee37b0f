import {RemitError} from '../../errors.ts';
import {exactJson} from '../../json/exact.ts';
import type {JsonValue} from '../../narrow.ts';

/** An answer with its status and headers, for `api --include`. */
export interface IncludedAnswer {
  http_status: number;
  /** In lower case, redacted. */
  headers: Readonly<Record<string, string>>;
  /** Null if the answer has no body. */
  body: JsonValue;
}

/** The answer as people know it from HTTP: status, headers, an empty line, the body. */
export function answerText({http_status: status, headers, body}: IncludedAnswer): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`HTTP ${status}`, ...lines, '', ...(body === null ? [] : [exactJson(body, 2)])].join('\n');
}

/**
 * `--header NAME:VALUE`, repeated. Names and values are checked with the request.
 * @throws RemitError USAGE
 */
export function readHeaders(pairs: readonly string[]): Record<string, string> {
  const headers = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf(':');
    if (at < 1)
      throw new RemitError('USAGE', `--header ${JSON.stringify(pair)} is not of the form NAME:VALUE`);
    const name = pair.slice(0, at).trim().toLowerCase();
    if (headers.has(name)) throw new RemitError('USAGE', `--header names ${name} twice`);
    headers.set(name, pair.slice(at + 1).trim());
  }
  return Object.fromEntries(headers);
}
