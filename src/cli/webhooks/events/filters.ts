import {Flags} from '@oclif/core';
import {parseBody} from '../../../webhooks/verify/event.ts';
import {readBody} from '../../../webhooks/delivery/losses.ts';
import {bodyMatch, typePatterns} from '../../../webhooks/delivery/patterns.ts';
import {deadTargets, type RecordedDelivery} from '../../../webhooks/record/state.ts';
import type {FlagValues} from '../../input/flags.ts';
import {parseMoment} from './moment.ts';
import type {Shown} from '../../help/outputs/forms.ts';
import type {Recorded} from '../../help/outputs/webhooks.ts';

const moment = Flags.custom<number>({
  helpValue: 'TIME',
  parse: async (text, _context, flag) => parseMoment(text, `--${flag.name}`),
});

/** Filters of the record. */
export const eventFilters = {
  type: Flags.string({
    helpValue: 'TYPE,…',
    description: 'only these event types, such as payout.settled or payout.*',
  }),
  since: moment({description: 'received at or after this time: ISO 8601, or 2h for two hours ago'}),
  before: moment({description: 'received before this time'}),
  id: Flags.string({helpValue: 'ID', description: 'only this event, or this delivery'}),
  verdict: Flags.option({
    options: ['verified', 'unverified', 'rejected'] as const,
    description: 'only deliveries with this verdict',
  })(),
  match: Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'PATH=VALUE',
    description: 'only deliveries whose body has this value, such as data.payout_id=5f0c; may be repeated',
  }),
  failed: Flags.boolean({description: 'only deliveries that could not be forwarded'}),
};

export type EventFilters = FlagValues<typeof eventFilters>;

/** Whether a delivery matches the filters. */
export function eventFilter(filters: EventFilters): (recorded: RecordedDelivery) => boolean {
  const ofType = filters.type === undefined ? () => true : typePatterns(filters.type.split(','));
  const matches = (filters.match ?? []).map(bodyMatch);
  const {since = Number.NEGATIVE_INFINITY, before = Number.POSITIVE_INFINITY, id, verdict, failed} = filters;
  return (recorded) => {
    const {delivery} = recorded;
    if (delivery.receivedAtMs < since || delivery.receivedAtMs >= before || !ofType(delivery.eventType))
      return false;
    if (id !== undefined && delivery.eventId !== id && delivery.id !== id) return false;
    if (verdict !== undefined && delivery.verdict !== verdict) return false;
    if (failed && deadTargets(recorded).length === 0) return false;
    if (matches.length === 0) return true;
    const body = parseBody(delivery.body);
    return matches.every((match) => match(body));
  };
}

/** A delivery as `events list` outputs it for machines; `show` adds headers and bytes. */
export type EventRow = Shown<typeof Recorded>;

export function eventRow({delivery, targets}: RecordedDelivery): EventRow {
  const {body, lost} = readBody(delivery.body);
  return {
    delivery: delivery.id,
    received_at: new Date(delivery.receivedAtMs).toISOString(),
    id: delivery.eventId,
    event_type: delivery.eventType,
    verdict: delivery.verdict,
    reason: delivery.reason,
    attempt: delivery.attempt,
    duplicate_of: delivery.duplicateOf,
    filtered: delivery.filtered,
    forwards: [...targets].map(([target, {state, attempts, last}]) => ({
      ...{target, state, attempts, status: last?.status ?? null},
      ...{latency_ms: last?.latencyMs ?? null, error: last?.error ?? null},
      ...{replayed: last?.cause === 'replay', resigned: last?.resigned ?? false},
    })),
    body,
    ...(lost.length === 0 ? {} : {lost}),
  };
}

export function eventDetails(recorded: RecordedDelivery) {
  const {path, secret, headers, body, bodyBytes} = recorded.delivery;
  return {
    ...eventRow(recorded),
    ...{path, secret_fingerprint: secret, headers, body_base64: Buffer.from(body).toString('base64')},
    ...(bodyBytes === undefined ? {} : {body_bytes: bodyBytes}),
  };
}
