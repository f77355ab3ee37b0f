import {keysOf} from '../../../narrow.ts';
import {CLOCK_AHEAD_MS, KEY_IN_USE_MS} from '../../model/record-age.ts';
import {
  CAME_AGAIN,
  KEY_RETURNED,
  DIFFERS_CODE,
  DIRECT_WITH_USED_KEY,
  FORGOTTEN_CODE,
  FORMER_CODE,
  FORMER_GONE_CODE,
  MAY_BE_PAID_TWICE,
  PAID_ELSEWHERE_CODE,
  RECORDED_DOUBT,
  REFUSED_AFTER_DOUBT,
  REGISTRY_CODE,
  UNREADABLE_CODE,
} from '../../model/outcome.ts';
import type {SqliteDatabase} from '../../../store/port/port.ts';

/** Unfinished rows of a batch at rest, counted by what the next command can do about them. */
export interface LeftCounts {
  /** Not sent: the service refused them for reasons unrelated to the row. */
  refused: number;
  /** Not sent: direct mode does not send them, but staging does. */
  notDirect: number;
  /** In doubt, and the service may have forgotten the key: without a record, or with one beside which it may have paid. */
  lateCreates: number;
  /** In doubt with a record, because they were being released. */
  releasing: number;
  /** The part of them whose key may be forgotten. */
  lateReleases: number;
  /** Staged; the key may be forgotten. */
  lateStaged: number;
  /** Staged, and not released because an earlier record of the reference shows no end any more. */
  waiting: number;
  /** Staged, and that record is not found: only a person can find out what has become of it. */
  goneStaged: number;
  /** The same for rows that are not sent. */
  goneUnsent: number;
  /** The same for rows whose own record differs; they are in no other count. */
  goneHeld: number;
  /** In doubt, without a record: the service still answered 409 long after the first request, or with another record. */
  stuck: number;
  /** In doubt, without a record: a request of a later run was refused, as another one would be. */
  refusedDoubts: number;
  /** In doubt with a record that also came back for another row. They are in no other count. */
  shared: number;
  /** In doubt, because no answer to them had a readable record; the key is not forgotten. */
  unreadable: number;
  /** The part of them whose record is known. */
  unreadableReleases: number;
  /** Rows whose record `cancel` has yet to read. */
  cancelable: number;
  /** The part of them that the service refused to cancel, twice with the same words. */
  uncancelable: number;
  /** Not approved, and the key may be forgotten. */
  lateUnapproved: number;
  /** Accepted rows whose record has failed, and that another record may have paid: a retry sends them only by name. */
  failedMaybePaid: number;
}

/** Its record also came back for a row that it does not pay, or showed another payment each time it was read. */
const SHARED = `(id is not null and (lower(id) in
    (select lower(id) from outcomes where state in ('collision', 'dead_key') and id is not null)
    or message like '%${CAME_AGAIN}'))`;

/** Neither of those, and no earlier record of its reference is gone, which a release would find again. */
const RELEASING = `${RECORDED_DOUBT} and not ${SHARED} and code is not '${FORMER_GONE_CODE}'`;

const COUNTS: Readonly<Record<keyof LeftCounts, string>> = {
  refused: `state = 'not_sent' and http between 400 and 499 and http not in (401, 403, 408, 425, 429)`,
  notDirect: `state = 'not_sent' and message = '${DIRECT_WITH_USED_KEY}'`,
  lateCreates: `state = 'in_doubt' and code is not '${REGISTRY_CODE}' and (id is null and late or code = '${FORGOTTEN_CODE}')`,
  releasing: RELEASING,
  lateReleases: `${RELEASING} and late`,
  waiting: `state = 'staged' and code = '${FORMER_CODE}'`,
  goneStaged: `state = 'staged' and code = '${FORMER_GONE_CODE}'`,
  goneUnsent: `state = 'not_sent' and code = '${FORMER_GONE_CODE}'`,
  goneHeld: `state = 'held' and code = '${FORMER_GONE_CODE}'`,
  lateStaged: `state = 'staged' and code is not '${FORMER_GONE_CODE}' and (late or staged_at is null)`,
  stuck: `state = 'in_doubt' and id is null and code is not '${REGISTRY_CODE}' and not late
    and (http = 409 and at - staged_at >= ${KEY_IN_USE_MS} or message like '%${CAME_AGAIN}')`,
  refusedDoubts: `state = 'in_doubt' and id is null and message like '${REFUSED_AFTER_DOUBT}%' and not late`,
  shared: `${RECORDED_DOUBT} and ${SHARED}`,
  unreadable: `state = 'in_doubt' and code = '${UNREADABLE_CODE}' and not late and not ${SHARED}`,
  unreadableReleases: `state = 'in_doubt' and code = '${UNREADABLE_CODE}' and id is not null and not late and not ${SHARED}`,
  cancelable: `state in ('staged', 'held', 'unapproved') or (state = 'in_doubt' and id is not null and code is not '${FORGOTTEN_CODE}' and not ${SHARED})`,
  uncancelable: `state in ('staged', 'held', 'unapproved') and message like '%${CAME_AGAIN}'`,
  lateUnapproved: `state = 'unapproved' and (late or staged_at is null)`,
  failedMaybePaid: `state = 'accepted' and status = 'failed' and ${MAY_BE_PAID_TWICE}`,
};
const NAMES = keysOf(COUNTS);

/** The same request was answered with the record of another payment once more. */
const IS_AGAIN = `(coalesce(o.message, '') like '%${CAME_AGAIN}')`;

/** It has a new key because its first one returned the record of another payment. */
const HAS_NEW_KEY = `(o.n in (select n from generations where reason like '${KEY_RETURNED}%'))`;

const DIFFERING = `o.state = 'accepted' and o.code = '${DIFFERS_CODE}'`;

/** What is left of a batch at rest. */
export class LeftRows {
  readonly #db: SqliteDatabase;

  constructor(db: SqliteDatabase) {
    this.#db = db;
  }

  counts({now, horizonMs}: {now: number; horizonMs: number}): LeftCounts {
    return this.#db
      .prepare<LeftCounts>(
        `select ${NAMES.map((name) => `count(*) filter (where ${COUNTS[name]}) as ${name}`).join(', ')}
         from (select *, staged_at < ? or staged_at > ? as late from outcomes)`,
      )
      .one(now - horizonMs, now + CLOCK_AHEAD_MS);
  }

  /** Whether requests were sent in direct mode, so that one without an answer may have paid. */
  wasDirect(): boolean {
    return this.#db.prepare(`select 1 from windows where phase = 'direct' limit 1`).get() !== undefined;
  }

  /** Rows in doubt that are not sent, because of another batch or an earlier record with their reference. */
  disputed(): number {
    return this.#db
      .prepare<{count: number}>(
        `select count(*) as count from outcomes where state = 'in_doubt' and code in (?, ?, ?)`,
      )
      .one(REGISTRY_CODE, FORMER_CODE, FORMER_GONE_CODE).count;
  }

  /** Reference of the first row whose known record has failed or was canceled. */
  deadReference(): string | null {
    return this.#first('r.reference', `o.state = 'dead_key' and o.id is not null`);
  }

  /** Reference of the first row whose record differs. */
  heldReference(): string | null {
    return this.#first('r.reference', `o.state = 'held'`);
  }

  /** Party of the first row whose key was refused and whose record is unknown. */
  refusedParty(): string | null {
    return this.#first('r.party', `o.state = 'dead_key' and o.id is null`);
  }

  /**
   * The first row that the service answered with the record of another row of the batch. `party` only if it did so twice
   * and another key is of no use: the row has a second one already, or requests were sent in direct mode, so that the row
   * may have a paid record that the service did not show.
   */
  takenRow(): {reference: string; party: string | null} | null {
    const where = `o.state = 'collision' and lower(o.id) in (select lower(p.id) from outcomes p
      where p.id is not null and p.state not in ('collision', 'conflict', 'dead_key'))`;
    const reference = this.#first('r.reference', where);
    if (reference === null) return null;
    const isOver = `${where} and ${IS_AGAIN}${this.wasDirect() ? '' : ` and ${HAS_NEW_KEY}`}`;
    return {reference, party: this.#first('r.party', isOver)};
  }

  /** Whether a new key was tried because the first one of the row returned the record of another payment. */
  hasNewKey(n: number): boolean {
    return this.#first('r.reference', `o.n = ${n} and ${HAS_NEW_KEY}`) !== null;
  }

  /**
   * The first row that was answered with the record of another payment, and has not been sent again since: the same
   * request, which has the same key, may show its own record.
   */
  mixedUpRow(): string | null {
    return this.#first('r.reference', `o.state = 'collision' and not ${IS_AGAIN}`);
  }

  /** Record of the other payment with which the service answered the first such row. */
  otherRecord(): string | null {
    return this.#first('o.id', `o.state = 'collision' and o.id is not null`);
  }

  /** Party of the first row whose reference may have two paid records. */
  maybeTwiceParty(): string | null {
    return this.#first('r.party', `o.state = 'accepted' and ${MAY_BE_PAID_TWICE}`);
  }

  /** Record of the first row that the service refused to cancel twice. */
  uncancelableRecord(): string | null {
    return this.#first(
      'o.id',
      `o.state in ('staged', 'held', 'unapproved') and o.message like '%${CAME_AGAIN}'`,
    );
  }

  /** Reference of the first approved row whose record differs. */
  differingReference(): string | null {
    return this.#first('r.reference', DIFFERING);
  }

  /** The first row that this batch did not pay, and the record with which another batch has paid other content. */
  replacedRow(): {reference: string; id: string} | null {
    // A row that another batch has paid later keeps the id of its own record, which has failed.
    const where = `o.state = 'conflict' and o.code in ('${PAID_ELSEWHERE_CODE}', '${REGISTRY_CODE}') and instr(o.message, o.id) > 0`;
    const [reference, id] = [this.#first('r.reference', where), this.#first('o.id', where)];
    return reference === null || id === null ? null : {reference, id};
  }

  /** Reference of the first row that is in conflict with another batch. */
  conflictReference(): string | null {
    return this.#first('r.reference', `o.state = 'conflict'`);
  }

  #first(column: string, where: string): string | null {
    const found = this.#db
      .prepare<{found: string}>(
        `select ${column} as found from outcomes o join rows r on r.n = o.n where ${where} order by o.n limit 1`,
      )
      .get();
    return found === undefined ? null : found.found;
  }
}
