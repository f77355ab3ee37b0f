import {RemitError} from '../errors.ts';
import {safeJson, type Sanitizer} from '../sanitize/sanitizer.ts';
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
  if (error.requestId !== undefined) lines.push(`  request id: ${sanitizer.token(error.requestId)}`);
  const hint = error.hint === undefined ? '' : `${wrapHint(sanitizer.layout(error.hint), width)}\n`;
  return `${wrapLines(lines.join('\n'), width)}\n${hint}`;
}
