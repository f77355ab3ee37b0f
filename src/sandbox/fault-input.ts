import type {EventTypeName} from '../contract/events.ts';
import type {OperationId} from '../contract/operations/operations.ts';
import {isObject} from '../narrow.ts';

/** A fault rule, in the words of `remit sandbox faults`: which requests or deliveries, how often, and what happens. */
export interface FaultInput {
  /** Default: all. */
  match?: FaultMatch | undefined;
  /** Stop after this many matches. */
  times?: number | undefined;
  /** 0 to 1; default 1. */
  probability?: number | undefined;
  effect: FaultEffect;
}

/** Which requests or deliveries. `event` and `endpoint` are for deliveries; the other names are for requests, or both. */
export interface FaultMatch {
  operation?: OperationId | undefined;
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE' | undefined;
  /** Only paths with this prefix. */
  path?: string | undefined;
  mode?: 'test' | 'live' | undefined;
  event?: EventTypeName | undefined;
  /** Id of a webhook endpoint. */
  endpoint?: string | undefined;
  /** Only the n-th match, from 1. */
  nth?: number | undefined;
  /** Only GETs after the first N of the same path. */
  afterReads?: number | undefined;
}

/** A fault with `after` lets the request take effect first. The effects from `drop` on apply to webhook deliveries. */
export type FaultEffect =
  | {kind: 'latency'; ms: number; jitterMs?: number | undefined}
  | {
      kind: 'status';
      status: number;
      after?: boolean | undefined;
      /** Seconds, or an HTTP date. */
      retryAfter?: number | string | undefined;
      errorCode?: string | undefined;
    }
  | {kind: 'reset'; after?: boolean | undefined}
  | {kind: 'cut'}
  | {kind: 'slow'; ms: number}
  | {kind: 'non-json'}
  | {kind: 'wrong-type'; type?: string | undefined}
  | {kind: 'empty'}
  | {kind: 'missing-fields'; fields: readonly string[]}
  | {kind: 'unknown-status'; value?: string | undefined}
  | {kind: 'unknown-value'; field: string; value?: string | undefined}
  | {kind: 'drop'}
  | {kind: 'duplicate'}
  | {kind: 'reorder'; ms?: number | undefined}
  | {kind: 'delay'; ms: number; jitterMs?: number | undefined}
  | {kind: 'bad-signature'}
  | {kind: 'stale-timestamp'; ageMs?: number | undefined};

/** The rule as the control call takes it, which checks it. */
export function faultRule(fault: FaultInput): object {
  const {match, effect, ...often} = fault;
  return {...often, ...(match === undefined ? {} : {match: snakeCased(match)}), effect: effectRule(effect)};
}

function effectRule(effect: FaultEffect): object {
  if (!isObject(effect)) return effect; // the control call refuses it
  const {kind, after, ...facts} = snakeCased(effect);
  const takesWhen = kind === 'reset' || after !== undefined;
  return {
    ...(takesWhen ? {when: after === true ? 'after' : 'before'} : {}),
    ...facts,
    kind: String(kind).replaceAll('-', '_'),
  };
}

const snakeCased = (facts: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(facts).map(([name, value]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  );
