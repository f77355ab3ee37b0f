import type {Patch} from '../batch/crash/patches.ts';
import type {Hazard} from './schedule.ts';

/** An engine that is wrong on purpose, in one rule. */
export interface Mutant {
  name: string;
  patches: readonly Patch[];
  /** In what worlds the rule shows; the others are passed over. Any world when absent. */
  needs?: readonly Hazard[];
  /** Caught within seconds, so that the suite can afford it. */
  isQuick?: boolean;
  /** A seed that caught it before: the suite begins here, and goes on if it no longer does. The first seed when absent. */
  caughtBy?: number;
}

const patch = (text: string, becomes: string): Patch => ({text, becomes});

/** Each takes one rule out of the engine. The first nine are those that a client of payments is most likely to get wrong. */
export const MUTANTS: readonly Mutant[] = [
  {
    name: 'the key is made of the row number',
    patches: [patch('#keyOf({reference: row.reference,', '#keyOf({reference: String(row.n),')],
    isQuick: true,
  },
  {
    name: 'the key is made of the amount',
    patches: [
      patch('#keyOf({reference: row.reference,', "#keyOf({reference: row.reference + ':' + row.amount,"),
    ],
    isQuick: true,
  },
  {
    name: 'the window is committed after the send',
    patches: [
      patch(
        'journal.openWindow({\n',
        `((late: Parameters<typeof journal.openWindow>[0]) =>
           void clock.sleep(20).then(() => journal.openWindow(late)).catch(() => undefined))({\n`,
      ),
    ],
    needs: ['kills'],
    isQuick: true,
    caughtBy: 42,
  },
  {
    name: 'a 409 is sent again with a new key',
    patches: [
      patch(
        "job.isUnreadable = verdict.is === 'maybe' &&",
        `if (answer?.status === 409) { row.generation++; return {again: true, afterMs: 0}; }
         job.isUnreadable = verdict.is === 'maybe' &&`,
      ),
    ],
    needs: ['service'],
    isQuick: true,
    caughtBy: 32,
  },
  {
    name: '207 counts as paid',
    patches: [
      patch(
        'const leftBehind = foreign ?',
        "if (answer.status === 207) return {is: 'known', state: 'accepted', id, status};\n  const leftBehind = foreign ?",
      ),
    ],
    needs: ['odd-rows'],
    isQuick: true,
  },
  {
    name: 'the echo is not checked',
    patches: [patch('const echo = compareEcho(record, row, kind);', "const echo = 'same' as string;")],
    needs: ['loss', 'edits'],
  },
  {
    name: 'the status code overrides the body',
    patches: [
      patch('if (isLeftOpen && answer.status !== 202)\n', 'if (false)\n'),
      patch(
        "if (isPaid) return {is: 'known', state: 'accepted', id, status, ...leftBehind, ...differs};",
        "if (answer.status !== 202 || isPaid) return {is: 'known', state: 'accepted', id, status, ...leftBehind, ...differs};",
      ),
    ],
    needs: ['service'],
  },
  {
    name: 'no probe before a release',
    patches: [
      patch(
        'if (!(await this.#probe(releasable(this.#run.settings))))',
        'if (this.#run.halt.stop !== undefined)',
      ),
    ],
    isQuick: true,
  },
  {
    name: 'no probe after a pause in the release',
    patches: [patch('if (this.#mustProbe || this.#quietMs > PROBE_AFTER_MS)', 'if (this.#mustProbe)')],
    needs: ['long-waits', 'service'],
  },
  {
    name: 'a row in doubt gets a new key',
    patches: [
      patch(
        "if (outcome?.state === 'rejected')\n",
        "if (outcome?.state === 'in_doubt')\n    return {row, way: 'new-key', generation: row.generation + 1, why: 'mutant'};\n  if (outcome?.state === 'rejected')\n",
      ),
    ],
    needs: ['retry'],
  },
  {
    name: 'a retry does not fetch the record first',
    patches: [
      patch(
        'const seen = await readRecord({row, id, isKnownEnd}, asking);',
        "const seen = {is: 'moved', status: 'failed', httpStatus: 200, isLost: false};",
      ),
    ],
    needs: ['retry'],
    isQuick: true,
    caughtBy: 109,
  },
  {
    name: 'a row declared not paid gets a new key',
    patches: [
      patch(
        'for (const {outcome} of resolved) journal.record(outcome, clock.now());',
        "for (const {row, resolution, outcome} of resolved)\n    if (resolution === 'not-paid') journal.raiseGeneration(row, 'mutant', clock.now());\n    else journal.record(outcome, clock.now());",
      ),
    ],
    needs: ['resolve', 'service'],
  },
  {
    name: 'commits are not synced',
    patches: [patch('PRAGMA synchronous = FULL; PRAGMA fullfsync = ON', 'PRAGMA synchronous = OFF')],
    needs: ['power'],
    isQuick: true,
  },
  {
    name: 'rows are claimed after the send',
    patches: [
      patch(
        'claims.claim(rows, clock.now());',
        '{ const at = clock.now(); void clock.sleep(20).then(() => claims.claim(rows, at)).catch(() => undefined); }',
      ),
    ],
    needs: ['kills'],
  },
  {
    name: 'the registry is not consulted',
    patches: [
      patch(
        'const {row, found, journal, plan, exists} = claimed;',
        'const {row, found, journal, plan, exists} = claimed; if (row.n > 0) return undefined;',
      ),
    ],
    needs: ['edits'],
  },
  {
    name: 'a lost registry is used without its journals',
    patches: [patch('if (check !== undefined) await readMissing(', 'if (check === null) await readMissing(')],
    needs: ['loss'],
  },
  {
    name: 'a row in doubt is sent although another batch has claimed its reference',
    patches: [
      patch(
        'isInDoubt(journal, row) ? outcomeOfDoubt(claimed, entry) :',
        'isInDoubt(journal, row) ? undefined :',
      ),
    ],
    needs: ['loss', 'edits', 'kills'],
  },
  {
    name: 'a row in doubt frees its reference',
    patches: [
      patch(
        "if (outcome.state === 'rejected')\n      this.#claims.free(",
        "if (outcome.state === 'rejected' || outcome.state === 'in_doubt')\n      this.#claims.free(",
      ),
    ],
    needs: ['edits', 'network'],
  },
  {
    name: 'a create past the horizon is sent again',
    patches: [
      patch(
        'return maybe && sentAt !== undefined && isPastHorizon(sentAt, clock.now(), settings.horizonMs);',
        'return false;',
      ),
    ],
    needs: ['waiting', 'network'],
  },
  {
    name: 'a release past the horizon is sent anyway',
    patches: [
      patch(
        'if (this.#byId || isPastHorizon(row.outcome.stagedAt ?? 0, clock.now(), settings.horizonMs)) {',
        'if (false) {',
      ),
    ],
    needs: ['waiting', 'stage-only'],
  },
  {
    name: 'a lock that is held is taken anyway',
    patches: [patch('if (!abandoned) throw refusal(file.path, found, options);', 'void abandoned;')],
    needs: ['contender'],
    isQuick: true,
  },
  {
    name: 'Retry-After is not obeyed',
    patches: [patch('if (retryAfterMs !== undefined) this.#rules.waitFor(retryAfterMs, isGood);', '')],
    needs: ['service'],
    isQuick: true,
    caughtBy: 29,
  },
  {
    name: 'a truncated answer counts as no answer',
    patches: [
      patch(
        "return {is: 'maybe', throttled: false}; // truncated, not JSON, or not a record",
        "return {is: 'not-sent', then: 'stop', throttled: false, stop: 'unreachable'};",
      ),
    ],
    needs: ['network'],
  },
  {
    name: 'a lost answer counts as an unsent request',
    patches: [
      patch(
        "if (failure.sent) return {is: 'maybe', throttled: false};",
        "if (failure.sent) return {is: 'not-sent', then: 'stop', throttled: false, stop: 'unreachable'};",
      ),
    ],
    needs: ['network'],
    isQuick: true,
  },
  {
    name: 'a server error counts as a refusal',
    patches: [
      patch(
        "return {is: 'maybe', throttled: status === 503};",
        "return {is: 'not-sent', then: 'stop', throttled: false, stop: 'failing'};",
      ),
    ],
    needs: ['service'],
    isQuick: true,
  },
  {
    name: 'a key refused because its record is dead counts as paid',
    patches: [
      patch(
        "return {is: 'known', state: 'dead_key', id: judged.stagedId, status: null};",
        "return {is: 'known', state: 'accepted', id: judged.stagedId, status: null};",
      ),
    ],
    needs: ['by-hand'],
  },
  {
    name: 'a probe that returns another record does not stop the run',
    patches: [
      patch(
        'if (verdict.id !== null && verdict.id !== id) {',
        'if (verdict.id === null && verdict.id !== id) {',
      ),
    ],
    needs: ['waiting', 'stage-only'],
  },
  {
    name: 'a record that differs is released without permission',
    patches: [patch("...(settings.acceptDifferences ? (['held'] as const) : []),", "'held',")],
    needs: ['odd-rows'],
  },
  {
    name: 'a failed approval is retried automatically',
    patches: [patch("...(settings.retryUnapproved ? (['unapproved'] as const) : []),", "'unapproved',")],
    needs: ['odd-rows'],
  },
  {
    name: 'an unanswered release is sent again without fetching the record',
    patches: [
      patch('look: maybe || mustCompare,', 'look: mustCompare,'),
      patch('job.look = job.maybe = true;\n', 'job.maybe = true;\n'),
    ],
    needs: ['network'],
  },
  {
    name: 'a record past the horizon is approved by id without fetching it',
    patches: [patch('if (job.looked) return settings.approveById', 'if (true) return settings.approveById')],
    needs: ['approve-by-id', 'waiting', 'stage-only'],
  },
  {
    name: 'rows in flight when a run was killed count as unsent',
    patches: [
      patch(
        "const maybe = isDoubt || coveredSince !== undefined || row.outcome?.state === 'in_doubt';",
        "const maybe = isDoubt || row.outcome?.state === 'in_doubt';",
      ),
    ],
    needs: ['kills'],
  },
  {
    name: 'a row that may have been sent is changed by an edit',
    patches: [
      patch(
        'else if (isCorrectable(before, known)) corrected.push(row.reference);',
        'else if (true) corrected.push(row.reference);',
      ),
    ],
    needs: ['edits'],
  },
  {
    name: 'the window is not respected',
    patches: [
      patch(
        'while (!this.#stopping && this.#inFlight < this.#options.speed.limit()) {',
        'while (!this.#stopping && this.#inFlight < 1 + this.#options.speed.limit()) {',
      ),
    ],
    isQuick: true,
  },
  {
    name: 'a plan that was not written completely replaces the journal',
    patches: [patch('  refuseLeftChanges(draft);\n', '')],
    needs: ['disk'],
  },
  {
    name: 'patience counts failures instead of time',
    patches: [
      patch(
        'return now - since >= this.outageMs ? since : undefined;',
        'const self = this as unknown as {failures?: number};\n    self.failures = (self.failures ?? 0) + 1;\n    return self.failures >= 8 ? since : undefined;',
      ),
    ],
    needs: ['network'],
    isQuick: true,
    caughtBy: 139,
  },
  {
    name: 'a success without a record counts as a success',
    patches: [patch('const isGood = isReadable(answer, isCreate);', 'const isGood = answer.status < 300;')],
    needs: ['weather'],
  },
  {
    name: 'a refusal of a row in doubt is final on another day',
    patches: [patch('if (scheduleDay(firstDoubt) !== scheduleDay(this.#run.clock.now())) return false;', '')],
    needs: ['service', 'waiting'],
  },
  {
    name: 'a refusal of a row in doubt is final in direct mode',
    patches: [
      patch(
        "if (this.#phase !== 'stage' || answer.errorCode === undefined) return false;",
        'if (answer.errorCode === undefined) return false;',
      ),
    ],
    needs: ['service', 'network'],
  },
  {
    name: 'a refusal is final after an attempt in direct mode',
    patches: [
      patch(
        'if (since === undefined || since.some(({isDirect}) => isDirect)) return false;',
        'if (since === undefined) return false;',
      ),
      patch(
        "if (this.#phase !== 'stage' || answer.errorCode === undefined) return false;",
        'if (answer.errorCode === undefined) return false;',
      ),
    ],
    needs: ['service', 'kills'],
  },
  {
    name: 'a batch is sent although its cancel has begun',
    patches: [patch('    refuseCanceled(journal, plan, options.path);\n', '')],
    needs: ['cancel'],
    isQuick: true,
    caughtBy: 670,
  },
  {
    name: 'a cancel does not read the record first',
    patches: [patch('...{isOpen: false, refusal', '...{isOpen: true, refusal')],
    needs: ['cancel', 'stage-only'],
    isQuick: true,
    caughtBy: 133,
  },
  {
    name: 'a cancel trusts the answer, not the record',
    patches: [
      patch(
        'job.refusal = wordsOf(end);',
        "this.#record(job, {state: 'dead_key', status: 'canceled'}); return {again: false};",
      ),
    ],
    needs: ['cancel', 'stage-only', 'service'],
  },
  {
    name: 'a cancel skips rows in doubt and reports that everything is canceled',
    patches: [
      patch(
        "await this.#runPhase('checking', () => checking.run());\n    if (this.#run.halt.stop !== undefined) return",
        'if (this.#run.halt.stop !== undefined) return',
      ),
      patch(
        'canceling.left + staged.count + unapproved.count + doubts.count === 0',
        'canceling.left + staged.count + unapproved.count === 0',
      ),
    ],
    needs: ['cancel', 'network'],
  },
  {
    name: 'every row of a resolve file has the verdict of the first',
    patches: [
      patch(
        'const resolved = rows.filter(isNew).map(({reference, resolution, isGone = false}) => {',
        'const resolved = rows.filter(isNew).map(({reference, isGone = false}) => {\n    const {resolution} = rows[0]!;',
      ),
    ],
    needs: ['resolve', 'network'],
  },
  {
    name: 'a payment counts as ended',
    patches: [
      patch(
        'if (ended === undefined) pay.run(...entry);',
        'if (ended === undefined) {pay.run(...entry); end.run(...entry, 0);}',
      ),
    ],
    needs: ['edits'],
  },
  {
    name: 'the end of another payment counts as that of the row',
    patches: [
      patch(
        "if (!isObject(json) || !isEnd(json['status'])) return undefined;",
        'if (true) return undefined;',
      ),
      patch(
        "const other = read.is === 'unknown' ? read.other : otherIn(answer, row, kind);",
        'const other = undefined;\n    void otherIn;',
      ),
    ],
    needs: ['mixed-reads', 'retry'],
  },
  {
    name: 'another payment that was approved pays the row',
    patches: [
      patch(
        "return paid === undefined ? {is: 'moved', state, status} : {is: 'unknown', other: paid.message};",
        "void paid;\n  return {is: 'moved', state, status};",
      ),
    ],
    needs: ['mixed-reads', 'cancel'],
  },
  {
    name: 'a record with another id counts as that of the row',
    patches: [
      patch(
        "|| isOtherId(record['id'], id))\n    return {state: 'unknown'",
        ")\n    return {state: 'unknown'",
      ),
    ],
    needs: ['mixed-reads', 'retry'],
  },
  {
    name: 'a record pays several rows',
    patches: [
      patch('if (!this.#seen.add(id.toLowerCase())) return undefined;', 'if (true) return undefined;'),
    ],
    needs: ['shared-records'],
    isQuick: true,
    caughtBy: 11,
  },
  {
    name: 'a record that is still processed pays several rows',
    patches: [patch('?? this.#processed.get(id.toLowerCase());', ';')],
    needs: ['shared-records', 'service'],
  },
  {
    name: 'a redirect after the work counts as an unsent request',
    patches: [
      patch(
        "return !((status === 301 || status === 302) && phase === 'stage' && !isProven);",
        'return false;',
      ),
    ],
    needs: ['service'],
  },
  {
    name: 'a refresh takes the end of another payment for that of the row',
    patches: [
      patch(
        'const ended = endsOtherwise(answer, row, {kind});',
        'const ended = undefined as ReturnType<typeof endsOtherwise>;',
      ),
    ],
    needs: ['refresh', 'mixed-reads'],
  },
  {
    name: 'an approval that was lost is not reported',
    patches: [
      patch(
        "return moved({state: 'unapproved', code: null, message: APPROVAL_LOST});",
        "return {is: 'same', status: before ?? status, unknown, facts};\n  void APPROVAL_LOST;",
      ),
    ],
    needs: ['lost-approvals'],
    isQuick: true,
  },
  {
    name: 'a row whose approval was lost is released again by itself',
    patches: [patch("...(settings.retryUnapproved ? (['unapproved'] as const) : []),", "'unapproved',")],
    needs: ['lost-approvals'],
    isQuick: true,
  },
  {
    name: 'a service that compares bodies counts as one that fails',
    patches: [
      patch('if (verdict.isKeyRefused && answer !== undefined) return this.#refusedKey(job, answer);', ''),
    ],
    needs: ['bodies-compared'],
    isQuick: true,
  },
  {
    name: 'a key that a release may not use counts as one of a dead record',
    patches: [patch('if (isReleaseOfKnown(judged)) return KEY_REFUSED;', '')],
    needs: ['bodies-compared'],
    isQuick: true,
  },
  {
    name: 'records are approved by id although nothing shows that their keys cannot be used',
    patches: [patch("approveById && journal.fact('releaseById') !== undefined;", 'approveById;')],
    needs: ['approve-by-id'],
    isQuick: true,
  },
  {
    name: 'what was paid under another namespace is not looked up',
    patches: [
      patch(
        'for (const {namespace, baseUrl, batch} of registry.entries.elsewhere(row.reference))',
        'for (const {namespace, baseUrl, batch} of registry.entries.elsewhere(row.reference).slice(0, 0))',
      ),
    ],
    needs: ['namespaces'],
    isQuick: true,
  },
  {
    name: 'look-alikes are looked up in their own namespace only',
    patches: [
      patch(
        'if (entry === undefined) continue;\n        const {batch, id} = entry;',
        'if (entry === undefined || found.scope !== this.#scope) continue;\n        const {batch, id} = entry;',
      ),
    ],
    needs: ['namespaces'],
    isQuick: true,
  },
  {
    name: 'look-alikes that are newer than a staged row are not looked up',
    patches: [
      patch(
        'const candidates = openCreates.isEmpty && rows.length > 0 ? entries.newer(rows) : undefined;',
        'const candidates = new Set<number>();',
      ),
    ],
    needs: ['namespaces', 'stage-only'],
  },
];
