import type {Context} from '../core/context.ts';
import {callControl} from '../sandbox/control.ts';
import {runningSandboxes, type Running} from '../sandbox/recorded/running.ts';

/** The most that the sandbox lists at once. */
const PAGE = 1000;

type DeliveryState = 'pending' | 'sending' | 'delivered' | 'canceled';

export interface ListedDelivery {
  id: string;
  event_id: string;
}

/** Only a sandbox of this machine lists the deliveries of an endpoint. */
export const sandboxOf = ({stateDir, profile}: Pick<Context, 'stateDir' | 'profile'>): Running | undefined =>
  runningSandboxes(stateDir).find(({base_url: url}) => url === profile.baseUrl);

/** All deliveries to an endpoint in these states, newest first within each state. */
export async function deliveriesIn(
  context: Context,
  sandbox: Running,
  endpoint: string,
  states: readonly DeliveryState[],
  signal?: AbortSignal,
): Promise<ListedDelivery[]> {
  const found: ListedDelivery[] = [];
  for (const state of states)
    for (let before: string | undefined, isMore = true; isMore;) {
      const page = {endpoint, state, limit: String(PAGE), ...(before === undefined ? {} : {before})};
      const path = `/sandbox/deliveries?${new URLSearchParams(page).toString()}` as const;
      const {data} = await callControl<{data: ListedDelivery[]}>(context, 'GET', path, undefined, {
        running: sandbox,
        signal,
      });
      found.push(...data);
      before = data.at(-1)?.id;
      isMore = data.length === PAGE;
    }
  return found;
}

/**
 * The deliveries that were canceled with an endpoint. Its deletion cancels all that wait or are being sent
 * (assumption 82).
 * @param signal ends the question; default: the first Ctrl-C or SIGTERM
 * @returns undefined if the service does not list deliveries
 * @throws {RemitError} if the sandbox does not answer
 */
export async function listCanceled(
  context: Context,
  endpoint: string,
  signal?: AbortSignal,
): Promise<string[] | undefined> {
  const sandbox = sandboxOf(context);
  if (sandbox === undefined) return undefined;
  return (await deliveriesIn(context, sandbox, endpoint, ['canceled'], signal)).map(({id}) => id);
}

/** The same, and undefined as well if the sandbox does not answer. */
export async function canceledWith(context: Context, endpoint: string): Promise<string[] | undefined> {
  try {
    return await listCanceled(context, endpoint);
  } catch {
    return undefined; // the endpoint is gone; its removal does not fail because of this
  }
}
