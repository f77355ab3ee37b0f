import {existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {approvalsFolder} from '../approval/approval-files.ts';
import {auditFile} from '../approval/audit.ts';
import {RemitError} from '../errors.ts';
import type {Sql} from './connection.ts';
import {toJson} from './tables.ts';

/** An approval of a million rows has about 90 MB: it is written and read in parts of this many characters. */
const PARTS = /[^]{1,1000000}/gu;
const PARTS_AT_ONCE = 8;
const NAME = /^[0-9a-f]{32}$/;

/** An event of the audit trail. */
export interface AuditLine {
  seq: number;
  line: string;
}

/**
 * The approvals and the audit trail of a batch: tables of the team's database, and files in the local folder, where the
 * engine verifies them. Both are only added to. What the database has is taken as it is: signatures and hashes show
 * whether it was changed.
 */
export class ApprovalCopies {
  readonly #folder: string;
  /** Approvals that the database has. */
  #names = new Set<string>();
  /** Events that the database has. */
  #events = 0;

  /** @param folder of the batch */
  constructor(folder: string) {
    this.#folder = folder;
  }

  get names(): readonly string[] {
    return [...this.#names];
  }

  /** Writes everything that the database has into the folder. */
  async read(sql: Sql, batch: number): Promise<void> {
    await this.follow(sql, batch, {names: await namesIn(sql, batch), known: this.names});
    const lines = await linesIn(sql, batch);
    this.#events = lines.length;
    if (lines.length > 0) writePrivate(auditFile(this.#folder), trailOf(lines));
  }

  /**
   * Removes the approvals from the folder that were removed from the database, and adds those that were added there.
   * @param known what the database had before
   */
  async follow(
    sql: Sql,
    batch: number,
    {names, known}: {names: readonly string[]; known: readonly string[]},
  ): Promise<void> {
    for (const name of known.filter((each) => !names.includes(each))) {
      rmSync(this.#pathOf(name), {force: true});
      this.#names.delete(name);
    }
    for (const name of names.filter((each) => !this.#names.has(each))) {
      writePrivate(this.#pathOf(name), await textIn(sql, batch, name));
      this.#names.add(name);
    }
  }

  /** A name that remit has not given leads to no other place: such a file is refused like one that was changed. */
  #pathOf(name: string): string {
    return join(approvalsFolder(this.#folder), NAME.test(name) ? `${name}.json` : 'invalid.json');
  }

  /**
   * Adds approvals of the folder to the database. It needs no lease: an approval is signed, and named by its hash. The
   * first part comes last, since others read an approval once it has one.
   */
  async addApprovals(sql: Sql, batch: number): Promise<void> {
    const folder = approvalsFolder(this.#folder);
    const files = existsSync(folder) ? readdirSync(folder) : [];
    for (const name of files.map((file) => file.replace(/\.json$/, ''))) {
      if (this.#names.has(name) || !NAME.test(name)) continue;
      const parts = readFileSync(this.#pathOf(name), 'utf8').match(PARTS) ?? [];
      for (const [part, text] of [...parts.entries()].reverse())
        await sql(
          `insert into @.approvals (batch, name, part, text) select $1, $2, $3, $4 where @safe on conflict do nothing`,
          [batch, name, part, text],
        );
      this.#names.add(name);
    }
  }

  /** Events that the database lacks. */
  get newLines(): AuditLine[] {
    return this.#lines().slice(this.#events);
  }

  acknowledge(lines: readonly AuditLine[]): void {
    this.#events = Math.max(this.#events, lines.at(-1)?.seq ?? 0);
  }

  #lines(): AuditLine[] {
    const path = auditFile(this.#folder);
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    return text
      .split('\n')
      .slice(0, -1)
      .map((line, at) => ({seq: at + 1, line}));
  }

  /**
   * Looks up what the database has, after a failover or for a folder from elsewhere.
   * @throws RemitError GUARD_APPROVAL if its audit trail is not the beginning of that in the folder
   */
  async lookUp(sql: Sql, batch: number): Promise<void> {
    const names = await namesIn(sql, batch);
    this.#names = new Set(names.filter((name) => existsSync(this.#pathOf(name)))); // others follow
    const theirs = await linesIn(sql, batch);
    const ours = this.#lines();
    const differing = theirs.findIndex(({seq, line}, at) => seq !== at + 1 || line !== ours[at]?.line);
    if (differing >= 0)
      throw new RemitError(
        'GUARD_APPROVAL',
        `the audit trail in the database differs from that on this machine from event ${differing + 1} on`,
        {hint: 'find out which of them was changed; no money moves until then'},
      );
    this.#events = theirs.length;
  }
}

/** SQL that adds events. One that is there with another content violates the key, so that nothing is written. */
export const auditSql = (json: string, batch: string, from = ''): string =>
  `insert into @.audit (batch, seq, line) select ${batch}, x.seq, x.line
   from ${from}json_to_recordset(${json}::json) as x(seq bigint, line text)
   where not exists (select 1 from @.audit a where a.batch = ${batch} and a.seq = x.seq and a.line = x.line)`;

export async function addLines(sql: Sql, batch: number, lines: readonly AuditLine[]): Promise<void> {
  if (lines.length > 0) await sql(auditSql('$2', '$1::bigint'), [batch, toJson(lines)]);
}

/** SQL for the names of the approvals of a batch, as one text. */
export const APPROVAL_NAMES = `select coalesce(string_agg(name, ',' order by name), '')
  from @.approvals where batch = $1 and part = 0`;

export const namesOfText = (text: string): string[] => text.split(',').filter((name) => name !== '');

const linesIn = (sql: Sql, batch: number): Promise<AuditLine[]> =>
  sql<AuditLine>('select seq, line from @.audit where batch = $1 order by seq', [batch]);

async function namesIn(sql: Sql, batch: number): Promise<string[]> {
  const rows = await sql<{name: string}>(
    'select name from @.approvals where batch = $1 and part = 0 order by name',
    [batch],
  );
  return rows.map(({name}) => name);
}

async function textIn(sql: Sql, batch: number, name: string): Promise<string> {
  let text = '';
  for (let after = -1; ;) {
    const parts = await sql<{part: number; text: string}>(
      'select part, text from @.approvals where batch = $1 and name = $2 and part > $3 order by part limit $4',
      [batch, name, after, PARTS_AT_ONCE],
    );
    for (const {part, text: piece} of parts) {
      text += piece;
      after = part;
    }
    if (parts.length < PARTS_AT_ONCE) return text;
  }
}

/** The file of a trail. Where an event is missing, or is not in its place, the line is empty, which no event is. */
const trailOf = (lines: readonly AuditLine[]): string =>
  lines.map(({seq, line}, at) => `${seq === at + 1 && !line.includes('\n') ? line : ''}\n`).join('');

function writePrivate(path: string, text: string): void {
  mkdirSync(join(path, '..'), {recursive: true, mode: 0o700});
  writeFileSync(path, text, {mode: 0o600});
}
