import {RemitError} from '../../errors.ts';
import type {LocalContext} from '../core/context.ts';
import {callControl} from './control.ts';
import {readPlace} from './recorded/place.ts';
import {lifeOfSandbox, type Running} from './recorded/running.ts';
import {targetSandbox} from './target.ts';
import {UnprovenSandbox} from './recorded/unproven.ts';

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 10_000;

/** Asks the running sandbox to stop, and waits until its process has released everything. */
export async function stopSandbox(
  local: LocalContext,
): Promise<{stopped: true; base_url: string; store: string; pid: number}> {
  const running = runningOrStopped(local);
  await callControl(local, 'POST', '/sandbox/stop', {}).catch((error: unknown) => endEarlier(running, error));
  for (let waited = 0; readPlace(running.place)?.pid === running.pid; waited += LOOK_EVERY_MS) {
    if (waited >= PATIENCE_MS)
      throw new RemitError(
        'STATE',
        `the sandbox at ${running.base_url} (process ${running.pid}) does not stop`,
      );
    await local.clock.sleep(LOOK_EVERY_MS, local.stop.signal);
  }
  return {stopped: true, base_url: running.base_url, store: running.store, pid: running.pid};
}

/** If it is stopped already, a command that starts it is not what was meant. */
function runningOrStopped(local: LocalContext): Running {
  try {
    return targetSandbox(local);
  } catch (error) {
    throw error instanceof RemitError && error.code === 'NOT_RUNNING' ? error.withHint(undefined) : error;
  }
}

/** A sandbox of an earlier version cannot prove itself, and is ended by its process, if that is certainly it. */
function endEarlier(running: Running, error: unknown): void {
  if (!(error instanceof UnprovenSandbox)) throw error;
  const life = lifeOfSandbox(running);
  if (life === 'dead') throw error;
  if (life === 'unknown')
    throw error.withHint(`if process ${running.pid} is the sandbox, end it: kill ${running.pid}`);
  process.kill(running.pid, 'SIGTERM');
}
