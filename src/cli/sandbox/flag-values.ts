import {RemitError} from '../../errors.ts';
import {AmountError, parseMajor, toWire} from '../../money/amount.ts';
import {SPEED_MAX, type ClockMode} from '../../sandbox/time/clock.ts';

/** `real`, `frozen` or `accelerated:60`. @throws {RemitError} USAGE */
export function readClock(where: string, text: string): ClockMode {
  if (text === 'real' || text === 'frozen') return {mode: text};
  const speed = Number(/^accelerated:(\d{1,6})$/.exec(text)?.[1] ?? Number.NaN);
  if (speed >= 2 && speed <= SPEED_MAX) return {mode: 'accelerated', speed};
  throw new RemitError(
    'USAGE',
    `${where} ${JSON.stringify(text)} is not real, frozen, or accelerated:N with N from 2 to ${SPEED_MAX}`,
    {hint: 'remit sandbox clock accelerated:60'},
  );
}

/** US dollars in major units, as minor units. */
export function readBalance(text: string): number {
  try {
    return text === '0' || text === '0.00' ? 0 : toWire(parseMajor(text, 'USD'));
  } catch (error) {
    if (!(error instanceof AmountError)) throw error;
    throw new RemitError('USAGE', `--balance ${text}: ${error.message}`, {
      cause: error,
      hint: '--balance 5000.00',
    });
  }
}

/** ISO 8601 with a time zone, as milliseconds since the epoch. */
export function readTime(flag: string, text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:\d{2})$/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(ms)) return ms;
  throw new RemitError('USAGE', `${flag} ${JSON.stringify(text)} is not a time`, {
    hint: `write it like ${flag} 2026-03-02T15:00:00Z`,
  });
}

/** A calendar day. @throws {RemitError} USAGE */
export function readDay(flag: string, text: string): string {
  const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  if (!Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text)) return text;
  throw new RemitError('USAGE', `${flag} ${JSON.stringify(text)} is not a day`, {
    hint: `write it like ${flag} 2026-03-31`,
  });
}
