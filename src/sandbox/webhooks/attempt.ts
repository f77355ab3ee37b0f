import type {Clock} from '../../clock.ts';
import {type JsonFields, ownJson} from '../../narrow.ts';
import {mapIds, ownId} from '../../service/other-ids.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import {formOf, timestampAt} from '../../webhooks/verify/form.ts';
import {signedHeaders} from '../../webhooks/verify/signature.ts';
import type {StruckDelivery} from '../outcomes/faults.ts';
import {fractionOf} from '../base/random.ts';
import type {Attempt, Claimed, DeliveryStanding} from './deliveries.ts';
import type {DeliveryEntry} from './delivery-log.ts';
import type {PostWebhook} from './post.ts';
import {readRetryAfterOfTarget, retryDelay} from './schedule.ts';

const FORGED_SECRET = Buffer.from('not the secret of this endpoint'); // bytes, which no form decodes

export interface AttemptHow {
  /** Sandbox time at which it begins. */
  atMs: number;
  byHand: boolean;
  struck: StruckDelivery | undefined;
}

/**
 * Sends a delivery: once, or twice as a duplicate.
 * @returns undefined if the sandbox stopped
 */
export async function attemptDelivery(
  claimed: Claimed,
  {atMs, byHand, struck}: AttemptHow,
  {
    service = {},
    ...by
  }: {machine: Clock; post: PostWebhook; service?: ServiceFile | undefined; signal: AbortSignal},
): Promise<[Attempt, ...Attempt[]] | undefined> {
  const fault = struck?.effect.kind ?? claimed.fault;
  const once = async (): Promise<Attempt | undefined> => {
    const sentMs = by.machine.now();
    const body = bodyOf(claimed, service);
    const {headers, signedAt} = headersOf(claimed, body, {nowMs: sentMs, struck, service});
    const posted = await by.post({url: claimed.url, headers, body}, by.signal);
    if (posted.error?.code === 'aborted') return undefined;
    return {
      byHand,
      sentMs,
      atMs, // without what the network took: the same calls give the same times
      elapsedMs: posted.elapsedMs,
      signedAt,
      status: posted.status,
      errorCode: posted.error?.code ?? null,
      error: posted.error?.message ?? null,
      response: posted.response.replaceAll('\0', '\ufffd'), // a receiver may answer anything, a database keeps no NUL
      fault,
      retryAfterMs: readRetryAfterOfTarget(posted.retryAfter, sentMs),
    };
  };
  const first = await once();
  const second = first && fault === 'duplicate' ? await once() : undefined;
  return first && (second ? [first, second] : [first]);
}

/**
 * Interface document, "Signature". The time is the wall clock's; otherwise every correct receiver would refuse it.
 */
function headersOf(
  claimed: Claimed,
  body: string,
  {nowMs, struck, service}: {nowMs: number; struck: StruckDelivery | undefined; service: ServiceFile},
): {headers: Record<string, string>; signedAt: string} {
  const ageMs = struck?.effect.kind === 'stale_timestamp' ? struck.effect.age_ms : 0;
  const secret = struck?.effect.kind === 'bad_signature' ? FORGED_SECRET : claimed.secret;
  const signedAt = timestampAt(nowMs - ageMs, formOf(service.webhooks));
  return {
    signedAt,
    headers: {
      'Content-Type': 'application/json',
      'User-Agent': 'remit-sandbox',
      ...signedHeaders(secret, body, signedAt, service.webhooks),
    },
  };
}

/** The body as the service writes it: its ids are those of its other answers. */
function bodyOf({body}: Claimed, service: ServiceFile): string {
  if (service.ids?.format !== 'any') return body;
  const event = ownJson<JsonFields>(body);
  return JSON.stringify({...event, data: mapIds(event['data'], ownId)});
}

/** Interface document, "Delivery", rule 1. */
export const isDelivered = ({status}: Attempt): boolean => status !== null && status >= 200 && status < 300;

/** What follows from an attempt of the schedule. */
export function judgeAttempt(claimed: Claimed, attempt: Attempt): DeliveryStanding {
  const tries = claimed.tries + 1;
  // Derived from the attempt: drawn from a common source, it would depend on the order in which receivers answer.
  const fraction = fractionOf(`${claimed.id}/${tries}`);
  if (isDelivered(attempt)) return {state: 'delivered', nextMs: null, tries};
  const {status, errorCode, retryAfterMs, atMs} = attempt;
  const delay = retryDelay(tries, {status, timedOut: errorCode === 'timeout', retryAfterMs}, fraction);
  return delay === undefined
    ? {state: 'failed', nextMs: null, tries}
    : {state: 'pending', nextMs: atMs + delay, tries};
}

const factsOf = (claimed: Claimed, atMs: number) => ({
  type: 'delivery' as const,
  at: new Date(atMs).toISOString(),
  delivery_id: claimed.id,
  endpoint_id: claimed.endpointId,
  event_id: claimed.eventId,
  event_type: claimed.eventType,
  url: claimed.url,
  mode: claimed.mode,
});

/** The log entry of a delivery that a fault dropped: nothing was sent, so no attempt is counted. */
export const dropEntry = (claimed: Claimed, machineMs: number): DeliveryEntry => ({
  ...factsOf(claimed, machineMs),
  status: null,
  elapsed_ms: 0,
  attempt: claimed.tries,
  state: 'dropped',
  next_attempt_at: null,
  fault: 'drop',
});

export function logEntry(
  claimed: Claimed,
  attempt: Attempt,
  standing: DeliveryStanding | undefined,
): DeliveryEntry {
  const nextMs = standing?.nextMs ?? null;
  return {
    ...factsOf(claimed, attempt.sentMs),
    status: attempt.status,
    elapsed_ms: Math.round(attempt.elapsedMs * 10) / 10,
    attempt: claimed.tries + (attempt.byHand ? 0 : 1),
    state: standing?.state ?? null,
    next_attempt_at: nextMs === null ? null : new Date(nextMs).toISOString(),
    ...(attempt.error === null ? {} : {error: attempt.error}),
    ...(attempt.fault === null ? {} : {fault: attempt.fault}),
    ...(attempt.byHand ? {by_hand: true} : {}),
  };
}
