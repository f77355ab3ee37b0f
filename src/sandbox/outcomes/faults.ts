import type {Mode} from '../../contract/mode.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {isDeliveryEffect, type DeliveryEffect, type FaultRule, type RequestEffect} from './fault-schema.ts';
import {fractionOf, randomFraction, type RandomBytes} from '../base/random.ts';

/** A rule with its counters, for assertions. */
export interface ActiveRule extends FaultRule {
  id: string;
  /** Requests or attempts that matched, without the reads skipped by `after_reads`. */
  seen: number;
  /** Those that were affected. */
  hits: number;
}

/** What a rule can match before the request is handled. */
/** Method and path of a request in a service's dialect. */
export interface SentAs {
  method: string;
  path: string;
}

export interface RequestFacts {
  method: string;
  path: string;
  operation: OperationId | null;
  /** The mode of the key, whether it is valid or not. */
  mode: Mode | null;
  /** What the client sent, if the sandbox speaks a dialect. */
  sent?: SentAs | undefined;
}

/** What a rule about deliveries can match. */
export interface DeliveryFacts {
  id: string;
  /** Attempts of the schedule so far. */
  tries: number;
  mode: Mode;
  event: string;
  endpoint: string;
}

export interface StruckDelivery {
  effect: DeliveryEffect;
  /** How long `delay` waits. */
  delayMs: number;
}

export type OtherEffect = Exclude<RequestEffect, {kind: 'latency'}>;

/** The effects on one request. */
export interface FaultEffects {
  latencyMs: number;
  effect: OtherEffect | undefined;
}

/** Maximum number of paths counted per rule; the oldest is dropped first. */
const PATHS = 10_000;

/**
 * The list of fault rules. Rules are tried in order of creation; latencies add up, otherwise the first match applies.
 */
export class Faults {
  readonly #random: RandomBytes;
  #rules: ActiveRule[] = [];
  /** How often each path was read, for rules that wait for reads. */
  readonly #reads = new WeakMap<ActiveRule, Map<string, number>>();
  #made = 0;

  /** @param random its own source, so that faults do not change the ids that a seed gives */
  constructor(random: RandomBytes) {
    this.#random = random;
  }

  add(rule: FaultRule): ActiveRule {
    const active: ActiveRule = {...rule, id: `fault_${++this.#made}`, seen: 0, hits: 0};
    this.#rules.push(active);
    return active;
  }

  list(): readonly ActiveRule[] {
    return this.#rules;
  }

  /** Removes one rule; false if there is none with that id. */
  remove(id: string): boolean {
    const before = this.#rules.length;
    this.#rules = this.#rules.filter((rule) => rule.id !== id);
    return this.#rules.length < before;
  }

  clear(): void {
    this.#rules = [];
  }

  judge(facts: RequestFacts): FaultEffects | undefined {
    if (this.#rules.length === 0) return undefined;
    let latencyMs = 0;
    let effect: OtherEffect | undefined;
    for (const rule of this.#rules) {
      if (isDeliveryEffect(rule.effect) || !matches(rule, facts) || !this.#isReadEnough(rule, facts))
        continue;
      rule.seen += 1;
      if (rule.effect.kind !== 'latency' && effect !== undefined) continue;
      if (!strikes(rule, () => randomFraction(this.#random))) continue;
      rule.hits += 1;
      if (rule.effect.kind === 'latency') latencyMs += between(rule.effect, randomFraction(this.#random));
      else effect = rule.effect;
    }
    return latencyMs === 0 && effect === undefined ? undefined : {latencyMs, effect};
  }

  /** The effect on one attempt of a delivery; the first matching rule decides. */
  judgeDelivery(facts: DeliveryFacts): StruckDelivery | undefined {
    for (const rule of this.#rules) {
      const {effect, match} = rule;
      if (!isDeliveryEffect(effect)) continue;
      if (match.mode !== undefined && match.mode !== facts.mode) continue;
      if (match.event !== undefined && match.event !== facts.event) continue;
      if (match.endpoint !== undefined && match.endpoint.toLowerCase() !== facts.endpoint) continue;
      rule.seen += 1;
      // Derived from the attempt: drawn from the source of the requests, it would depend on their order.
      const chance = (what: string) => fractionOf(`${facts.id}/${facts.tries}/${rule.id}/${what}`);
      if (!strikes(rule, () => chance('strike'))) continue;
      rule.hits += 1;
      return {effect, delayMs: effect.kind === 'delay' ? between(effect, chance('delay')) : 0};
    }
    return undefined;
  }

  /** Counts the read; returns whether the path was read often enough before. */
  #isReadEnough(rule: ActiveRule, {method, path}: RequestFacts): boolean {
    const {after_reads: needed} = rule.match;
    if (needed === undefined) return true;
    if (method !== 'GET') return false;
    const reads = this.#reads.get(rule) ?? new Map<string, number>();
    this.#reads.set(rule, reads);
    const before = reads.get(path) ?? 0;
    reads.set(path, before + 1);
    const [oldest] = reads.keys();
    if (reads.size > PATHS && oldest !== undefined) reads.delete(oldest);
    return before >= needed;
  }
}

const between = ({ms, jitter_ms = 0}: {ms: number; jitter_ms?: number | undefined}, fraction: number) =>
  ms + Math.floor(fraction * jitter_ms);

function strikes(rule: ActiveRule, chance: () => number): boolean {
  if (rule.match.nth !== undefined && rule.seen !== rule.match.nth) return false;
  if (rule.times !== undefined && rule.hits >= rule.times) return false;
  return rule.probability === undefined || chance() < rule.probability;
}

function matches({match}: FaultRule, facts: RequestFacts): boolean {
  return (
    (match.method === undefined || match.method === facts.method) &&
    (match.operation === undefined || match.operation === facts.operation) &&
    (match.mode === undefined || match.mode === facts.mode) &&
    (match.path === undefined || facts.path.startsWith(match.path))
  );
}
