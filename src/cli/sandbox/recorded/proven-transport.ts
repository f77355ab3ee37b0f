import {
  TransportFailure,
  type Transport,
  type TransportRequest,
} from '../../../client/transport/transport.ts';
import type {ActiveProfile} from '../../../profiles/profile.ts';
import type {Runtime} from '../../runtime/runtime.ts';
import {hasToken} from './proof.ts';
import {runningSandboxes} from './running.ts';
import {PROFILE, readToken, sandboxUrl} from './place.ts';
import {unproven, unrecorded} from './unproven.ts';

/**
 * Sends requests with a key of a sandbox only after the program at its address has proven that it is that sandbox. A
 * sandbox that this state folder does not record cannot be checked: the caller has named its address, except in the
 * profile that `sandbox start` wrote.
 */
export function provenTransport(
  {runtime, stateDir}: {runtime: Runtime; stateDir: string},
  profile: ActiveProfile,
  {inner, at}: {inner: Transport; at: (baseUrl: string) => Promise<Transport>},
): Transport {
  const url = sandboxUrl(profile.baseUrl);
  const {origin} = new URL(url); // another program could answer below any path
  const recorded = () => runningSandboxes(stateDir).find(({base_url}) => new URL(base_url).origin === origin);
  if (!isOwnProfile(profile) && recorded() === undefined) return inner;
  let asking: Promise<void> | undefined;
  const ask = async ({timeouts}: TransportRequest) => {
    const running = recorded();
    const token = running && readToken(running.place);
    const limits = {timeouts, signal: runtime.stop.signal};
    const baseUrl = running?.base_url ?? url;
    const asked = baseUrl === url ? inner : await at(baseUrl); // a sandbox proves itself at its own address only
    const isProven = await hasToken(runtime, asked, {baseUrl, token, ...limits}).finally(() =>
      asked === inner ? undefined : asked.close(),
    );
    if (isProven) return;
    throw running === undefined ? unrecorded(stateDir, url) : unproven(running, 'the API key');
  };
  return {
    async send(request) {
      asking ??= ask(request);
      try {
        await asking;
      } catch (error) {
        asking = undefined; // a sandbox that was starting may answer the next attempt
        throw error instanceof TransportFailure ? about(request, profile.baseUrl, error) : error;
      }
      return inner.send(request);
    },
    close: () => inner.close(),
  };
}

/** True unless REMIT_API_KEY or REMIT_BASE_URL states where the key is to go. */
const isOwnProfile = ({name, sources}: ActiveProfile): boolean =>
  name === PROFILE && sources['base_url'] === `profile ${PROFILE}`;

function about({method, path}: TransportRequest, baseUrl: string, failure: TransportFailure) {
  const {kind, why, trouble, sent} = failure;
  return new TransportFailure(kind, why, {
    what: `${method} ${baseUrl}${path}`,
    sent,
    trouble,
    cause: failure,
  });
}
