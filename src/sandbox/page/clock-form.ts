import {keysOf} from '../../narrow.ts';
import type {Advance} from '../world/advance.ts';
import type {ClockMode} from '../time/clock.ts';
import {invalid} from '../base/service-error.ts';

/** What the buttons of the page do to the clock. */
export const ADVANCES = {
  '1h': {label: '1 hour', by: {ms: 3_600_000}},
  '1d': {label: '1 day', by: {ms: 86_400_000}},
  next: {label: 'To the next event', by: {until: 'next'}},
  idle: {label: 'Until idle', by: {until: 'idle'}},
} as const satisfies Record<string, {label: string; by: Advance}>;

export const MODES = {
  real: {label: 'Real time', mode: {mode: 'real'}},
  accelerated: {label: 'One minute per second', mode: {mode: 'accelerated', speed: 60}},
  frozen: {label: 'Frozen', mode: {mode: 'frozen'}},
} as const satisfies Record<string, {label: string; mode: ClockMode}>;

export type ClockAction = {advance: Advance} | {mode: ClockMode};

/** @throws {ServiceError} VALIDATION_ERROR for what no button of the page sends */
export function readClockForm(form: URLSearchParams): ClockAction {
  const [advance, mode] = [form.get('advance'), form.get('mode')];
  const by = keysOf(ADVANCES).find((name) => name === advance);
  if (by !== undefined && mode === null) return {advance: ADVANCES[by].by};
  const set = keysOf(MODES).find((name) => name === mode);
  if (set !== undefined && advance === null) return {mode: MODES[set].mode};
  throw invalid('', 'the page has no such control');
}
