import {keepAcknowledged, readAcknowledged} from '../../src/batch/journal/confirmations.ts';
import type {OpenBatch} from '../../src/batch/journal/open-batch.ts';
import type {BatchClaims} from '../../src/batch/registry/batch-claims.ts';
import {refusePaidElsewhere, type Survey} from '../../src/batch/registry/survey.ts';
import {RemitError} from '../../src/errors.ts';
import type {Attempt} from './network.ts';
import {isById, isCancel} from './oracle.ts';
import type {SimProcess} from './process.ts';
import type {ServiceRecord} from './service.ts';

/** What an operator states with `--accept` before a run. */
export interface Acceptances {
  elsewhere: readonly string[];
  duplicates: number | undefined;
}
export const NOTHING: Acceptances = {elsewhere: [], duplicates: undefined};

/**
 * What the command does before it runs a batch: payments that other batches have made, or may have made, are refused
 * until they are acknowledged. The refusal names what must be stated.
 */
export function confirmSeen(
  {survey, registry}: Pick<BatchClaims, 'registry'> & {survey: Survey},
  {plan, journal}: OpenBatch,
  {process, accepts, sent}: {process: SimProcess; accepts: Acceptances; sent: number},
): void {
  const acknowledged = readAcknowledged(journal, plan);
  const ofFile = acknowledged === undefined ? plan.figures.softDuplicates.count : 0;
  const repeats = ofFile + survey.alike.count;
  const needed: Acceptances = {elsewhere: [...survey.elsewhere.keys()], duplicates: repeats};
  try {
    refusePaidElsewhere(survey, accepts.elsewhere, {
      batchId: plan.batchId,
      retype: (words) => words.join(' '),
    });
  } catch (error) {
    throw refusal(plan.batchId, needed, error);
  }
  if (repeats !== (accepts.duplicates ?? 0)) throw refusal(plan.batchId, needed);
  process.acceptsElsewhere = accepts.elsewhere;
  if (accepts.elsewhere.length > 0) process.place.acceptedElsewhere.set(plan.batchId, sent); // its windows go on
  process.acceptsDuplicates = repeats > 0;
  registry.assertHeld();
  if (acknowledged !== undefined && repeats === 0) return;
  keepAcknowledged(journal, {
    planHash: plan.planHash,
    ...{duplicates: (acknowledged?.duplicates ?? 0) + repeats, similar: 0, at: process.clock.now()},
    firstAt: acknowledged?.firstAt ?? process.clock.now(),
  });
  process.place.acknowledged.set(plan.batchId, sent);
}

const refusal = (batchId: string, needed: Acceptances, cause?: unknown): RemitError =>
  new RemitError('GUARD_DUPLICATES', `batch ${batchId} repeats other payments`, {
    ...(cause === undefined ? {} : {cause}),
    details: {needed},
  });

/** What a refusal asks for; undefined for any other error. */
export const neededBy = (error: unknown): Acceptances | undefined =>
  error instanceof RemitError && error.code === 'GUARD_DUPLICATES'
    ? (error.details as {needed: Acceptances}).needed
    : undefined;

/**
 * Holds the first request of each row against the payments of other namespaces that its state folder knows of.
 * Invariant: what may have been paid under another namespace is sent only after the operator has acknowledged that.
 */
export class Namespaces {
  readonly #records: readonly ServiceRecord[];
  readonly #sent: {attempt: Attempt; process: SimProcess}[] = [];

  constructor(records: readonly ServiceRecord[]) {
    this.#records = records;
  }

  /** Another namespace has sent something from the place of this process. */
  hasOthers({place, namespace}: SimProcess): boolean {
    return this.#sent.some(({process}) => process.place === place && process.namespace !== namespace);
  }

  /** Before a request leaves. Returns a complaint, or undefined. */
  sent(attempt: Attempt, process: SimProcess): string | undefined {
    if (attempt.method !== 'POST' || isById(attempt) || isCancel(attempt)) return undefined;
    const isFirst = !this.#sent.some(
      (one) => one.attempt.key === attempt.key && one.process.batchId === process.batchId,
    );
    this.#sent.push({attempt, process});
    if (!isFirst) return undefined;
    const body = JSON.parse(attempt.body) as Body;
    const reference = body.metadata['remit_reference'];
    const others = this.#records.filter((record) => this.#isKnownElsewhere(record, process));
    const since = process.place.acknowledged.get(process.batchId) ?? 0;
    const alike = others.find((record) => isAlike(record.body, body) && record.madeBy > since);
    if (alike !== undefined && !process.acceptsDuplicates)
      return `request ${attempt.n} of ${reference} repeats record ${alike.n} of another namespace, and nobody acknowledged that`;
    const acceptedAt = process.place.acceptedElsewhere.get(process.batchId) ?? 0;
    const same = others.find((record) => record.reference === reference && record.madeBy > acceptedAt);
    if (same !== undefined && process.acceptsElsewhere.length === 0)
      return `request ${attempt.n} of ${reference} left, which has record ${same.n} under another namespace, and nobody acknowledged that`;
    return undefined;
  }

  /** It may be paid, and the registry has its claim. The claim of a batch that was itself acknowledged is passed over. */
  #isKnownElsewhere(record: ServiceRecord, {place, namespace}: SimProcess): boolean {
    if (record.canceled || record.later.some(({status}) => status === 'failed')) return false;
    const maker = this.#sent.find(({attempt}) => attempt.n === record.madeBy);
    return (
      maker !== undefined &&
      maker.process.place === place &&
      maker.process.namespace !== namespace &&
      !maker.process.acceptsDuplicates &&
      place.registryKeptSince(record.madeBy)
    );
  }
}

type Body = Record<string, unknown> & {metadata: Record<string, string>};

const isAlike = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  (['payee_id', 'payer_id', 'amount_in_minor_units', 'currency_code'] as const).every(
    (name) => one[name] === other[name],
  );
