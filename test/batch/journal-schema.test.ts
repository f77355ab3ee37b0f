import assert from 'node:assert/strict';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {JOURNAL_MIGRATIONS} from '../../src/batch/journal-schema.ts';
import {migrate} from '../../src/store/migrate.ts';
import {openSqlite} from '../../src/store/sqlite.ts';
import {tableRows} from '../repo/markdown.ts';
import {readText} from '../repo/tree.ts';

const PAGE = 'docs/internals/batch-format.md';

/** `table.column` of every table of a new journal, apart from the store's own. */
async function columnsOfJournal(): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'journal-schema-'));
  const db = await openSqlite(join(folder, 'journal.db'), {durability: 'normal'});
  try {
    migrate(db, JOURNAL_MIGRATIONS);
    return db
      .prepare(
        `select t.name as "table", c.name as "column" from sqlite_schema t join pragma_table_info(t.name) c
         where t.type = 'table' and t.name <> 'remit_migrations' order by 1, 2`,
      )
      .all()
      .map(({table, column}) => `${String(table)}.${String(column)}`);
  } finally {
    db.close();
  }
}

/** The same from the page, where an empty first cell stands for the table above. */
function documentedColumns(): string[] {
  let table = '';
  return tableRows(readText(PAGE))
    .filter(({heading, cells}) => heading === 'The journal' && cells.length === 3)
    .flatMap(({cells: [name, columns]}) => {
      if (name !== '') table = name!;
      return columns!.split(', ').map((column) => `${table}.${column}`);
    });
}

describe('the journal schema', () => {
  it(`has the tables and columns of ${PAGE}`, async () =>
    assert.deepEqual((await columnsOfJournal()).sort(), documentedColumns().sort(), `correct ${PAGE}`));
});
