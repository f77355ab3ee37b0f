import {createHash} from 'node:crypto';
import type {Mode} from '../../src/contract/mode.ts';
import type {Kind} from '../../src/batch/model/kinds.ts';
import {type Attempt, LATEST_MS} from './network.ts';
import {isOfKey, type ServiceRecord, withoutApproval} from './service.ts';
import type {Books} from './books.ts';
import type {Place} from './place.ts';
import {DISTORTED_FROM, isPaymentOf, partyNumber, type SimRow} from './rows.ts';

/** A broken promise. The first of a world ends it. */
export class Violation extends Error {
  readonly invariant: string;

  constructor(invariant: string, message: string) {
    super(`${invariant}: ${message}`);
    this.invariant = invariant;
  }
}

interface Payment {
  record: ServiceRecord;
  generation: number;
  /** The request that had it approved; undefined when somebody did it by hand. */
  attempt: Attempt | undefined;
}

/** Who sends a request, as far as the rules for it go. */
export interface Sender {
  place: Place;
  batchId: string;
  /** One request a row, by which the operator gave up what staging promises. */
  isDirect: boolean;
  acceptsDifferences: boolean;
  retriesUnapproved: boolean;
  /** Past the horizon records may be approved by their ids. */
  approvesById: boolean;
  /** Ids of records that were read in this run, and not released since. */
  looked: Set<string>;
  /** It cancels its batch. */
  isCanceling: boolean;
  /** Ids of records that were read in this run, `created`, and that it has not canceled since. */
  open: Set<string>;
  /** When it began, or the last success came with a record. */
  lastGoodAt: number;
  /** The same of creates alone, and the longest time between two of them that has passed. */
  lastCreatedAt: number;
  longestGapMs: number;
  /** Creates that succeeded with a record, and those without one since the last record that was read. */
  created: number;
  unreadable: number;
  /** A GET brought the record that it asked for. */
  hasRead: boolean;
  endedWell: boolean;
  /** A record that was known before was asked about without approval, and came back. */
  hasProbed: boolean;
  /** … and another one came back. */
  isForgotten: boolean;
  /** References whose records it read `created` after the service had lost their approvals. */
  shownLost: Set<string>;
  /** Releases in a row that were refused because of their key, while their records were `created`. */
  keyRefusals: number;
  /** Records whose release was refused so, by id, with the request that reads them next; 0 before it. */
  refusedKeys: Map<string, number>;
  /** A key whose record was known was refused. */
  wasKeyRefused: boolean;
  limit: () => number;
  /** Of all that it has had. */
  highestLimit: number;
  inFlight: number;
  /** Since none was. */
  mostInFlight: number;
  gateUntil: number;
}

const UNREADABLE_AT_FIRST = 3;
const UNREADABLE_LATER = 16;
/** Releases that are refused because of their key until bodies are taken to be compared. */
const KEY_REFUSALS = 2;

/** What may pass between the moment at which a row is judged by its age and the request's arrival. */
const SLACK_MS = 10_000;

/** A release is preceded by an answer no longer ago than this. */
const PROBE_AFTER_MS = 5 * 60_000;

/**
 * Holds what is sent and paid against what the tool promises. It has the service's books and the network's list, and no
 * code of the tool: the key is computed here once more, from the published format.
 */
export class Oracle {
  readonly #kind: Kind;
  readonly #mode: Mode;
  readonly #namespace: string;
  readonly #service: Books;
  readonly #horizonMs: number;
  /** Keys are remembered for at least the horizon. */
  readonly #isMemoryLong: boolean;
  readonly #senders = new Map<Attempt, Sender>();
  readonly #byNumber = new Map<number, Attempt>();
  readonly #attempts = new Map<string, Attempt[]>();
  readonly #payments = new Map<string, Payment[]>();
  /** Highest generation that an operator has raised a reference to. */
  readonly #generations = new Map<string, number>();
  /** Creates of a record that their sender knew: nothing is learnt of it then. */
  readonly #probes = new Set<Attempt>();
  /** When the last request left a place whose answer showed a record, by its id. */
  readonly #shown = new Map<Place, Map<string, number>>();
  /** References of which a read showed another record. */
  readonly #mixed = new Set<string>();
  /** References of rows that an operator named for a retry. */
  readonly #named = new Set<string>();
  /** References that an operator declared not paid, rightly or not. */
  readonly #declared = new Set<string>();
  /** References that an operator declared paid, with their records. */
  readonly #stated = new Map<string, string>();
  /** The first generation that a reference got because its key returned another record. */
  readonly #raisedForTaken = new Map<string, number>();
  readonly #withoutAge = new Set<string>();
  violation: Violation | undefined;
  now: () => number = () => 0;

  constructor(options: {
    kind: Kind;
    mode: Mode;
    namespace: string;
    service: Books;
    horizonMs: number;
    isMemoryLong: boolean;
  }) {
    this.#kind = options.kind;
    this.#mode = options.mode;
    this.#namespace = options.namespace;
    this.#service = options.service;
    this.#horizonMs = options.horizonMs;
    this.#isMemoryLong = options.isMemoryLong;
  }

  violate(invariant: string, message: string): void {
    this.violation ??= new Violation(invariant, message);
  }

  /** An operator asked for failed rows to be sent again, so these may have one generation more. */
  mayRaise(references: readonly string[], named: readonly string[]): void {
    for (const reference of named) this.#named.add(reference);
    for (const reference of new Set([...references, ...named]))
      this.#generations.set(reference, (this.#generations.get(reference) ?? 0) + 1);
  }

  wasRetried(reference: string): boolean {
    return (this.#generations.get(reference) ?? 0) > 0;
  }

  /** A retry has read a record of the row, to release it again under the same key. */
  wasTakenUp(place: Place, batchId: string, reference: string): boolean {
    return this.#service.records.some(
      (record) => record.reference === reference && place.takenUp.has(takenUpAs(batchId, record.id)),
    );
  }

  /** By an operator's word the row goes out again, whatever its age; a wrong word is safe while its key is remembered. */
  declareUnpaid(reference: string): void {
    this.#declared.add(reference);
  }

  /** The operator named its record: since when the service knows its key, nothing shows. */
  declarePaid(reference: string, id: string): void {
    this.#withoutAge.add(reference);
    this.#stated.set(reference, id);
  }

  isDeclaredUnpaid(reference: string): boolean {
    return this.#declared.has(reference);
  }

  /** A record of the reference failed or was canceled: a retry, or another batch, may pay it with a new key. */
  mayHaveBeenRaised(reference: string): boolean {
    return this.#service.records.some(
      (record) => record.reference === reference && isDead(this.#service.statusOf(record)),
    );
  }

  /** The service lost an approval of the reference, or of the record of another payment with which it answers it. */
  wasLost(reference: string): boolean {
    return this.#service.records.some(
      (record) => record.lostAt !== undefined && isAnswerFor(record, reference),
    );
  }

  /** A read of its record has shown another one, whose approval may be lost. */
  wasMixedUp(reference: string): boolean {
    return this.#mixed.has(reference);
  }

  /** Records of the reference that are approved, and whose approval was not lost. */
  isPaidNow(reference: string): boolean {
    return this.#service.records.some(
      (record) => record.approvedAt !== undefined && isAnswerFor(record, reference),
    );
  }

  paymentsOf(reference: string): readonly Payment[] {
    return this.#payments.get(reference) ?? [];
  }

  /** A request that the batch's journal must know of is under way, or had an effect, with which money moves. */
  mayBePaidBy(place: Place, batchId: string, reference: string): boolean {
    const isPaid = this.#standingPayments(place, batchId, reference).some(
      (payment) => payment.attempt?.seen !== 409 || this.#wasShownAfter(place, payment),
    );
    if (isPaid) return true;
    return (this.#attempts.get(reference) ?? []).some(
      (attempt) =>
        attempt.pending > 0 &&
        !attempt.isRefused &&
        attempt.seen !== 409 && // the rules: its row stays staged, and the next run reads the record first
        isApproving(attempt) &&
        !this.#isOfDeadRecord(attempt) &&
        this.#isKnownToBatch(place, batchId, attempt),
    );
  }

  /** While the service remembers its key it finds a record that was canceled or has failed, and no money moves. */
  #isOfDeadRecord({key}: Attempt): boolean {
    const record = key === undefined ? undefined : this.#service.recordOf(key);
    return record !== undefined && isDead(this.#service.statusOf(record));
  }

  isPaidBy(place: Place, batchId: string, reference: string): boolean {
    return this.#standingPayments(place, batchId, reference).length > 0;
  }

  /**
   * The same, and the batch could know: an answer showed the record after it was paid. A copy of an earlier request may
   * arrive after the record was read for the last time.
   */
  wasShownPaid(place: Place, batchId: string, reference: string): boolean {
    return this.#standingPayments(place, batchId, reference).some((payment) =>
      this.#wasShownAfter(place, payment),
    );
  }

  #wasShownAfter(place: Place, {attempt, record: {id, approvedAt, lostAt}}: Payment): boolean {
    const isBefore = lostAt !== undefined && (attempt?.seenAt ?? 0) < lostAt; // a late copy has approved it again
    const isAnswered = attempt?.seenId === id && attempt.seen !== 202 && !isBefore; // 202: in progress
    return isAnswered || (this.#shown.get(place)?.get(id) ?? -1) > (approvedAt ?? Infinity);
  }

  /** Not those of another payment that the service answers with the same record: they were asked for, and told, as its own. */
  #standingPayments(place: Place, batchId: string, reference: string): Payment[] {
    return this.paymentsOf(reference).filter(
      ({attempt, record}) =>
        attempt !== undefined &&
        !(attempt.key !== undefined && record.sharedBy.has(attempt.key)) &&
        record.approvedAt !== undefined &&
        this.#service.statusOf(record) !== 'failed' &&
        this.#isKnownToBatch(place, batchId, attempt),
    );
  }

  #isKnownToBatch(place: Place, batchId: string, attempt: Attempt): boolean {
    const sender = this.#senders.get(attempt);
    return sender?.place === place && sender.batchId === batchId && place.journalsKeptSince(attempt.n);
  }

  /** Its answer is in the sender's journal: it came to the same process, or to one that ended well. */
  #isWrittenDown(sender: Sender, attempt: Attempt): boolean {
    const former = this.#senders.get(attempt);
    return (
      former !== undefined &&
      (former === sender || former.endedWell) &&
      this.#isKnownToBatch(sender.place, sender.batchId, attempt)
    );
  }

  /** Its answer said that it is paid, to a process that ended well. */
  #wasTold(record: ServiceRecord, attempt: Attempt): boolean {
    const {seen, seenId} = attempt;
    return (seen === 200 || seen === 201) && seenId === record.id && this.#senders.get(attempt)!.endedWell;
  }

  #placeOf(attempt: Attempt | undefined): Place | undefined {
    return attempt === undefined ? undefined : this.#senders.get(attempt)?.place;
  }

  /** An answer reached its sender. */
  answered(attempt: Attempt, sender: Sender): void {
    if (typeof attempt.seen !== 'number') return;
    if (attempt.shownInstead !== undefined) {
      this.#mixedUp(attempt, sender);
      return;
    }
    this.#noteShown(attempt, sender.place);
    this.#noteKey(attempt, sender);
    this.#noteRefused(attempt, sender);
    this.#noteLost(attempt, sender);
    if (attempt.seen < 300 && attempt.seenId !== undefined) sender.lastGoodAt = this.now();
    if (attempt.seen < 300 && attempt.method === 'POST' && !isById(attempt) && !isCancel(attempt))
      this.#createdOrNot(attempt, sender);
    if (attempt.method === 'GET' && attempt.seenId !== undefined && attempt.path.endsWith(attempt.seenId)) {
      sender.looked.add(attempt.seenId);
      sender.hasRead = true;
      sender.unreadable = 0;
      const record = this.#service.records.find(({id}) => id === attempt.seenId);
      // It may have moved since it was read.
      if ((record?.approvedAt ?? Infinity) >= attempt.sentAt) sender.open.add(attempt.seenId);
    }
    if (attempt.method !== 'POST' || isApproving(attempt) || isCancel(attempt)) return;
    const seen = this.#sameKey(attempt).filter((one) => this.#sawOwnRecord(one));
    // A key that was forgotten would have made another record than the one that the operator named.
    if (attempt.seenId !== undefined && this.#stated.get(this.#referenceOf(attempt)) === attempt.seenId)
      sender.hasProbed = true;
    if (seen.length === 0 || (attempt.seen !== 409 && attempt.seenId === undefined)) return;
    sender.hasProbed = true;
    sender.lastGoodAt = this.now();
    const known = seen.find((one) => this.#isWrittenDown(sender, one));
    const reference = this.#referenceOf(attempt);
    // It has no record of its own: by an operator's word, or because the one that came was that of another payment.
    const hasNone = this.#declared.has(reference) || this.#isOfOtherPayment(sender, reference);
    if (known !== undefined && !hasNone && attempt.seenId !== undefined && attempt.seenId !== known.seenId)
      sender.isForgotten = true;
  }

  /**
   * Invariant: a service that refuses releases because of their key is asked no more than a few times. Besides: what shows
   * that records of the batch can be approved by their ids only.
   */
  #noteKey(attempt: Attempt, sender: Sender): void {
    const {seen, seenId, method} = attempt;
    if (method !== 'POST' || isById(attempt) || isCancel(attempt)) return;
    const known = this.#sameKey(attempt).find((one) => this.#sawOwnRecord(one))?.seenId;
    if (known === undefined) return;
    const isOtherRecord = seenId !== undefined && seenId !== known;
    // A probe counts refusals in a row: another try may find the key in use no more.
    const isFailing = Number(seen) >= 500 && !isApproving(attempt);
    if (seenId !== undefined || isFailing) sender.keyRefusals = 0;
    const record = this.#service.records.find(({id}) => id === known)!;
    const isRefused = seen === 409 && this.#service.statusOf(record) === 'created';
    // A probe that is refused twice stands for a service that compares bodies, whatever has become of its record.
    const isProbeRefused = seen === 409 && sender.wasKeyRefused && !isApproving(attempt);
    if (isProbeRefused) sender.place.byIdSince.set(sender.batchId, attempt.n);
    if (seen === 409) sender.wasKeyRefused = true;
    if (isRefused || isOtherRecord) sender.place.byIdSince.set(sender.batchId, attempt.n);
    if (isRefused && isApproving(attempt)) sender.refusedKeys.set(known, 0);
    else if (
      isRefused &&
      this.#sameKey(attempt).some((one) => this.#isWrittenDown(sender, one) && one.seenId === known)
    )
      this.#countRefusal(sender);
  }

  /** A refusal counts if the read that follows it shows the record. */
  #noteRefused({method, seenId, n}: Attempt, sender: Sender): void {
    if (method !== 'GET' || seenId === undefined || sender.refusedKeys.get(seenId) !== n) return;
    sender.refusedKeys.delete(seenId);
    this.#countRefusal(sender);
  }

  #countRefusal(sender: Sender): void {
    if (++sender.keyRefusals > KEY_REFUSALS + sender.highestLimit)
      this.violate('compared', `${sender.keyRefusals} releases were refused for their key, and no stop`);
  }

  /** It was read after the service had lost its approval. */
  #noteLost({method, path, sentAt, seenId}: Attempt, sender: Sender): void {
    const isRead = method === 'GET' && seenId !== undefined && path.endsWith(seenId); // not a swapped answer
    const record = isRead ? this.#service.records.find(({id}) => id === seenId) : undefined;
    if (record?.lostAt === undefined || record.approvedAt !== undefined || record.lostAt > sentAt) return;
    if (this.#service.statusOf(record) !== 'created') return;
    sender.shownLost.add(record.reference);
    sender.place.shownLost.add(`${sender.batchId} ${record.reference}`); // it may be killed before it reports that
  }

  /** Another record was shown: the service works, but nothing is known of the record that was asked for. */
  #mixedUp({n, path, seenId, shownInstead}: Attempt, sender: Sender): void {
    const asked = this.#service.records.find(({id}) => path.endsWith(id));
    if (asked !== undefined) this.#mixed.add(asked.reference);
    sender.lastGoodAt = this.now();
    sender.hasRead = true;
    sender.unreadable = 0;
    // The answer has the id that was asked for, so a cancel after it cancels that record.
    if (seenId === undefined || !path.endsWith(seenId)) return;
    sender.open.add(seenId);
    if (asked !== undefined && shownInstead !== undefined && this.#mayCountAsLooked(asked, shownInstead))
      sender.looked.add(seenId);
    // After a refusal of its key, it shows that the key belongs to another record.
    if (sender.wasKeyRefused) sender.place.byIdSince.set(sender.batchId, n);
  }

  /**
   * An equal payment shown under the id of a record that no release can have approved: approving that id pays once, the
   * amount of its row to the party of its row.
   */
  #mayCountAsLooked(asked: ServiceRecord, other: ServiceRecord): boolean {
    const isEqual = PAID_BY.every((field) => asked.body[field] === other.body[field]);
    const attempts = this.#attempts.get(asked.reference) ?? [];
    return isEqual && !attempts.some((one) => isApproving(one) && isUnsettled(one));
  }

  /** The records with which the service answered the payments of several references. */
  sharedRecords(): readonly {references: readonly string[]; wasPaid: boolean; n: number}[] {
    return this.#service.records
      .filter(({sharedBy}) => sharedBy.size > 0)
      .map(({reference, sharedBy, approvedAt, lostAt, n}) => ({
        ...{references: [reference, ...sharedBy.values()], n},
        wasPaid: approvedAt !== undefined || lostAt !== undefined,
      }));
  }

  #noteShown({seenId, sentAt}: Attempt, place: Place): void {
    if (seenId === undefined) return;
    const shown = this.#shown.get(place) ?? new Map<string, number>();
    this.#shown.set(place, shown.set(seenId, Math.max(sentAt, shown.get(seenId) ?? 0)));
  }

  /** Invariant: successes without a record end a run soon, for they come from something else than the service. */
  #createdOrNot({seenId}: Attempt, sender: Sender): void {
    if (seenId === undefined) {
      sender.unreadable++;
      const most =
        sender.created === 0 && !sender.hasRead ? UNREADABLE_AT_FIRST : UNREADABLE_LATER + sender.limit();
      if (sender.unreadable > most)
        this.violate('unreadable', `${sender.unreadable} successes without a record, and no stop`);
      return;
    }
    sender.created++;
    sender.unreadable = 0;
    sender.longestGapMs = Math.max(sender.longestGapMs, this.now() - sender.lastCreatedAt);
    sender.lastCreatedAt = this.now();
  }

  /** Invariant: only time ends a run whose service is away. */
  endedForOutage(sender: Sender, patienceMs: number): void {
    const gapMs = Math.max(sender.longestGapMs, this.now() - sender.lastCreatedAt);
    if (gapMs < patienceMs)
      this.violate('patience', `the run gave up after ${gapMs} ms at most, and has ${patienceMs} ms`);
  }

  /** Requests of this batch made a record under the reference that has come to no end. */
  hasOpenRecord(place: Place, batchId: string, reference: string): boolean {
    return this.#service.records.some((record) => {
      const maker = this.#byNumber.get(record.madeBy);
      return (
        record.reference === reference &&
        maker !== undefined &&
        this.#isKnownToBatch(place, batchId, maker) &&
        !isDead(this.#service.statusOf(record))
      );
    });
  }

  /** The service refused a create of the reference because its record was made with another body, as by direct mode. */
  isOtherBody(reference: string): boolean {
    return this.#service.records.some(
      (record) =>
        record.reference === reference &&
        (this.#attempts.get(reference) ?? []).some(
          ({key, seen, body}) => key === record.key && seen === 409 && body !== record.sent,
        ),
    );
  }

  /** The batch has a record of the reference that is still `created`, and none that has ended. */
  hasStaged(place: Place, batchId: string, reference: string): boolean {
    const shown = (this.#attempts.get(reference) ?? []).filter(
      (one) => this.#sawOwnRecord(one) && this.#isKnownToBatch(place, batchId, one),
    );
    const statuses = this.#service.records
      .filter((record) => record.reference === reference)
      .map((record) => this.#service.statusOf(record));
    const isKnown = shown.some((one) => this.#senders.get(one)!.endedWell);
    if (this.sharedRecords().some(({references}) => references.includes(reference))) return false; // it may be another's
    return isKnown && statuses.every((status) => status === 'created');
  }

  /** Earlier requests with the key of this one. */
  #sameKey(attempt: Attempt): Attempt[] {
    return (this.#attempts.get(this.#referenceOf(attempt)) ?? []).filter(
      (one) => one.key === attempt.key && one.n < attempt.n,
    );
  }

  /** It was shown a record of its key, not that of another row. */
  #sawOwnRecord({seenId, key}: Attempt): boolean {
    return (
      seenId !== undefined &&
      this.#service.records.some((record) => record.id === seenId && isOfKey(record, key))
    );
  }

  /** A create without approval whose record was shown before. */
  #isProbe(attempt: Attempt): boolean {
    if (attempt.method !== 'POST' || isById(attempt) || isCancel(attempt) || isApproving(attempt))
      return false;
    return this.#sameKey(attempt).some((one) => this.#sawOwnRecord(one));
  }

  #referenceOf(attempt: Attempt): string {
    if (isById(attempt)) return this.#recordById(attempt)!.reference;
    return (JSON.parse(attempt.body) as {metadata: {remit_reference: string}}).metadata.remit_reference;
  }

  #recordById({path}: Attempt): ServiceRecord | undefined {
    return this.#service.records.find(({id}) => id === path.split('/').at(-2));
  }

  /** Before a request leaves. */
  sent(attempt: Attempt, sender: Sender): void {
    this.#senders.set(attempt, sender);
    this.#byNumber.set(attempt.n, attempt);
    // A job may send a second request after the window has shrunk, or when it waited for a gate: it reads one record, to
    // check whether the service is there, or repeats the probe before a release, of which there is one at a time. Releases
    // that were refused for their keys all read their records after a gate.
    const most = Math.max(sender.mostInFlight, sender.limit() + 1, sender.refusedKeys.size);
    sender.highestLimit = Math.max(sender.highestLimit, sender.limit());
    const isWithinJob = () => sender.inFlight <= most && (attempt.method === 'GET' || this.#isProbe(attempt));
    sender.mostInFlight = Math.max(sender.mostInFlight, sender.inFlight);
    if (sender.inFlight > sender.limit() && !isWithinJob())
      this.violate('window', `${sender.inFlight} requests in flight, ${sender.limit()} allowed`);
    if (this.now() < sender.gateUntil)
      this.violate(
        'gate',
        `request ${attempt.n} left ${sender.gateUntil - this.now()} ms before the gate opened`,
      );
    if (attempt.method === 'GET' && sender.retriesUnapproved)
      sender.place.takenUp.set(takenUpAs(sender.batchId, attempt.path.split('/').at(-1)!), attempt.n);
    const readId = attempt.method === 'GET' ? attempt.path.split('/').at(-1)! : '';
    if (sender.refusedKeys.get(readId) === 0) sender.refusedKeys.set(readId, attempt.n);
    else sender.refusedKeys.delete(readId);
    if (attempt.method !== 'POST') return;
    if (isCancel(attempt)) {
      this.#sentCancel(attempt, sender);
      return;
    }
    if (sender.place.canceling.has(sender.batchId)) this.#sentAfterCancel(attempt, sender);
    if (isById(attempt)) {
      this.#sentById(attempt, sender);
      return;
    }
    const body = JSON.parse(attempt.body) as Record<string, unknown>;
    const reference = String((body['metadata'] as Record<string, unknown>)['remit_reference']);
    const row = sender.place.planned(sender.batchId, reference);
    if (row === undefined) this.violate('planned', `${reference} was sent and stands in no plan`);
    else this.#sameAsPlanned(row, body, reference);
    const generation = this.#generationOf(attempt, reference);
    const earlier = this.#attempts.get(reference) ?? [];
    this.#sameBytes(attempt, sender, reference, earlier);
    this.#insideHorizon(attempt, sender, reference, earlier);
    if (this.#sameKey(attempt).some((one) => this.#sawOwnRecord(one) && this.#isWrittenDown(sender, one)))
      this.#probes.add(attempt);
    if (generation > 0) this.#raisedRightly(reference, generation, sender.place);
    if (isApproving(attempt)) {
      if (!sender.isDirect || this.#hadRecordBefore(attempt, sender))
        this.#probed(attempt, sender, reference);
      this.#allowed(attempt, sender, reference, row);
      this.#looked(attempt, sender, reference);
    }
    this.#attempts.set(reference, [...earlier, attempt]);
  }

  /** An earlier run wrote down which record it has, and not that this is the record of another payment. */
  #hadRecordBefore(attempt: Attempt, sender: Sender): boolean {
    const reference = this.#referenceOf(attempt);
    if (this.#isOfOtherPayment(sender, reference) || this.#declared.has(reference)) return false;
    return this.#sameKey(attempt).some(
      (one) =>
        this.#senders.get(one) !== sender &&
        this.#sawOwnRecord(one) &&
        this.#isWrittenDown(sender, one) &&
        !this.#sawOtherContent(one),
    );
  }

  /** The record of its key is that of an earlier request with other content: the row is a conflict. */
  #sawOtherContent({seenId, body}: Attempt): boolean {
    const record = this.#service.records.find(({id}) => id === seenId);
    return record !== undefined && record.text !== withoutApproval(body);
  }

  /** The service has answered its key with the record of another payment. */
  #isOfOtherPayment({place, batchId, isDirect}: Sender, reference: string): boolean {
    if (isDirect && this.sharedRecords().some(({references}) => references.includes(reference))) return true;
    return place.batches.get(batchId)?.reported.get(reference) === 'collision';
  }

  /** Invariant: before money moves by a replay, the service has shown that it remembers keys, and not long ago. */
  #probed(attempt: Attempt, sender: Sender, reference: string): void {
    if (!sender.hasProbed) this.violate('probe', `${reference} was released without a probe`);
    if (sender.isForgotten)
      this.violate('probe', `${reference} was released after a probe brought another record`);
    if (this.now() - sender.lastGoodAt > PROBE_AFTER_MS)
      this.violate('probe', `request ${attempt.n} released ${reference} after a long silence`);
  }

  /** Invariant: only `cancel` cancels, and only a record that it has just read and found `created`. */
  #sentCancel(attempt: Attempt, sender: Sender): void {
    const id = attempt.path.split('/').at(-2)!;
    if (!sender.isCanceling || !sender.place.canceling.has(sender.batchId))
      this.violate('cancel', `request ${attempt.n} cancels a record of a batch that is not canceled`);
    if (!sender.open.delete(id))
      this.violate('cancel', `request ${attempt.n} cancels a record that was not read open`);
  }

  /** Invariant: once a cancel is committed, a request may only settle what may have been sent, and approves nothing. */
  #sentAfterCancel(attempt: Attempt, sender: Sender): void {
    if (!sender.isCanceling || isApproving(attempt))
      this.violate('cancel', `request ${attempt.n} of a batch that is being canceled`);
  }

  /** Invariant: when a batch is said to be canceled, no record that only it made can be approved any more. */
  checkCanceled(place: Place, batchId: string): void {
    for (const record of this.#service.records) {
      const sent = (this.#attempts.get(record.reference) ?? []).filter(({key}) => key === record.key);
      const maker = this.#byNumber.get(record.madeBy);
      const isOurs = maker !== undefined && sent.every((one) => this.#isKnownToBatch(place, batchId, one));
      const isKnown =
        sent.some(({seenId}) => seenId === record.id) || sent.every(({pending}) => pending === 0);
      if (record.lostAt !== undefined) continue; // the batch knows it as accepted until it reads it again
      if (this.#declared.has(record.reference)) continue; // the operator said that nothing was paid, and it is not sent again
      // The service answered with the record of another row: by the document, this key made that record and no other.
      if (sent.some(({seenId}) => seenId !== undefined && seenId !== record.id)) continue;
      if (isOurs && isKnown && this.#isMemoryLong && this.#service.statusOf(record) === 'created')
        this.violate(
          'cancel',
          `${batchId} is canceled, and record ${record.n} of ${record.reference} is open`,
        );
    }
  }

  /**
   * Invariant: a standalone approve names a record of the plan, by leave, once, and seen to be open. Within the horizon
   * the batch has been shown that a replay cannot release its records.
   */
  #sentById(attempt: Attempt, sender: Sender): void {
    const record = this.#recordById(attempt);
    if (record === undefined) {
      this.violate('by-id', `request ${attempt.n} approves a record that does not exist`);
      return;
    }
    const {reference, id} = record;
    attempt.key = record.key; // it has none of its own: the books go by that of its record
    const row = sender.place.planned(sender.batchId, reference);
    if (row === undefined) this.violate('planned', `${reference} was approved and stands in no plan`);
    else this.#sameAsPlanned(row, record.body, reference);
    if (!sender.approvesById) this.violate('by-id', `${reference} was approved by its id without leave`);
    // What may have been taken earlier is as old as that: the engine cannot know which of its requests made the record.
    const first = this.#attempts.get(reference)?.[0]?.sentAt ?? Infinity;
    const {doubtSince} = sender.place;
    const since = Math.min(record.createdAt, first, doubtSince, sender.place.claimedSince(sender.batchId));
    const shownAt = sender.place.byIdSince.get(sender.batchId);
    const isOnlyWay =
      shownAt !== undefined && (sender.place.journalsKeptSince(shownAt) || sender.place.isRestored);
    const isOld = this.now() - since >= this.#horizonMs - LATEST_MS - SLACK_MS;
    if (!isOnlyWay && !isOld && !this.#withoutAge.has(reference))
      this.violate('by-id', `${reference} was approved by its id within the horizon`);
    if (!sender.looked.delete(id)) this.violate('look', `${reference} was approved by its id unseen`);
    const isSecond = this.#sameKey(attempt).some(
      (one) => isById(one) && this.#senders.get(one) === sender && isUnsettled(one),
    );
    if (isSecond) this.violate('by-id', `${reference} was approved by its id twice in one run`);
    this.#allowed(attempt, sender, reference, row);
    this.#attempts.set(reference, [...(this.#attempts.get(reference) ?? []), attempt]);
  }

  /** Invariant: a release of a known record that was not answered is not sent again before the record was looked at. */
  #looked(attempt: Attempt, sender: Sender, reference: string): void {
    const earlier = this.#sameKey(attempt);
    const id = earlier.find((one) => this.#sawOwnRecord(one) && this.#isWrittenDown(sender, one))?.seenId;
    if (id === undefined || this.#isOfOtherPayment(sender, reference)) return;
    const isSeen = sender.looked.delete(id);
    const former = earlier.findLast(
      (one) => isApproving(one) && this.#isKnownToBatch(sender.place, sender.batchId, one),
    );
    const takenUpAt = sender.place.takenUp.get(takenUpAs(sender.batchId, id)) ?? 0;
    const isSettled =
      this.#declared.has(reference) ||
      this.#isReportedLost(sender, reference) || // it was read since
      sender.place.shownLost.has(`${sender.batchId} ${reference}`) ||
      takenUpAt > (former?.n ?? Infinity); // by a retry
    if (former !== undefined && isUnsettled(former) && !isSeen && !isSettled)
      this.violate(
        'look',
        `${reference} was released again unseen after request ${former.n} was not answered`,
      );
  }

  /** Invariant: what needs an operator's leave is not released without it. */
  #allowed(attempt: Attempt, sender: Sender, reference: string, row: SimRow | undefined): void {
    const earlier = this.#sameKey(attempt).filter(
      (one) => isApproving(one) && this.#isWrittenDown(sender, one),
    );
    // A 207 with the record of another row says nothing about this one.
    const failed = earlier.findLast((one) => one.seen === 207 && this.#sawOwnRecord(one));
    // Allowed once and not answered, it is looked at and finished by any later run.
    const isAllowed = this.#sameKey(attempt).some(
      (one) => isApproving(one) && one.n > (failed?.n ?? 0) && this.#senders.get(one)!.retriesUnapproved,
    );
    // It was taken up by a run with leave that could not read its record: nothing has answered that leave yet.
    const takenUpAt =
      failed === undefined ? undefined : sender.place.takenUp.get(takenUpAs(sender.batchId, failed.seenId!));
    const isBegun =
      sender.place.brokenRetries.has(sender.batchId) ||
      this.#declared.has(reference) || // after answers that were mixed up, an operator has said that it is not paid
      (takenUpAt ?? 0) > (failed?.n ?? Infinity);
    if (failed !== undefined && !sender.retriesUnapproved && !isAllowed && !isBegun)
      this.violate('unapproved', `${reference} was released again by itself after its approval had failed`);
    const isLost =
      this.#isReportedLost(sender, reference) &&
      !sender.place.brokenRetries.has(sender.batchId) &&
      !this.#sameKey(attempt).some(({seenId}) =>
        sender.place.takenUp.has(takenUpAs(sender.batchId, seenId ?? '')),
      );
    if (isLost && !sender.retriesUnapproved)
      this.violate('unapproved', `${reference} was released again by itself after its approval was lost`);
    const isShared = this.sharedRecords().some(({references}) => references.includes(reference)); // answered as asked
    const isHeld =
      row?.rail != null && partyNumber(row.party) >= DISTORTED_FROM && !sender.isDirect && !isShared;
    if (isHeld && !sender.acceptsDifferences && earlier.length === 0 && !this.#wasAccepted(sender))
      this.violate('held', `${reference} was released with a record that differs, and nobody accepted that`);
  }

  /** Its record was read `created` after it had been approved, and was reported so: like one whose approval failed. */
  #isReportedLost({place, batchId}: Sender, reference: string): boolean {
    return place.batches.get(batchId)?.reported.get(reference) === 'unapproved' && this.wasLost(reference);
  }

  /**
   * An earlier run had the leave and broke off: what it may have released already is finished by any later run. A backup
   * that was put back has the leave of a run before it, and the record as it was accepted.
   */
  #wasAccepted({place, batchId}: Sender): boolean {
    for (const former of this.#senders.values())
      if (
        former.place === place &&
        former.batchId === batchId &&
        former.acceptsDifferences &&
        (!former.endedWell || place.isRestored)
      )
        return true;
    return false;
  }

  #sameAsPlanned(row: SimRow, body: Record<string, unknown>, reference: string): void {
    if (!isPaymentOf(row, body, this.#kind))
      this.violate('planned', `${reference} was sent with another amount, currency or party than planned`);
  }

  /** Invariant: a key is made of the reference and nothing else, and only an operator raises its generation. */
  #generationOf(attempt: Pick<Attempt, 'key'>, reference: string): number {
    let highest = this.#generations.get(reference) ?? 0;
    while (this.#isEnded(this.#keyOf(reference, highest))) highest++; // another batch takes it up by itself
    for (let generation = highest; generation >= 0; generation--)
      if (attempt.key === this.#keyOf(reference, generation)) return generation;
    this.violate('key', `${reference} was sent with a key that is none of its generations 0 to ${highest}`);
    return 0;
  }

  #isEnded(key: string): boolean {
    return this.#service.records.some(
      (record) => isOfKey(record, key) && isDead(this.#service.statusOf(record)),
    );
  }

  #keyOf(reference: string, generation: number): string {
    const identity = [1, this.#kind, this.#mode, this.#namespace, reference, generation];
    return createHash('sha256').update(JSON.stringify(identity)).digest('base64url');
  }

  /** Invariant: what the service has under a key, or may yet make of a request under way, is sent again byte for byte. */
  #sameBytes(attempt: Attempt, sender: Sender, reference: string, earlier: readonly Attempt[]): void {
    const text = withoutApproval(attempt.body);
    const record = this.#service.recordOf(attempt.key!);
    const maker = record === undefined ? undefined : this.#byNumber.get(record.madeBy);
    if (
      record !== undefined &&
      record.key === attempt.key &&
      record.text !== text &&
      maker !== undefined &&
      !this.#isGivenUp(maker, sender, reference) &&
      this.#isKnownTo(sender.place, maker)
    )
      this.violate('bytes', `${reference} has a record with other bytes than request ${attempt.n}`);
    if (record?.text === text) return; // whatever arrives late brings this record
    const other = earlier.find(
      (one) =>
        one.pending > 0 &&
        !one.isRefused &&
        !isById(one) &&
        one.key === attempt.key &&
        withoutApproval(one.body) !== text &&
        !(this.#senders.get(one)!.batchId !== sender.batchId && this.#isRefusedForGood(one)) &&
        !this.#isGivenUp(one, sender, reference) &&
        this.#isKnownTo(sender.place, one),
    );
    if (other !== undefined)
      this.violate(
        'bytes',
        `request ${other.n} of ${reference} is under way with other bytes than ${attempt.n}`,
      );
  }

  /**
   * Its row was declared not paid and its batch was canceled: other batches may have the reference then. They use the same
   * key, so that a record which is there after all comes back instead of a second one.
   */
  #isGivenUp(attempt: Attempt, sender: Sender, reference: string): boolean {
    const former = this.#senders.get(attempt);
    return (
      this.#declared.has(reference) &&
      former !== undefined &&
      former.batchId !== sender.batchId &&
      former.place.canceling.has(former.batchId)
    );
  }

  /** The service refuses the body, now and whenever it comes: other batches may have the reference then. */
  #isRefusedForGood(attempt: Attempt): boolean {
    return this.#service.rules.refuses(JSON.parse(attempt.body) as Record<string, unknown>) !== undefined;
  }

  /** The place sent this request, and has its registry ever since. */
  #isKnownTo(place: Place, attempt: Attempt): boolean {
    return this.#placeOf(attempt) === place && place.registryKeptSince(attempt.n);
  }

  /**
   * Invariant: a row that may have been taken is not sent again past the horizon. Asking without approval about a record
   * that is known is allowed at any time: so the tool finds out whether keys are forgotten.
   */
  #insideHorizon(attempt: Attempt, sender: Sender, reference: string, earlier: readonly Attempt[]): void {
    const record = this.#service.records.find(
      ({madeBy, key}) => key === attempt.key && earlier.some(({n}) => n === madeBy),
    );
    if (this.#declared.has(reference)) return;
    if (record === undefined || this.now() - record.createdAt <= this.#horizonMs + SLACK_MS) return;
    const maker = this.#byNumber.get(record.madeBy)!;
    const isKept = this.#isKnownTo(sender.place, maker) && sender.place.journalsKeptSince(maker.n);
    if (!isKept && !this.#wasShown(sender, record)) return;
    if (!isApproving(attempt) && earlier.some(({seen, pending}) => typeof seen === 'number' && pending === 0))
      return;
    this.violate(
      'horizon',
      `${reference} was sent again ${this.now() - record.createdAt} ms after its record was made`,
    );
  }

  /**
   * The place knows how old the key of this record is, whoever sent it first: a create brought the record, with the moment
   * at which it was made, and that is written down in a registry that was kept since.
   */
  #wasShown(sender: Sender, record: ServiceRecord): boolean {
    const {place} = sender;
    const attempts = this.#attempts.get(record.reference) ?? [];
    const next = this.#service.records.find(({key, n}) => key === record.key && n > record.n);
    return attempts.some((one) => {
      const former = this.#senders.get(one)!;
      // The create of a later record may be shown an older one by mistake.
      const isItsOwn = one.seenId === record.id && !isById(one) && one.n < (next?.madeBy ?? Infinity);
      if (!isItsOwn || former.place !== place || !place.registryKeptSince(one.n)) return false;
      // What is staged is written down before anything is released.
      const hasReleased = attempts.some(
        (other) => other.n > one.n && this.#senders.get(other) === former && isApproving(other),
      );
      return (
        former === sender || (former.endedWell && !this.#probes.has(one)) || (hasReleased && !former.isDirect)
      );
    });
  }

  /**
   * Invariant: only a failed or canceled record is given up for a new key. Where the service forgot the key, somebody with
   * another state folder may have made a younger one since, of which this place cannot know; or a release made one, which
   * the batch names as an orphan and leaves to the operator.
   */
  #raisedRightly(reference: string, generation: number, place: Place): void {
    const key = this.#keyOf(reference, generation - 1);
    const records = this.#service.records.filter((record) => isOfKey(record, key));
    const newestOf = (attempts: readonly Attempt[]) =>
      records.findLast(({madeBy, id}) => attempts.some((one) => one.n === madeBy || one.seenId === id));
    const sent = (this.#attempts.get(reference) ?? []).filter((one) => this.#placeOf(one) === place);
    // An older backup, put back, knows nothing of what was made in between.
    const kept = [...this.#senders.keys()].filter((one) => this.#isKnownTo(place, one));
    const known = [newestOf(sent), newestOf(kept)];
    const statuses = [records.at(-1), ...known].map((record) =>
      record === undefined ? 'missing' : this.#service.statusOf(record),
    );
    const hasOrphan = !this.#isMemoryLong && records.some((record) => isDead(this.#service.statusOf(record)));
    // Its key returns the record of another row and can never pay it; the operator has named the row.
    const isTaken =
      this.#named.has(reference) &&
      records.some((record) => record.reference !== reference || record.sharedBy.size > 0);
    if (!statuses.some(isDead) && !hasOrphan && !isTaken)
      this.violate(
        'generation',
        `${reference} got generation ${generation} while its record was ${statuses[0]}`,
      );
    if (statuses.some(isDead) || hasOrphan || !isTaken) return;
    // A second new key for the same reason needs a person's word that it was not paid.
    const first = this.#raisedForTaken.get(reference) ?? generation;
    this.#raisedForTaken.set(reference, first);
    if (generation > first && !this.#declared.has(reference))
      this.violate('next', `${reference} got generation ${generation} as its keys return another record`);
  }

  made(record: ServiceRecord): void {
    const attempt = this.#byNumber.get(record.madeBy);
    if (attempt === undefined || !this.#isMemoryLong) return;
    const place = this.#placeOf(attempt)!;
    const former = this.#service.records.find(
      ({key, madeBy, n}) =>
        n !== record.n && key === record.key && this.#isKnownTo(place, this.#byNumber.get(madeBy)!),
    );
    if (former === undefined || !place.journalsKeptSince(former.madeBy) || !isApproving(attempt)) return;
    if (this.#declared.has(record.reference)) return;
    this.violate('second-record', `${record.reference} has a second record, ${record.n}, after ${former.n}`);
  }

  /** The invariant above all: a reference is paid once. An approval that the service lost has moved no money. */
  approved(record: ServiceRecord): void {
    const {reference} = record;
    const attempt = record.approvedBy === undefined ? undefined : this.#byNumber.get(record.approvedBy);
    // A request for another payment may return it, if the service has one record for both.
    const generation = attempt === undefined ? 0 : this.#generationOf(record, reference);
    const earlier = this.paymentsOf(reference);
    const others = earlier.filter((payment) => payment.record !== record);
    this.#payments.set(reference, [...others, {record, generation, attempt}]);
    const former = others.find(
      (payment) => payment.generation === generation && payment.record.approvedAt !== undefined,
    );
    if (former === undefined || this.#isExcused(former, attempt, record)) return;
    this.violate('paid-once', `${reference} was paid by record ${former.record.n} and again by ${record.n}`);
  }

  /**
   * What is promised holds while the service remembers the key, or while our registry is there. A second record means
   * that the service had forgotten the key, unless the key was another one. So it is excused where the registry of the
   * place was lost in between or never knew; where it is younger than the record, and was told neither of its age nor that
   * it is paid; and, when the service forgets sooner than the horizon, where the operator took direct mode or lost the journal
   * that knew what was sent. After a payment of direct mode, a new record shows by its time that it is another one, unless
   * it was made soon.
   */
  #isExcused(former: Payment, attempt: Attempt | undefined, record: ServiceRecord): boolean {
    if (attempt === undefined || former.attempt === undefined) return true;
    if (former.record.key !== record.key) return false;
    if (this.#declared.has(former.record.reference)) return true; // by a wrong word, past the memory of the key
    const sender = this.#senders.get(attempt)!;
    if (!this.#isKnownTo(sender.place, former.attempt)) return true;
    const maker = this.#byNumber.get(former.record.madeBy)!;
    if (
      !this.#isKnownTo(sender.place, maker) &&
      !this.#wasShown(sender, former.record) &&
      !this.#wasTold(former.record, former.attempt)
    )
      return true;
    if (this.#isMemoryLong) return false;
    if (sender.isDirect || !sender.place.journalsKeptSince(former.attempt.n)) return true;
    const isDirect = this.#senders.get(former.attempt)!.isDirect;
    return isDirect && record.createdAt - former.attempt.sentAt <= SOON_MS;
  }
}

/** A record that was made this long after a request may be that of the request. */
const SOON_MS = 10 * 60_000;

const isAnswerFor = ({reference, sharedBy}: ServiceRecord, asked: string): boolean =>
  reference === asked || [...sharedBy.values()].includes(asked);

/** A record as a batch took it up. */
const takenUpAs = (batchId: string, id: string): string => `${batchId} ${id}`;

const isDead = (status: string): boolean => status === 'failed' || status === 'canceled';

/** The standalone approve of a record. */
export const isById = ({method, path}: Attempt): boolean => method === 'POST' && path.endsWith('/approve');

/** The standalone cancel of a record. */
export const isCancel = ({method, path}: Attempt): boolean => method === 'POST' && path.endsWith('/cancel');

/** Money may move by it. */
export const isApproving = (attempt: Attempt): boolean =>
  attempt.body.endsWith(',"auto_approve":true}') || isById(attempt);

/** Two records that agree in these pay the same amount to the same party. */
const PAID_BY = ['payee_id', 'payer_id', 'amount_in_minor_units', 'currency_code'] as const;

/** It may have been taken, and nobody was told. */
const isUnsettled = ({seen}: Attempt): boolean =>
  seen === undefined || (typeof seen === 'number' ? seen >= 500 || seen === 303 : UNANSWERED.has(seen));
const UNANSWERED: ReadonlySet<string> = new Set(['reset', 'timeout', 'cut']);
