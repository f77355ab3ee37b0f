import {TIMESTAMP_FORMATS, type TimestampFormat} from '../../contract/signature-form.ts';

const ISO_8601 = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(?:\.\d{1,9})?(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * The time in a timestamp header, in milliseconds since the Unix epoch; undefined if the text does not match the
 * format exactly. Only freshness depends on it: the signature covers the text itself.
 */
export function readTimestamp(text: string, format: TimestampFormat): number | undefined {
  switch (format) {
    case 'seconds':
      return /^\d{10}$/.test(text) ? Number(text) * 1000 : undefined;
    case 'milliseconds':
      return /^\d{13}$/.test(text) ? Number(text) : undefined;
    case 'iso8601':
      return readIso(text);
  }
}

function readIso(text: string): number | undefined {
  const [, year, month, day] = ISO_8601.exec(text) ?? [];
  if (day === undefined) return undefined;
  // Date.parse treats 30 February as 2 March.
  if (Number(day) > new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** The format of a text, if any. */
export const formatOfTimestamp = (text: string): TimestampFormat | undefined =>
  TIMESTAMP_FORMATS.find((format) => readTimestamp(text, format) !== undefined);

/** `nowMs` as a header value. */
export function writeTimestamp(nowMs: number, format: TimestampFormat = 'seconds'): string {
  if (format === 'iso8601') return new Date(nowMs).toISOString();
  return String(Math.floor(format === 'seconds' ? nowMs / 1000 : nowMs));
}
