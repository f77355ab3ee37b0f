import {DEFAULT_SETTINGS, type OutputSettings} from '../../src/output/formats.ts';
import {Output} from '../../src/output/output.ts';
import {Screen} from '../cli/run-cli.ts';
import {RecordingClock} from '../client/recording-clock.ts';

/** An output on two remembered streams: a pipe, or a terminal of so many columns. */
export function makeOutput(
  settings: Partial<OutputSettings> = {},
  facts: {columns?: number; env?: Record<string, string>; clock?: RecordingClock} = {},
) {
  const stdout = new Screen(facts.columns);
  const stderr = new Screen(facts.columns);
  const clock = facts.clock ?? new RecordingClock(Date.parse('2023-11-14T22:13:20Z'));
  const out = new Output({
    stdout,
    stderr,
    env: facts.env ?? {},
    clock,
    settings: {...DEFAULT_SETTINGS, ...settings},
  });
  return {out, stdout, stderr, clock};
}
