import assert from 'node:assert/strict';
import fc from 'fast-check';
import {anyCharacter} from '../../sanitize/any-character.ts';
import {foldReference, referenceOfContent} from '../../../src/batch/model/identity.ts';
import {hashName, hashText} from '../../../src/batch/model/name-hash.ts';
import {DraftPages} from '../../../src/batch/journal/draft-pages.ts';
import {Buckets} from '../../../src/batch/plan/buckets.ts';
import {Duplicates} from '../../../src/batch/plan/duplicates.ts';
import {RowSet} from '../../../src/batch/input/row-set.ts';
import {formatMajor} from '../../../src/money/amount.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {Bench, payeeId} from '../harness.ts';

interface Wanted {
  reference: string;
  party: string;
  amount: number;
  currency: string;
  rail: string;
  day: string;
}
type Row = Wanted & {n: number};

/** Few of each, so that most rows have copies; and many that differ only in case or spaces. */
const wanted = (references: fc.Arbitrary<string>): fc.Arbitrary<Wanted> =>
  fc.record({
    reference: references,
    party: fc.constantFrom(1, 1, 1, 2, 3).map(payeeId),
    amount: fc.constantFrom(100, 100, 100, 250, 9_007_199_254_740_991),
    currency: fc.constantFrom('USD', 'USD', 'USD', 'EUR', 'JPY'),
    rail: fc.constantFrom('', '', 'wire', 'standard_ach'),
    day: fc.constantFrom('', '2026-05-01', '2026-04-30'),
  });
const fewNames = fc.constantFrom('A', 'a', 'A 1', 'a1', 'A1', 'Zü 7', 'ZÜ7', 'B');
const manyNames = fc.tuple(fc.constantFrom('INV ', 'inv', 'Inv'), fc.nat(120)).map(([word, n]) => word + n);
/** Up to some hundred rows: a bucket whose texts are all one is then longer than what it keeps in memory. */
const files = (names: fc.Arbitrary<string>) => fc.array(wanted(names), {minLength: 1, maxLength: 400});

const CONTENT_HEADER = 'payee_id,amount_in_minor_units,currency_code,rail,scheduled_date';
const contentOf = ({party, amount, currency, rail, day}: Wanted) =>
  [party, amount, currency, rail, day].join(',');

function groupsOf<T>(rows: readonly T[], key: (row: T) => string): T[][] {
  const groups = new Map<string, T[]>();
  for (const row of rows) groups.set(key(row), [...(groups.get(key(row)) ?? []), row]);
  return [...groups.values()];
}

/** What a plan says, worked out with all rows at hand. */
function expected(rows: readonly Row[], named: boolean) {
  const copied = groupsOf(rows, (row) => row.reference).filter((group) => group.length > 1);
  const refused = copied.flatMap((group) =>
    group.map((row) => ({...row, other: group.find(({n}) => n !== row.n)!.n + 1})),
  );
  const kept = rows.filter(({reference}) => !copied.some(([first]) => first!.reference === reference));
  const twice = (key: (row: Row) => string) => groupsOf(kept, key).filter((group) => group.length > 1);
  const count = (groups: Row[][]) => groups.reduce((sum, group) => sum + group.length - 1, 0);
  const references = (group: Row[]) => group.slice(0, 4).map(({reference}) => reference);
  const alike = twice(({party, amount, currency}) => `${party} ${amount} ${currency}`);
  const similar = named ? twice(({reference}) => foldReference(reference)) : [];
  const money = (amount: bigint | number, currency: string) => formatMajor(BigInt(amount), currency);
  const totalOf = (group: Row[]) =>
    money(
      group.reduce((sum, {amount}) => sum + BigInt(amount), 0n),
      group[0]!.currency,
    );
  const largest = kept.toSorted((a, b) => b.amount - a.amount || a.n - b.n)[0];
  const days = kept.map(({day}) => day).filter((day) => day !== '');
  const byCurrency = groupsOf(kept, ({currency}) => currency);
  return {
    refused: refused
      .toSorted((a, b) => a.n - b.n)
      .map(({n, reference, other}) => ({
        ...{row: n, line: n + 1, column: 'reference', code: 'reference-repeated', value: reference},
        message: `the same reference is on line ${other}; a reference is paid once`,
      })),
    kept,
    figures: largest && {
      rows: kept.length,
      totals: Object.fromEntries(byCurrency.map((group) => [group[0]!.currency, totalOf(group)])),
      rails: groupsOf(
        kept.toSorted((a, b) => (`${a.rail} ${a.currency}` < `${b.rail} ${b.currency}` ? -1 : 1)),
        ({rail, currency}) => `${rail} ${currency}`,
      ).map((group) => ({
        ...{rail: group[0]!.rail || null, currency: group[0]!.currency},
        ...{rows: group.length, total: totalOf(group)},
      })),
      maximaMinor: Object.fromEntries(
        byCurrency.map((group) => [group[0]!.currency, String(Math.max(...group.map(({amount}) => amount)))]),
      ),
      largest: {
        ...{n: largest.n, line: largest.n + 1, reference: largest.reference, party: largest.party},
        ...{currency: largest.currency, amount: money(largest.amount, largest.currency)},
      },
      softDuplicates: {
        count: count(alike),
        examples: alike.slice(0, 5).map((group) => ({
          references: references(group),
          party: group[0]!.party,
          currency: group[0]!.currency,
          amount: money(group[0]!.amount, group[0]!.currency),
        })),
      },
      similarReferences: {count: count(similar), examples: similar.slice(0, 5).map(references)},
      firstScheduled: days.toSorted()[0] ?? null,
      lastScheduled: days.toSorted().at(-1) ?? null,
    },
  };
}

describe('duplicates in a plan', () => {
  let bench: Bench;
  beforeEach(() => (bench = new Bench()));
  afterEach(() => bench.remove());

  async function holdsToItsRows(rows: readonly Row[], text: string, named: boolean): Promise<void> {
    const right = expected(rows, named);
    const namespace = named ? undefined : 'payroll';
    const planning = bench.plan(bench.file('p.csv', text), {validOnly: true, namespace});
    if (right.figures === undefined) {
      await assert.rejects(planning, {code: 'CSV_INVALID'});
      return;
    }
    const {plan, errors} = await planning;
    assert.deepEqual(plan.figures, right.figures);
    assert.deepEqual(errors, right.refused);
    assert.equal(plan.invalidRows, right.refused.length);
    await bench.inJournal(({journal}) => {
      const planned = journal.rows.after(0, 1000).map(({n, reference}) => [n, reference]);
      assert.deepEqual(
        planned,
        right.kept.map(({n, reference}) => [n, reference]),
      );
      for (const {n, reference} of right.kept) assert.equal(journal.rows.of(reference)?.n, n, reference);
      for (const {value} of right.refused) assert.equal(journal.rows.of(value), undefined);
    });
  }

  for (const [how, names] of [
    ['hardly any rows have references of their own', fewNames],
    ['references repeat each other here and there', manyNames],
  ] as const)
    it(`are reported as if all rows were checked together when ${how}`, async () => {
      await fc.assert(
        fc.asyncProperty(files(names), async (wantedRows) => {
          const rows = wantedRows.map((row, index) => ({...row, n: index + 1}));
          const lines = rows.map((row) => `${row.reference},${contentOf(row)}`);
          await holdsToItsRows(rows, [`reference,${CONTENT_HEADER}`, ...lines, ''].join('\n'), true);
        }),
        {numRuns: 12},
      );
    });

  it('are reported in the same way for rows named by their content', async () => {
    await fc.assert(
      fc.asyncProperty(files(fc.constant('')), async (wantedRows) => {
        const text = [CONTENT_HEADER, ...wantedRows.map(contentOf), ''].join('\n');
        await bench.plan(bench.file('first.csv', text), {namespace: 'payroll'});
        const fingerprints = await bench.inJournal(({journal}) =>
          journal.rows.after(0, 1000).map(({fingerprint}) => fingerprint),
        );
        const rows = wantedRows.map((row, index) => {
          const before = fingerprints.slice(0, index + 1).filter((other) => other === fingerprints[index]);
          return {...row, n: index + 1, reference: referenceOfContent(fingerprints[index]!, before.length)};
        });
        await holdsToItsRows(rows, text, false);
      }),
      {numRuns: 8},
    );
  });
});

describe('the texts of a plan in buckets', () => {
  it('are returned with equal ones together and in order, and leave nothing behind', async () => {
    const bench = new Bench();
    const db = await openSqlite(bench.file('x.db', ''), {durability: 'normal'});
    try {
      const pages = new DraftPages(db);
      pages.create();
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.boolean(), fc.string({maxLength: 2}))),
          fc.integer({min: 1, max: 4}),
          async (given, recordsAPage) => {
            const series = [
              new Buckets(pages, 0, recordsAPage),
              new Buckets(pages, 2, recordsAPage),
            ] as const;
            given.forEach(([second, text], n) => series[second ? 1 : 0].add(hashText(text), n, text));
            for (const [index, buckets] of series.entries()) {
              const found: {n: number; text: string; bucket: number}[] = [];
              await buckets.drain((bucket) => {
                const records = [...buckets.records(bucket)];
                assert.ok(records.length > 0, 'only buckets with records are processed');
                for (const record of records) found.push({...record, bucket});
              });
              const own = given.flatMap(([second, text], n) => (second === (index === 1) ? [{n, text}] : []));
              assert.deepEqual(
                found.map(({n, text}) => ({n, text})).toSorted((a, b) => a.n - b.n),
                own,
              );
              for (const group of groupsOf(found, ({text}) => text)) {
                assert.equal(new Set(group.map(({bucket}) => bucket)).size, 1);
                assert.deepEqual(
                  group,
                  group.toSorted((a, b) => a.n - b.n),
                );
              }
            }
            assert.equal(db.prepare('select count(*) as count from plan_pages').get()!['count'], 0);
          },
        ),
      );
    } finally {
      db.close();
      bench.remove();
    }
  });

  it('are hashed to 31 bits that a journal may store for years', () => {
    assert.deepEqual(['', 'a', 'INV-1', 'ZÜ 7'].map(hashText), [1436499461, 222320857, 12384897, 598102188]);
    assert.equal(hashName('Inv 1'), hashName('INV1'));
    fc.assert(
      fc.property(fc.string({unit: anyCharacter}), (text) => {
        const hash = hashText(text);
        assert.ok(Number.isInteger(hash) && hash >= 0 && hash < 2 ** 31);
      }),
    );
  });
});

describe('duplicates', () => {
  it('keep the first groups, from whatever part they come', () => {
    const duplicates = new Duplicates();
    const part = (...rows: number[]) => rows.map((n) => ({n, text: `t${rows[0]}`}));
    for (const first of [40, 10, 60, 30, 20, 50]) duplicates.take(part(first, first + 1, first + 2));
    duplicates.take(part(5, 6, 7, 8, 9));
    assert.equal(duplicates.count, 16);
    assert.deepEqual(
      duplicates.groups.map(({rows, copies}) => [rows, copies]),
      [
        [[5, 6, 7, 8], 5],
        [[10, 11, 12], 3],
        [[20, 21, 22], 3],
        [[30, 31, 32], 3],
        [[40, 41, 42], 3],
      ],
    );
  });
});

describe('a set of rows', () => {
  it('contains what was added, and nothing else', () =>
    fc.assert(
      fc.property(fc.array(fc.nat(5000)), fc.nat(5100), (rows, other) => {
        const set = new RowSet();
        for (const n of rows) set.add(n);
        for (const n of rows) assert.ok(set.has(n));
        assert.equal(set.has(other), rows.includes(other));
      }),
    ));
});
