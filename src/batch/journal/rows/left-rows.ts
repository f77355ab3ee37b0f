import {keysOf} from '../../../narrow.ts';
import {CLOCK_AHEAD_MS, KEY_IN_USE_MS} from '../../model/record-age.ts';
import {
  DIRECT_WITH_USED_KEY,
  PAID_ELSEWHERE_CODE,
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
  /** In doubt, without a record; the service may have forgotten the key. */
  lateCreates: number;
  /** In doubt with a record, because they were being released. */
  releasing: number;
  /** The part of them whose key may be forgotten. */
  lateReleases: number;
  /** Staged; the key may be forgotten. */
  lateStaged: number;
  /** In doubt, without a record: the service still answered 409 long after the first request. */
  stuck: number;
  /** In doubt, because no answer to them had a readable record; the key is not forgotten. */
  unreadable: number;
  /** The part of them whose record is known. */
  unreadableReleases: number;
  /** Rows whose record `cancel` has yet to read. */
  cancelable: number;
}

const COUNTS: Readonly<Record<keyof LeftCounts, string>> = {
  refused: `state = 'not_sent' and http between 400 and 499 and http not in (401, 403, 408, 425, 429)`,
  notDirect: `state = 'not_sent' and message = '${DIRECT_WITH_USED_KEY}'`,
  lateCreates: `state = 'in_doubt' and id is null and code is not '${REGISTRY_CODE}' and late`,
  releasing: `state = 'in_doubt' and id is not null and code is not '${REGISTRY_CODE}'`,
  lateReleases: `state = 'in_doubt' and id is not null and code is not '${REGISTRY_CODE}' and late`,
  lateStaged: `state = 'staged' and late`,
  stuck: `state = 'in_doubt' and id is null and http = 409 and code is not '${REGISTRY_CODE}' and not late
    and at - staged_at >= ${KEY_IN_USE_MS}`,
  unreadable: `state = 'in_doubt' and code = '${UNREADABLE_CODE}' and not late`,
  unreadableReleases: `state = 'in_doubt' and code = '${UNREADABLE_CODE}' and id is not null and not late`,
  cancelable: `state in ('staged', 'held', 'unapproved') or (state = 'in_doubt' and id is not null)`,
};
const NAMES = keysOf(COUNTS);

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

  /** Rows in doubt that are not sent, because another batch has their reference. */
  disputed(): number {
    return this.#db
      .prepare<{count: number}>(
        `select count(*) as count from outcomes where state = 'in_doubt' and code = ?`,
      )
      .one(REGISTRY_CODE).count;
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
   * The first row that the service answered with the record of another row of the batch. `party` only if requests were
   * sent in direct mode: the row may have a paid record that the service did not show.
   */
  takenRow(): {reference: string; party: string | null} | null {
    const where = `o.state = 'collision' and lower(o.id) in (select lower(p.id) from outcomes p
      where p.id is not null and p.state not in ('collision', 'conflict', 'dead_key'))`;
    const reference = this.#first('r.reference', where);
    if (reference === null) return null;
    const isDirect =
      this.#db.prepare(`select 1 from windows where phase = 'direct' limit 1`).get() !== undefined;
    return {reference, party: isDirect ? this.#first('r.party', where) : null};
  }

  /** Record of the other payment with which the first row is in conflict. */
  otherRecord(): string | null {
    // A row that another batch has paid later keeps the id of its own record, which has failed.
    return this.#first(
      'o.id',
      `o.state in ('collision', 'conflict') and o.id is not null and o.code is not '${PAID_ELSEWHERE_CODE}'`,
    );
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
