import {isLocal} from '../../network/local.ts';

/** The default port of the sandbox, so that its profile keeps working after restarts. */
export const DEFAULT_PORT = 4510;

export const SANDBOX_START = 'remit sandbox start';

/**
 * The command that starts a sandbox at an address, since commands would not find one that was started elsewhere;
 * undefined for an address that is not on this machine.
 */
export function sandboxStartAt(url: string): string | undefined {
  const address = new URL(url);
  if (!isLocal(address)) return undefined;
  const {port} = address;
  return port === '' || port === String(DEFAULT_PORT) ? SANDBOX_START : `${SANDBOX_START} --port ${port}`;
}
