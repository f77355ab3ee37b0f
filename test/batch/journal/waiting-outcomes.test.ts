import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import fc from 'fast-check';
import {JOURNAL_MIGRATIONS} from '../../../src/batch/journal/schema.ts';
import type {Outcome} from '../../../src/batch/model/outcome.ts';
import {WaitingOutcomes} from '../../../src/batch/journal/waiting-outcomes.ts';
import {Sanitizer} from '../../../src/sanitize/sanitizer.ts';
import {migrate} from '../../../src/store/port/migrate.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';

const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({weight: 6, arbitrary: fc.constant(usual)}, ...others.map((other) => fc.constant(other)));

/** Few rows, so that some have several outcomes; few shapes, so that neighbours often share one. */
const outcome: fc.Arbitrary<Outcome> = fc.record({
  n: fc.integer({min: 1, max: 60}),
  state: mostly<Outcome['state']>('accepted', 'staged', 'in_doubt'),
  id: fc.option(fc.uuid(), {nil: null}),
  status: mostly<string | null>('approved', 'created', null),
  stagedAt: fc.option(fc.nat(), {nil: null}),
  http: mostly<number | null>(201, 503, null),
  code: mostly<string | null>(null, 'RATE_LIMITED'),
  message: mostly<string | null>(null, 'the bank is away'),
  requestId: fc.option(fc.string({unit: 'grapheme-ascii'}), {nil: null}),
  attempts: mostly(1, 2),
  orphan: mostly<string | null>(null, 'an orphan'),
});

describe('outcomes that wait for a commit', () => {
  const folder = mkdtempSync(join(tmpdir(), 'remit-waiting-'));
  after(() => rmSync(folder, {recursive: true, force: true}));

  it('are written unchanged, and the later one of two for the same row', async () => {
    const db = await openSqlite(join(folder, 'journal.db'), {durability: 'normal'});
    migrate(db, JOURNAL_MIGRATIONS);
    const waiting = new WaitingOutcomes(db, new Sanitizer());
    let windowSeq = 0;
    fc.assert(
      fc.property(fc.array(outcome, {maxLength: 200}), (outcomes) => {
        db.exec('delete from outcomes');
        windowSeq++;
        outcomes.forEach((one, at) => waiting.add(one, at));
        assert.equal(waiting.count, outcomes.length);
        db.transaction(() => waiting.write(windowSeq));
        assert.equal(waiting.count, 0);
        const last = new Map(outcomes.map((one, at) => [one.n, {...one, at, windowSeq}]));
        assert.deepEqual(
          db
            .prepare(
              `select n, state, id, status, staged_at as stagedAt, http, code, message, request_id as requestId, attempts,
                 orphan, at, window_seq as windowSeq from outcomes order by n`,
            )
            .all(),
          [...last.values()].sort((a, b) => a.n - b.n),
        );
      }),
      {numRuns: 200},
    );
    db.close();
  });
});
