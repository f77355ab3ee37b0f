import {normaliseBaseUrl} from '../../client/transport/base-url.ts';
import type {RemitClient} from '../../client/client.ts';
import type {ClientOptions} from '../../client/options.ts';
import {Codec} from '../../client/requests/codec.ts';
import type {Transport} from '../../client/transport/transport.ts';
import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import type {NetworkSettings, Unsent} from '../../network/settings.ts';
import type {Output} from '../../output/output.ts';
import {configDir, stateDir} from '../../profiles/folders.ts';
import type {ActiveProfile} from '../../profiles/profile.ts';
import type {ProjectFile} from '../../profiles/project-file.ts';
import {resolveProfile} from '../../profiles/resolve.ts';
import {credentialsSent} from '../../service/credential-headers.ts';
import type {GlobalFlags} from '../input/global-flags.ts';
import {Commands} from '../line/command-line.ts';
import {Effects} from '../runtime/effects.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {Grants, type PlannedWrite} from '../guard/grants.ts';
import type {TeamSession} from '../../team/session.ts';
import {guardWrite} from '../guard/guard.ts';
import {routeLines} from '../guard/route-lines.ts';
import type {WriteFacts} from '../guard/facts.ts';
import {lazyTransport} from '../runtime/lazy-transport.ts';
import type {Runtime, TransportKind} from '../runtime/runtime.ts';
import type {Stop} from '../runtime/stop.ts';
import type {JsonFields} from '../../narrow.ts';

/** What a command without a service needs. */
export interface LocalContext {
  out: Output;
  clock: Clock;
  runtime: Runtime;
  flags: GlobalFlags;
  configDir: string;
  stateDir: string;
  stop: Stop;
  /** What the command has done so far, for an error that may follow. */
  effects: Effects;
  /** The state of a team, if the command works on one. */
  team?: TeamSession;
  /** Builds the commands of an error that may follow, once the command has opened a batch. */
  ofBatch: {commands?: Commands};
}

/** What a command that calls the service needs. */
export interface Context extends LocalContext {
  profile: ActiveProfile;
  /** Maps requests and answers of this service. */
  codec: Codec;
  /** Builds the commands that hints print. */
  commands: Commands;
  /** Created at first use, on the one-shot transport. */
  client: RemitClient;
  /** A new transport to the profile's base URL; the caller closes it. */
  transportFor: (kind: TransportKind) => Promise<Transport>;
  /** Why a request on a pool was last not sent. */
  readonly unsent: Unsent | undefined;
  /** A client on a transport chosen by the caller, otherwise like `client`. */
  clientOn: (transport: Transport) => RemitClient;
  /**
   * Refuses, or shows the facts and prompts, before anything is sent that changes something. Afterwards exactly these
   * writes may be sent.
   * @param follows the operations that the command itself grants later, on the record that it creates
   */
  guardWrite: (
    facts: WriteFacts,
    writes: readonly PlannedWrite[],
    follows?: readonly OperationId[],
  ) => Promise<void>;
  /** What this command may send; every transport checks it. */
  grants: Grants;
}

export function localContext(parts: {out: Output; runtime: Runtime; flags: GlobalFlags}): LocalContext {
  const {runtime} = parts;
  return {
    ...parts,
    clock: runtime.clock,
    stop: runtime.stop,
    effects: new Effects(),
    ofBatch: {},
    configDir: configDir(runtime.env, runtime.home),
    stateDir: stateDir(runtime.env, runtime.home),
  };
}

/** Resolves the profile, runs its key command if it has one, and assembles the context. Nothing is sent. */
export async function openContext(
  local: LocalContext,
  project: ProjectFile | undefined,
  named?: string,
): Promise<Context> {
  const {runtime, flags, out} = local;
  const profile = await resolveProfile({
    flag: named ?? flags.profile,
    env: runtime.env,
    project,
    configDir: local.configDir,
    normaliseBaseUrl,
  });
  out.sanitizer.conceal(profile.key, ...credentialsSent(profile.service));
  refuseUnverified(profile, runtime.env);
  for (const warning of profile.warnings) out.warn(warning);
  const network = networkOf(profile, local);
  let unsent: Unsent | undefined;
  // HTTP is loaded by commands that need it
  const {RemitClient} = await import('../../client/client.ts');
  const {GuardedTransport} = await import('../../client/transport/guarded-transport.ts');
  const {RequestBuilder} = await import('../../client/requests/built.ts');
  const grants = new Grants(
    () => new RequestBuilder({...clientOptions(profile, local), codec: codecNow(), newKey: () => 'any'}),
  );
  const transportFor = async (kind: TransportKind) => {
    const settings = {...(await network()), onUnsent: (why: Unsent) => (unsent = why)};
    const plain = await runtime.transport(kind, profile.baseUrl, settings);
    const proven = await withProof(local, profile, {
      plain,
      at: (url) => runtime.transport('one-shot', url, settings),
    });
    return new GuardedTransport(proven, (write) => grants.check(write));
  };
  const clientOn = (transport: Transport) => new RemitClient({...clientOptions(profile, local), transport});
  let client: RemitClient | undefined;
  let codec: Codec | undefined;
  const codecNow = () => (codec ??= new Codec(profile.service));
  return {
    ...local,
    profile,
    get codec() {
      return codecNow();
    },
    commands: new Commands({...inForce(profile, named ?? flags.profile), ...placeIn(flags)}),
    get client() {
      return (client ??= clientOn(lazyTransport(() => transportFor('one-shot'))));
    },
    transportFor,
    get unsent() {
      return unsent;
    },
    clientOn,
    grants,
    guardWrite: async (facts, writes, follows = []) => {
      const {prompts, stdin, stderr} = runtime;
      const asked = writes.map((write) => grants.requestOf(write).operation);
      const operations = asked.flatMap((operation) => operation ?? []);
      const routes = routeLines([...operations, ...follows], profile.service);
      await guardWrite(facts, {profile, flags, out, prompts, stdin, stderr, routes, operations: asked});
      for (const write of writes) grants.allow(write);
    },
  };
}

/** A sandbox issues its own keys; no other key costs a check. */
async function withProof(
  local: LocalContext,
  profile: ActiveProfile,
  {plain, at}: {plain: Transport; at: (baseUrl: string) => Promise<Transport>},
): Promise<Transport> {
  if (!/^(test|live)_sandbox_/.test(profile.key) || !profile.baseUrl.startsWith('http:')) return plain;
  const {provenTransport} = await import('../sandbox/recorded/proven-transport.ts');
  return provenTransport(local, profile, {inner: plain, at});
}

const clientOptions = (
  {baseUrl, key, service, approveById}: ActiveProfile,
  {runtime, flags, out}: LocalContext,
): ClientOptions => ({
  baseUrl,
  key,
  service,
  live: true, // the transport checks each write
  approveById,
  clock: runtime.clock,
  random: runtime.random,
  newKey: runtime.uuid,
  retries: flags.retries,
  timeouts: {totalMs: flags['request-timeout']},
  sanitizer: out.sanitizer,
  onDebug: flags.debug ? (line) => out.debug(line) : undefined,
});

/** How the service is reached: read once, and only by a command that sends something. */
function networkOf(
  {baseUrl, tls}: ActiveProfile,
  {runtime, out, flags}: LocalContext,
): () => Promise<NetworkSettings> {
  let settings: NetworkSettings | undefined;
  return async () => {
    if (settings !== undefined || !baseUrl.startsWith('https:')) return settings ?? {};
    const {proxyFor} = await import('../../network/proxy.ts');
    const {readTlsFiles, tlsExposure} = await import('../../profiles/tls-files.ts');
    const proxy = proxyFor(new URL(baseUrl), runtime.env);
    if (proxy !== undefined) {
      out.sanitizer.conceal(...proxy.secrets);
      if (flags.debug) out.debug(`* through the proxy ${proxy.shown}`);
    }
    settings = {...readTlsFiles(tls), proxy};
    const warning = tlsExposure(tls);
    if (warning !== undefined) out.warn(warning);
    return settings;
  };
}

/**
 * Node would send the key to any server that answers, regardless of its certificate, or print it with each request.
 */
function refuseUnverified({mode}: ActiveProfile, env: Runtime['env']): void {
  if (mode === 'live' && (env['NODE_DEBUG'] ?? '') !== '')
    throw new RemitError(
      'GUARD_TARGET',
      'refused to use a live key: NODE_DEBUG makes Node.js print requests with the key in them',
      {hint: 'unset NODE_DEBUG; --debug shows requests without secrets'},
    );
  if (mode === 'live' && env['NODE_TLS_REJECT_UNAUTHORIZED'] === '0')
    throw new RemitError(
      'GUARD_TARGET',
      'refused to use a live key: NODE_TLS_REJECT_UNAUTHORIZED=0 turns off the check of certificates',
      {hint: 'unset NODE_TLS_REJECT_UNAUTHORIZED; NODE_EXTRA_CA_CERTS=FILE adds a certificate authority'},
    );
}

/** A command that takes `--state-dir` or `--namespace` has it among its flags. */
function placeIn(flags: JsonFields) {
  const {'state-dir': stateDir, state, namespace} = flags;
  return {
    state: typeof state === 'string' ? withoutPassword(state) : undefined,
    stateDir: typeof stateDir === 'string' ? stateDir : undefined,
    namespace: typeof namespace === 'string' ? namespace : undefined,
  };
}

/** As it may be shown. */
const withoutPassword = (url: string): string =>
  url.replace(/^(\w+:\/\/[^@/:]*):[^@/]*@/, '$1@').replace(/([?&])password=[^&]*&?/, '$1');

/** Commands to type next, for a command that opened no profile; they name the profile that was typed. */
export const localCommands = (flags: Partial<GlobalFlags> = {}): Commands =>
  new Commands({
    ...{profile: flags.profile, mode: 'test', named: flags.profile !== undefined},
    ...placeIn(flags),
  });

/** With REMIT_API_KEY and the like, `-p` would bring back what the profile itself has. */
const inForce = ({name, mode, sources}: ActiveProfile, named: string | undefined) => ({
  profile:
    name === null || FROM_ENV.some((setting) => sources[setting]?.startsWith('REMIT_')) ? undefined : name,
  mode,
  named: named !== undefined,
});

const FROM_ENV = ['key', 'ca_file', 'client_cert', 'client_key'];
