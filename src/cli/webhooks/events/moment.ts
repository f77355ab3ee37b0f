import {RemitError} from '../../../errors.ts';

const UNITS_MS: ReadonlyMap<string, number> = new Map([
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/**
 * A point in time: ISO 8601 with a time zone, or a relative time such as `2h`; as milliseconds since the Unix epoch.
 */
export function parseMoment(text: string, flag: string, nowMs = Date.now()): number {
  const [, count, unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS.get(unit);
  if (unitMs !== undefined) return nowMs - Number(count) * unitMs;
  const hasZone = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/.test(text);
  const ms = hasZone ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new RemitError('USAGE', `${flag} ${JSON.stringify(text)} is not a time`, {
    hint: `write it like ${flag} 2026-07-01T09:00:00Z, or ${flag} 2h for two hours ago`,
  });
}
