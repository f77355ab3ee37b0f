import assert from 'node:assert/strict';
import {mkdtempSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {JOURNAL_MIGRATIONS} from '../../../src/batch/journal/schema.ts';
import {REGISTRY_MIGRATIONS} from '../../../src/batch/registry/schema.ts';
import {migrate, type Migration} from '../../../src/store/port/migrate.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {tableRows} from '../../repo/markdown.ts';
import {readText} from '../../repo/tree.ts';

const PAGE = 'docs/internals/batch-format.md';

/** `table.column` of every table of a new database, except the store's own. */
async function columnsOf(migrations: readonly Migration[]): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'schemas-'));
  const db = await openSqlite(join(folder, 'new.db'), {durability: 'normal'});
  try {
    migrate(db, migrations);
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

/** The same from a section of the page, where an empty first cell repeats the table above. */
function documentedColumns(section: string): string[] {
  let table = '';
  return tableRows(readText(PAGE))
    .filter(({heading, cells}) => heading === section && cells.length === 3)
    .flatMap(({cells: [name, columns]}) => {
      if (name !== '') table = name!;
      return columns!.split(', ').map((column) => `${table}.${column}`);
    });
}

describe(`the tables of ${PAGE}`, () => {
  const sections = {'The journal': JOURNAL_MIGRATIONS, 'The registry': REGISTRY_MIGRATIONS};
  for (const [section, migrations] of Object.entries(sections))
    it(`have the columns of the database: ${section}`, async () =>
      assert.deepEqual(
        (await columnsOf(migrations)).sort(),
        documentedColumns(section).sort(),
        `correct ${PAGE}`,
      ));
});
