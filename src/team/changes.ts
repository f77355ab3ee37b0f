import {ownJson} from '../narrow.ts';
import type {SqliteDatabase, SqlRow} from '../store/port/port.ts';
import {type MirrorTable, nameOf, namesOf, valuesOf} from './tables.ts';

/** Rows and keys of one table that have changed. */
export interface TableChanges {
  mirror: MirrorTable;
  rows: SqlRow[];
  /** The keys of rows that are gone. */
  gone: SqlRow[];
}

export interface Changes {
  tables: TableChanges[];
  /** The last entry of the log that is included. */
  upTo: number;
}

/**
 * The log of what has changed in a local database since it was last written to the team's database: a table that triggers
 * fill, in the transaction of the change. So nothing that the engine has committed is missed, also after a crash.
 */
export class ChangeLog {
  readonly #db: SqliteDatabase;
  readonly #tables: readonly MirrorTable[];

  constructor(db: SqliteDatabase, tables: readonly MirrorTable[]) {
    this.#db = db;
    this.#tables = tables;
  }

  /** False for a new database, such as that of a plan that was just made. */
  get isInstalled(): boolean {
    return this.#db.prepare("select 1 from sqlite_master where name = 'team_changes'").get() !== undefined;
  }

  install(): void {
    this.#db.transaction(() => {
      this.#db.exec(
        'create table team_changes (seq integer primary key autoincrement, t integer not null, k blob not null)',
      );
      this.#tables.forEach((mirror, t) => {
        const {local, keys, columns} = mirror;
        const names = columns.slice(0, keys).map((column) => nameOf(column));
        const key = (row: string) =>
          names.length === 1
            ? `${row}.${names[0]}`
            : `json_array(${names.map((name) => `${row}.${name}`).join(', ')})`;
        for (const event of ['insert', 'update', 'delete'])
          this.#db.exec(`create trigger team_${local}_${event} after ${event} on ${local} begin
            insert into team_changes (t, k) values (${t}, ${key(event === 'delete' ? 'old' : 'new')}); end`);
      });
    });
  }

  /** Leaves the database as the engine knows it. */
  remove(): void {
    if (!this.isInstalled) return;
    for (const {name} of this.#db
      .prepare<{name: string}>(
        "select name from sqlite_master where type = 'trigger' and name like 'team\\_%' escape '\\'",
      )
      .all())
      this.#db.exec(`drop trigger ${name}`);
    this.#db.exec('drop table team_changes');
  }

  get newest(): number {
    const {newest} = this.#db
      .prepare<{newest: number}>('select coalesce(max(seq), 0) as newest from team_changes')
      .one();
    return newest;
  }

  get pending(): number {
    const {pending} = this.#db
      .prepare<{pending: number}>('select count(*) as pending from team_changes')
      .one();
    return pending;
  }

  /** What changed first after an entry of the log, as it is now. */
  read(limit: number, after = 0): Changes {
    const log = this.#db
      .prepare<{seq: number; t: number; k: string | number}>(
        'select seq, t, k from team_changes where seq > ? order by seq limit ?',
      )
      .all(after, limit);
    const byTable = new Map<number, Set<string | number>>();
    for (const {t, k} of log) {
      const keys = byTable.get(t);
      if (keys === undefined) byTable.set(t, new Set([k]));
      else keys.add(k);
    }
    const tables = [...byTable].flatMap(([t, keys]) => {
      const mirror = this.#tables[t];
      return mirror === undefined ? [] : [this.#rowsOf(mirror, [...keys])];
    });
    return {tables, upTo: log.at(-1)?.seq ?? after};
  }

  #rowsOf(mirror: MirrorTable, keys: readonly (string | number)[]): TableChanges {
    const names = mirror.columns.slice(0, mirror.keys).map(nameOf);
    const single = names.length === 1;
    const wanted = single ? keys : keys.map((key) => ownJson<(string | number)[]>(String(key)));
    const same = names.map((name, at) => `t.${name} = ${single ? 'j.value' : `j.value ->> ${at}`}`);
    const rows = this.#db
      .prepare(
        `select t.${namesOf(mirror).join(', t.')} from json_each(?) j cross join ${mirror.local} t where ${same.join(' and ')}`,
      )
      .all(JSON.stringify(wanted));
    if (rows.length === keys.length) return {mirror, rows, gone: []};
    const found = new Set(rows.map((row) => JSON.stringify(valuesOf(mirror, row).slice(0, mirror.keys))));
    const gone = wanted
      .map((key) => [key].flat())
      .filter((key) => !found.has(JSON.stringify(key)))
      .map((key) => Object.fromEntries(key.map((value, at) => [names[at] ?? '', value])));
    return {mirror, rows, gone};
  }

  /** Everything that has changed, in parts. */
  *all(limit: number): Generator<Changes> {
    for (let after = 0; ;) {
      const changes = this.read(limit, after);
      if (changes.upTo === after) return;
      yield changes;
      after = changes.upTo;
    }
  }

  /** Removes from the log what the database of the team has. */
  acknowledge(upTo: number): void {
    if (upTo > 0) this.#db.prepare('delete from team_changes where seq <= ?').run(upTo);
  }

  /** All rows, in pages, for a database that is written as a whole. */
  *pages(limit: number): Generator<TableChanges> {
    for (const mirror of this.#tables) {
      const names = namesOf(mirror);
      const page = this.#db.prepare(
        `select ${names.join(', ')} from ${mirror.local} order by ${names.slice(0, mirror.keys).join(', ')} limit ? offset ?`,
      );
      for (let offset = 0, rows; (rows = page.all(limit, offset)).length > 0; offset += limit)
        yield {mirror, rows, gone: []};
    }
  }
}
