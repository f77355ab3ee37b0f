import {DEFAULT_TIMEOUTS} from '../../client/transport/transport.ts';
import {isObject, parseJson, type JsonFields} from '../../narrow.ts';
import {readToken, sandboxUrl} from '../sandbox/recorded/place.ts';
import {hasToken} from '../sandbox/recorded/proof.ts';
import {runningSandboxes} from '../sandbox/recorded/running.ts';
import type {Context} from './context.ts';

/**
 * Notes that the clock of the sandbox in use is frozen, so that nothing settles by itself, with the command that moves
 * it. A sandbox that does not tell is no reason to end a wait.
 */
export async function noteFrozenClock(context: Context): Promise<void> {
  const clock = await sandboxClock(context).catch(() => undefined);
  if (clock?.['mode'] !== 'frozen') return;
  context.out.note(
    "The sandbox's clock is frozen, so nothing settles until it is moved, in another terminal:",
  );
  context.out.hint(context.commands.read('sandbox', 'advance', '--until-idle'));
}

/** The time at the service, milliseconds: that of a sandbox of this machine, or else the time of the machine. */
export async function serviceNow(context: Context): Promise<number> {
  const clock = await sandboxClock(context).catch(() => undefined);
  const ms = typeof clock?.['now'] === 'string' ? Date.parse(clock['now']) : Number.NaN;
  return Number.isNaN(ms) ? context.clock.now() : ms;
}

/** The clock of the sandbox in use; undefined for any other service. Only a sandbox with its control token is asked. */
async function sandboxClock({profile, runtime, stateDir, stop}: Context): Promise<JsonFields | undefined> {
  if (!profile.baseUrl.startsWith('http:')) return undefined;
  const {origin} = new URL(sandboxUrl(profile.baseUrl));
  const running = runningSandboxes(stateDir).find(({base_url: url}) => new URL(url).origin === origin);
  const token = running && readToken(running.place);
  if (running === undefined || token === undefined) return undefined;
  const {base_url: baseUrl} = running;
  const limits = {timeouts: DEFAULT_TIMEOUTS, signal: stop.signal};
  const transport = await runtime.transport('one-shot', baseUrl);
  try {
    if (!(await hasToken(runtime, transport, {baseUrl, token, ...limits}))) return undefined;
    const headers = {'x-sandbox-token': token, accept: 'application/json'};
    const {body} = await transport.send({method: 'GET', path: '/sandbox/clock', headers, ...limits});
    const clock = parseJson(body.toString());
    return isObject(clock) ? clock : undefined;
  } finally {
    await transport.close();
  }
}
