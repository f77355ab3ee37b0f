import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import {
  hasArrived,
  isCut,
  type Delivery,
  type ForwardResult,
  type HeaderPairs,
} from '../delivery/delivery.ts';
import type {PostedAnswer} from '../delivery/post.ts';
import type {RecordEntry} from './entry.ts';
import type {RecordedDelivery} from './state.ts';
import type {WebhookSecret} from '../verify/secrets.ts';
import {formOf} from '../verify/form.ts';
import {signatureHeaders} from '../verify/signature.ts';
import {checkTarget} from '../delivery/target.ts';
import type {SignatureForm} from '../../contract/signature-form.ts';

/** The result of a replay compared with the previous attempt at the same target; `passing` and `failing` if there was none. */
export type ReplayOutcome = 'fixed' | 'regressed' | 'still_failing' | 'still_passing' | 'passing' | 'failing';

export interface Replay {
  delivery: Delivery;
  outcome: ReplayOutcome;
  /** The result as it was appended to the record. */
  result: ForwardResult;
  /** The attempt that it was compared with. */
  before: ForwardResult | null;
  /** The first bytes of the answer. */
  response: Buffer;
  /** Set if it was sent and could not be recorded. */
  unrecorded: Error | null;
}

export interface ReplayTools {
  clock: Clock;
  post: (target: URL, headers: HeaderPairs, body: Uint8Array) => Promise<PostedAnswer>;
  /** `RecordWriter.append`: of the listener itself, or of another process. */
  append: (entry: RecordEntry) => Promise<void>;
  /** Aborts with the error to throw. An aborted replay is not recorded. */
  signal?: AbortSignal | undefined;
}

export interface ReplayOptions {
  /** Signs again with this secret and the current time, replacing the original signature. */
  resign?: WebhookSecret | undefined;
  /** How the service signs, if not as documented. */
  form?: SignatureForm | undefined;
  allowExternal?: boolean | undefined;
}

/**
 * Sends one recorded delivery to one target, once, with the original bytes and headers, and appends the result to the
 * record. A delivery that a listener is still forwarding continues to wait there.
 * @throws {RemitError} LOCAL_VALIDATION if its bytes were not kept, GUARD_TARGET for an address that is not local
 */
export async function replayDelivery(
  recorded: RecordedDelivery,
  target: URL,
  {clock, post, append, signal}: ReplayTools,
  {resign, form, allowExternal}: ReplayOptions = {},
): Promise<Replay> {
  const {delivery, targets} = recorded;
  checkReplayable(delivery);
  checkTarget(target, allowExternal);
  const atMs = clock.now();
  const headers = resign === undefined ? delivery.headers : resignedHeaders(resign, delivery, atMs, form);
  const {status, latencyMs, error, body: response} = await post(target, headers, delivery.body);
  signal?.throwIfAborted();
  const result: ForwardResult = {
    ...{delivery: delivery.id, target: target.href, attempt: (targets.get(target.href)?.attempts ?? 0) + 1},
    // It never gives up: whether the listener has further attempts is unknown here.
    ...{atMs, status, latencyMs, error, resigned: resign !== undefined, cause: 'replay', gaveUp: false},
  };
  const before = targets.get(target.href)?.last ?? null;
  const unrecorded = await append({kind: 'forward', forward: result}).then(
    () => null,
    (failure: Error) => failure,
  );
  return {delivery, outcome: compare(before, result), result, before, response, unrecorded};
}

/** @throws {RemitError} LOCAL_VALIDATION for a delivery whose body was not kept completely */
export function checkReplayable(delivery: Delivery): void {
  if (!isCut(delivery)) return;
  throw new RemitError(
    'LOCAL_VALIDATION',
    `the delivery ${delivery.id} cannot be replayed: its body was not recorded in full`,
  );
}

/** The original headers, with a new signature and timestamp. */
export function resignedHeaders(
  secret: WebhookSecret,
  {headers, body}: Pick<Delivery, 'headers' | 'body'>,
  nowMs: number,
  form?: SignatureForm,
): [string, string][] {
  const {idHeader} = formOf(form);
  const id = headers.find(([name]) => name.toLowerCase() === idHeader?.toLowerCase())?.[1];
  const signed = signatureHeaders(secret, body, nowMs, form, id);
  const old = new Set(Object.keys(signed).map((name) => name.toLowerCase()));
  return [
    ...headers
      .filter(([name]) => !old.has(name.toLowerCase()))
      .map(([name, value]): [string, string] => [name, value]),
    ...Object.entries(signed),
  ];
}

function compare(before: ForwardResult | null, now: ForwardResult): ReplayOutcome {
  const passes = hasArrived(now);
  if (before === null) return passes ? 'passing' : 'failing';
  if (passes) return hasArrived(before) ? 'still_passing' : 'fixed';
  return hasArrived(before) ? 'regressed' : 'still_failing';
}
