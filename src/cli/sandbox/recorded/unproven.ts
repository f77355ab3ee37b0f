import {RemitError} from '../../../errors.ts';
import {sandboxStartAt} from '../../runtime/sandbox-port.ts';
import {lifeOfSandbox, type Running} from './running.ts';

/** The program at the address of a sandbox did not prove that it has the control token. */
export class UnprovenSandbox extends RemitError {}

/** @param secret what was not sent */
export function unproven(running: Running, secret: string): UnprovenSandbox {
  const {base_url: url, pid} = running;
  if (lifeOfSandbox(running) === 'dead')
    return new UnprovenSandbox(
      'NOT_RUNNING',
      `the sandbox at ${url} (process ${pid}) has ended, and another program answers there; ${secret} was not sent`,
      {hint: 'remit sandbox start --port 0'},
    );
  const stop = `${running.place.isKept ? '' : `REMIT_BASE_URL=${url} `}remit sandbox stop`;
  return new UnprovenSandbox(
    'NOT_RUNNING',
    `${secret} was not sent to ${url}: what answers there did not prove that it is the sandbox of process ${pid}. It is an earlier version of remit, or another program`,
    {hint: `restart it: ${stop}, then ${sandboxStartAt(url) ?? 'remit sandbox start'}`},
  );
}

/** The profile that `sandbox start` wrote, while no sandbox of this state folder is recorded at its address. */
export const unrecorded = (stateDir: string, url: string): UnprovenSandbox =>
  new UnprovenSandbox(
    'NOT_RUNNING',
    `the API key was not sent to ${url}: another program answers there, and no sandbox of the state folder ${stateDir} is running there`,
    {
      hint: 'remit sandbox start --port 0; for the sandbox of another state folder set REMIT_STATE_DIR=FOLDER',
    },
  );
