import {RemitError} from '../../errors.ts';

/** How long a command waits for a record, unless `--timeout` is given. */
export const DEFAULT_WAIT_MS = 600_000;

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** Reads `500ms`, `30s`, `5m`, `1h`, `2d`, or a plain number of seconds, as milliseconds. */
export function parseDuration(text: string, flag: string): number {
  const [, number, unit = 's'] = /^(\d{1,9})([a-z]+)?$/.exec(text.trim()) ?? [];
  const unitMs = UNITS.get(unit);
  if (number === undefined || unitMs === undefined)
    throw new RemitError('USAGE', `${flag} ${JSON.stringify(text)} is not a time`, {
      hint: `write it like ${flag} 30s, 500ms or 5m`,
    });
  return Number(number) * unitMs;
}
