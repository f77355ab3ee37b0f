import {connect} from 'node:net';
import type {Clock} from '../../clock.ts';
import {hostOf, lookupLocally} from '../../network/local.ts';

const WELL_MS = 15_000;
const ILL_MS = 5000;
const CONNECT_MS = 2000;

export type TargetChange = (target: string, state: 'up' | 'down', error: string | null) => void;

/**
 * Connects to a target periodically, and reports when it goes down and when it recovers. Runs until `signal` aborts.
 */
export async function watchTarget(
  target: string,
  {
    clock,
    signal,
    onChange,
    probe = canConnect,
  }: {
    clock: Clock;
    signal: AbortSignal;
    onChange: TargetChange;
    probe?: (url: URL) => Promise<string | null>;
  },
): Promise<void> {
  let wasUp = true; // the first report is printed only if it is bad
  while (!signal.aborted) {
    const error = await probe(new URL(target));
    if (signal.aborted) return;
    const isUp = error === null;
    if (isUp !== wasUp) onChange(target, isUp ? 'up' : 'down', error);
    wasUp = isUp;
    await clock.sleep(isUp ? WELL_MS : ILL_MS, signal).catch(() => undefined);
  }
}

/** Null if the port accepts connections, otherwise the reason. */
export function canConnect(url: URL): Promise<string | null> {
  return new Promise((resolve) => {
    const port = Number(url.port || (url.protocol === 'https:' ? 443 : 80));
    const socket = connect({host: hostOf(url), port, timeout: CONNECT_MS, lookup: lookupLocally});
    const end = (error: string | null) => {
      socket.destroy();
      resolve(error);
    };
    socket.on('connect', () => end(null));
    socket.on('timeout', () => end('no connection'));
    socket.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ECONNREFUSED' ? 'connection refused' : (error.code ?? 'no connection')),
    );
  });
}
