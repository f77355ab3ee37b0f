import {Dispatcher, type DispatcherOptions} from './dispatcher.ts';
import type {RunParts} from './run-parts.ts';

/** The parts of a run that every phase needs. */
export type PhaseParts = Pick<
  RunParts,
  | 'beforeWindow'
  | 'clock'
  | 'gate'
  | 'halt'
  | 'journal'
  | 'outcomes'
  | 'records'
  | 'refusals'
  | 'rules'
  | 'send'
  | 'settings'
  | 'speed'
  | 'tries'
  | 'wire'
>;

/** Sends the jobs of a phase as fast as the service accepts them, until none is left or the run is stopped. */
export async function dispatch<J>(
  {speed, clock, gate, halt}: Pick<RunParts, 'speed' | 'clock' | 'gate' | 'halt'>,
  jobs: Pick<DispatcherOptions<J>, 'next' | 'work' | 'abandon'>,
): Promise<void> {
  const dispatcher = new Dispatcher<J>({speed, clock, ...jobs});
  halt.onStop = () => dispatcher.stop();
  gate.onShut = (ms) => dispatcher.closeGate(ms);
  dispatcher.closeGate(gate.until - clock.monotonic()); // an earlier phase may have been asked to wait
  if (halt.stop === undefined) await dispatcher.run();
}

/** Writes what had to wait for the end of a phase. */
export function endPhase({
  halt,
  records,
  refusals,
  outcomes,
}: Pick<RunParts, 'halt' | 'records' | 'refusals' | 'outcomes'>): void {
  const isStopped = halt.stop !== undefined;
  records.recordLost();
  refusals.decide(isStopped);
  outcomes.flush();
}
