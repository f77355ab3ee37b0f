import {randomUUID} from 'node:crypto';
import {statSync} from 'node:fs';
import type {SqliteDatabase} from '../../store/port/port.ts';
import type {ClaimMark} from '../journal/facts.ts';
import type {BatchFolder} from '../journal/folder.ts';
import type {Kind} from '../model/kinds.ts';

/** A journal, by the name of its batch. */
export interface JournalName {
  kind: Kind;
  batchId: string;
}

/** What the registry has of a journal. */
export interface ListedJournal {
  /** Null if it cannot be read, and the operator has accepted that. */
  journal: string | null;
  /** How many groups of its claims, payments and freed claims the registry has written. */
  claims: number;
  /** The state of its files when the two were last compared. */
  stamp: string | null;
}

/**
 * The journals that a registry lists. A journal records the id of the registry and the number of its last claims
 * (`ClaimMark`), so the two can be compared: a registry that was lost, emptied or restored from a backup does not list
 * the journal, or is behind it.
 */
export class Journals {
  readonly #db: SqliteDatabase;
  readonly #registry: string;

  constructor(db: SqliteDatabase) {
    this.#db = db;
    db.prepare('insert into identity (id) select ? where not exists (select 1 from identity)').run(
      randomUUID(),
    );
    this.#registry = db.prepare<{id: string}>('select id from identity').one().id;
  }

  /** Every journal that is listed, by `nameKey`. */
  all(): Map<string, ListedJournal> {
    const rows = this.#db
      .prepare<ListedJournal & {kind: Kind; batch: string}>(
        'select kind, batch, journal, claims, stamp from journals',
      )
      .all();
    return new Map(rows.map(({kind, batch, ...listed}) => [nameKey({kind, batchId: batch}), listed]));
  }

  /** Whether the registry has everything that a journal has claimed. */
  isUpToDate(listed: ListedJournal | undefined, journalId: string, mark: ClaimMark | undefined): boolean {
    if (listed?.journal !== journalId) return false;
    // A journal of an earlier version has no mark.
    return mark === undefined || (mark.registry === this.#registry && mark.claims <= listed.claims);
  }

  /**
   * Counts one more group of claims, in the transaction that writes them.
   * @returns undefined for a journal that is not listed: it has yet to be compared
   */
  count({kind, batchId}: JournalName, journalId: string): ClaimMark | undefined {
    const name = [kind, batchId, journalId];
    this.#db
      .prepare('update journals set claims = claims + 1 where kind = ? and batch = ? and journal = ?')
      .run(...name);
    const counted = this.#db
      .prepare<{claims: number}>('select claims from journals where kind = ? and batch = ? and journal = ?')
      .get(...name);
    return counted === undefined ? undefined : {registry: this.#registry, claims: counted.claims};
  }

  /**
   * Lists a journal whose claims were all read in.
   * @param mark as the journal has it
   * @returns the mark that the journal is to record
   */
  list({kind, batchId}: JournalName, journalId: string, mark: ClaimMark | undefined): ClaimMark {
    this.#db
      .prepare(
        `insert into journals (kind, batch, journal, claims) values (?, ?, ?, ?)
         on conflict (kind, batch) do update set journal = excluded.journal, stamp = null,
           claims = max(claims, excluded.claims)`,
      )
      .run(kind, batchId, journalId, (mark?.claims ?? 0) + 1);
    const {claims} = this.#db
      .prepare<{claims: number}>('select claims from journals where kind = ? and batch = ?')
      .one(kind, batchId);
    return {registry: this.#registry, claims};
  }

  /** Lists a journal that cannot be read: the operator has accepted that its claims are lost. */
  accept({kind, batchId}: JournalName, stamp: string): void {
    this.#db
      .prepare(
        `insert into journals (kind, batch, journal, claims, stamp) values (?, ?, null, 0, ?)
         on conflict (kind, batch) do update set journal = null, stamp = excluded.stamp`,
      )
      .run(kind, batchId, stamp);
  }

  stamp({kind, batchId}: JournalName, stamp: string): void {
    this.#db.prepare('update journals set stamp = ? where kind = ? and batch = ?').run(stamp, kind, batchId);
  }
}

export const nameKey = ({kind, batchId}: JournalName): string => `${kind} ${batchId}`;

/** The state of the files of a journal. It changes with every commit, also with one that is only in the log. */
export function stampOf({journal}: BatchFolder): {text: string; newestMs: number} {
  const files = [journal, `${journal}-wal`].map((path) => statSync(path, {throwIfNoEntry: false}));
  return {
    text: files.map((stats) => (stats === undefined ? '-' : `${stats.mtimeMs}:${stats.size}`)).join(' '),
    newestMs: Math.max(...files.map((stats) => stats?.mtimeMs ?? 0)),
  };
}
