import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {JOURNAL_MIGRATIONS} from '../../../src/batch/journal/schema.ts';
import type {Kind} from '../../../src/batch/model/kinds.ts';
import {ROW_FIELDS} from '../../../src/batch/model/row-fields.ts';
import {ASSUMED_FIELDS} from '../../../src/contract/origin/assumed-fields.ts';
import {PayinCreate, PayoutCreate} from '../../../src/contract/schemas/transfers.ts';
import {migrate} from '../../../src/store/port/migrate.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';

/** Columns of `rows` that are not content. */
const OTHERS = new Set(['n', 'line', 'reference', 'fold', 'fingerprint']);
/** Fields of a create body that no row has: other names of a field, and what a run decides. */
const NOT_OF_ROWS = new Set(['amount_in_cents', 'payout_metadata', 'auto_approve']);
const BODIES: Record<Kind, {shape: object}> = {payout: PayoutCreate, payin: PayinCreate};

describe('the fields of a row', () => {
  it('are the columns of the journal, with their types', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'row-fields-'));
    const db = await openSqlite(join(folder, 'new.db'), {durability: 'normal'});
    try {
      migrate(db, JOURNAL_MIGRATIONS);
      const columns = db
        .prepare(`select name, lower(type) as type, "notnull" as needed from pragma_table_info('rows')`)
        .all()
        .filter(({name}) => !OTHERS.has(String(name)))
        .map(
          ({name, type, needed}) =>
            `${String(name)} ${String(type)}${Number(needed) === 1 ? ' not null' : ''}`,
        );
      const fields = ROW_FIELDS.map(({name, sql}) => `${name} ${sql}`);
      assert.deepEqual(
        columns.sort(),
        fields.sort(),
        'add a migration to src/batch/journal/schema.ts, or the field to ROW_FIELDS',
      );
    } finally {
      db.close();
      rmSync(folder, {recursive: true});
    }
  });

  for (const kind of ['payout', 'payin'] as const)
    it(`are those that a ${kind} may be created with`, () =>
      assert.deepEqual(
        ROW_FIELDS.map(({wire}) => wire[kind]).sort(),
        Object.keys(BODIES[kind].shape)
          .filter((name) => !NOT_OF_ROWS.has(name))
          .sort(),
        'ROW_FIELDS and the request body in src/contract/schemas/transfers.ts differ',
      ));

  it('have a fixed name in requests, except the metadata of payouts', () =>
    assert.deepEqual(
      ROW_FIELDS.flatMap(({wire}) => [`payouts.create.${wire.payout}`, `payins.create.${wire.payin}`]).filter(
        (name) => Object.hasOwn(ASSUMED_FIELDS, name),
      ),
      ['payouts.create.metadata'],
      'profiles can rename this field: bind batches to its name in src/batch/journal/binding.ts, and name it here',
    ));

  it('may be missing, if they were added after the first eight', () =>
    assert.deepEqual(
      ROW_FIELDS.slice(8).filter(({sql}: {sql: string}) => sql !== 'text'),
      [],
    ));
});
