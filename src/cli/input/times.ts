import {Flags} from '@oclif/core';
import {RemitError} from '../../errors.ts';

const TIME =
  /^(?<date>\d{4}-\d{2}-\d{2})(?<time>T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d{2}:\d{2}))?$/;

/**
 * A bound of a filter by time: ISO 8601 with a time zone, or a date.
 * @param ofDay the time of a day (UTC) that a date without one stands for
 */
export const timeBound = (ofDay: '00:00:00Z' | '23:59:59.999Z') =>
  Flags.custom<string>({
    helpValue: 'TIME',
    parse: async (text, _context, {name}) => {
      const {date, time} = TIME.exec(text)?.groups ?? {};
      const bound = time === undefined ? `${date}T${ofDay}` : text;
      if (date !== undefined && isDate(date) && !Number.isNaN(Date.parse(bound))) return bound;
      throw new RemitError(
        'USAGE',
        `--${name} ${JSON.stringify(text)} is neither a date nor a time with a time zone`,
        {
          hint: `write it like --${name} 2026-07-01T09:00:00Z, or --${name} 2026-07-01`,
        },
      );
    },
  });

/** False for 30 February, which `Date` reads as a day in March. */
function isDate(date: string): boolean {
  const ms = Date.parse(`${date}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(date);
}

/**
 * The bounds of `--created-from` and `--created-to` as filters of a list.
 * @throws RemitError USAGE if nothing can be between them: an empty list would look like an answer
 */
export function createdBetween(flags: {
  'created-from'?: string | undefined;
  'created-to'?: string | undefined;
}) {
  const {'created-from': from, 'created-to': to} = flags;
  if (from !== undefined && to !== undefined && Date.parse(from) > Date.parse(to))
    throw new RemitError('USAGE', `--created-from ${from} is after --created-to ${to}`, {
      hint: 'swap the two times',
    });
  return {created_from: from, created_to: to};
}
