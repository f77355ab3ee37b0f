import {keepAcknowledged, noteConfirmation, readAcknowledged} from '../../src/batch/journal/confirmations.ts';
import type {OpenBatch} from '../../src/batch/journal/open-batch.ts';
import type {BatchClaims} from '../../src/batch/registry/batch-claims.ts';
import {refusePaidElsewhere, type Survey} from '../../src/batch/registry/survey.ts';
import {RemitError} from '../../src/errors.ts';
import type {Attempt} from './network.ts';
import {isApproving, isById, isCancel} from './oracle.ts';
import type {Place} from './place.ts';
import type {SimProcess} from './process.ts';
import type {ServiceRecord} from './service.ts';

/** Of every command in a world. */
export const PROFILE = 'acme';

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
  const {confirmed} = process.place;
  confirmed.set(plan.batchId, confirmed.get(plan.batchId) ?? sent);
  process.acceptsElsewhere = accepts.elsewhere;
  if (accepts.elsewhere.length > 0) process.place.acceptedElsewhere.set(plan.batchId, sent); // its windows go on
  process.acceptsDuplicates = repeats > 0;
  registry.assertHeld();
  const {planHash, revision} = plan;
  const at = process.clock.now();
  // A registry that is rebuilt finds the profile here.
  noteConfirmation(journal, {planHash, revision, doing: 'pay', asked: true, at, by: null, profile: PROFILE});
  if (acknowledged !== undefined && repeats === 0) return;
  keepAcknowledged(journal, {
    ...{planHash, duplicates: (acknowledged?.duplicates ?? 0) + repeats, similar: 0, at},
    firstAt: acknowledged?.firstAt ?? at,
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

  readonly #isDeclared: (record: ServiceRecord) => boolean;

  /** @param isDeclared an operator declared its row not paid, so that a cancel has freed the reference */
  constructor(records: readonly ServiceRecord[], isDeclared: (record: ServiceRecord) => boolean) {
    this.#records = records;
    this.#isDeclared = isDeclared;
  }

  /** Before a request leaves. Returns a complaint, or undefined. */
  sent(attempt: Attempt, process: SimProcess): string | undefined {
    if (attempt.method !== 'POST' || isById(attempt) || isCancel(attempt)) return undefined;
    const own = this.#sent.filter(
      (one) =>
        one.attempt.key === attempt.key &&
        one.process.place === process.place &&
        one.process.batchId === process.batchId,
    );
    this.#sent.push({attempt, process});
    const [first] = own;
    if (first !== undefined)
      return own.some((one) => isApproving(one.attempt)) || !isApproving(attempt)
        ? undefined
        : this.#released(attempt, process, first.attempt.n);
    const body = JSON.parse(attempt.body) as Body;
    const reference = body.metadata['remit_reference'];
    // Those of a batch that was itself acknowledged are passed over: the operator knows of both.
    const others = this.#knownElsewhere(process).filter(
      ({madeBy}) => !this.#maker(madeBy)!.process.acceptsDuplicates,
    );
    const since = process.place.acknowledged.get(process.batchId) ?? 0;
    const alike = others.find(
      (record) => isAlike(record.body, body) && this.#isNewer(record, since, process.place),
    );
    if (alike !== undefined && !process.acceptsDuplicates)
      return `request ${attempt.n} of ${reference} repeats record ${alike.n} of another namespace, and nobody acknowledged that`;
    const acceptedAt = process.place.acceptedElsewhere.get(process.batchId) ?? 0;
    const same = others.find(
      (record) => record.reference === reference && this.#isNewer(record, acceptedAt, process.place),
    );
    // The other record is newer than the batch, which may have sent the row: then the question about look-alikes names it.
    const isAsked =
      same !== undefined &&
      (process.acceptsDuplicates || !this.#isNewer(same, since, process.place)) &&
      isAlike(same.body, body) &&
      same.madeBy > (process.place.confirmed.get(process.batchId) ?? Infinity);
    if (same !== undefined && !isAsked && process.acceptsElsewhere.length === 0)
      return `request ${attempt.n} of ${reference} left, which has record ${same.n} under another namespace, and nobody acknowledged that`;
    return undefined;
  }

  /** A row that was staged is released for the first time: what was sent elsewhere in between is acknowledged too. */
  #released(attempt: Attempt, process: SimProcess, stagedBy: number): string | undefined {
    if (process.acceptsDuplicates) return undefined;
    const since = Math.max(stagedBy, process.place.acknowledged.get(process.batchId) ?? 0);
    const body = JSON.parse(attempt.body) as Body;
    const alike = this.#knownElsewhere(process).find(
      (record) => isAlike(record.body, body) && this.#isNewer(record, since, process.place),
    );
    return alike === undefined
      ? undefined
      : `request ${attempt.n} releases a row that repeats record ${alike.n} of another namespace, which is newer`;
  }

  /** It was neither made nor claimed before the request `since`. */
  #isNewer({madeBy}: ServiceRecord, since: number, {confirmed}: Place): boolean {
    return madeBy > since && (since === 0 || confirmed.get(this.#maker(madeBy)!.process.batchId)! > since);
  }

  /** Records that may be paid, and whose claims the registry has. */
  #knownElsewhere({place, namespace}: SimProcess): ServiceRecord[] {
    return this.#records.filter((record) => {
      const isEnded = record.canceled || record.later.some(({status}) => status === 'failed');
      if (isEnded || this.#isDeclared(record)) return false;
      const maker = this.#maker(record.madeBy)?.process;
      return (
        maker?.place === place && maker.namespace !== namespace && place.registryKeptSince(record.madeBy)
      );
    });
  }

  #maker(n: number): {attempt: Attempt; process: SimProcess} | undefined {
    return this.#sent.find(({attempt}) => attempt.n === n);
  }
}

type Body = Record<string, unknown> & {metadata: Record<string, string>};

const isAlike = (one: Record<string, unknown>, other: Record<string, unknown>): boolean =>
  (['payee_id', 'payer_id', 'amount_in_minor_units', 'currency_code'] as const).every(
    (name) => one[name] === other[name],
  );
