import assert from 'node:assert/strict';
import {join} from 'node:path';
import {afterEach, describe, it} from 'mocha';
import {must} from '../../../src/narrow.ts';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {FINDINGS, type FindingKind} from '../../../src/reconcile/report/report.ts';
import {LedgerDesk} from './ledger-desk.ts';

const DAY_MS = 86_400_000;
interface Finding {
  kind: FindingKind;
  text: string;
  next: string[];
}

/** Worlds in which a finding of this kind is printed; `flags` are those of the run that prints it. */
interface FindingWorld {
  open: () => Promise<{desk: LedgerDesk; flags?: string}>;
  /** What each printed command does, in the order in which they are printed. */
  printed: RegExp[];
}

const PAYOUT = String.raw`[0-9a-f-]{36}`;
const two = ['INV-2026-001', 'INV-2026-002'];

const WORLDS: Readonly<Partial<Record<FindingKind, FindingWorld>>> = {
  returned: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      await desk.returned('INV-2026-001');
      return {desk};
    },
    printed: [/^payouts batch status nov$/],
  },
  returning: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      await desk.returned('INV-2026-001');
      desk.bank((lines) =>
        lines.map((one) => (one['direction'] === 'credit' ? {...one, status: 'pending'} : one)),
      );
      return {desk};
    },
    printed: [/^reconcile --account \S+$/],
  },
  contradicted: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      desk.bank((lines) => lines.slice(1));
      desk.desk.clock.advance(10 * DAY_MS);
      return {desk};
    },
    printed: [new RegExp(`^payouts get ${PAYOUT}$`)],
  },
  overdue: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      desk.bank((lines) => lines.slice(1));
      desk.payouts((records) => records.map((one) => ({...one, status: 'pending'})));
      desk.desk.clock.advance(10 * DAY_MS);
      return {desk};
    },
    printed: [new RegExp(`^payouts get ${PAYOUT}$`)],
  },
  duplicate: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      desk.bank(([first, ...rest]) => [must(first, 'a line'), {...first, id: 'again'}, ...rest]);
      return {desk};
    },
    printed: [
      /^reconcile confirm service:\S+ \S+ --note TEXT$/,
      /^reconcile confirm service:\S+ \S+ --note TEXT$/,
    ],
  },
  amount_differs: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      desk.bank(([first, ...rest]) => [{...first, amount_in_minor_units: 9000}, ...rest]);
      return {desk};
    },
    printed: [/^reconcile confirm \S+ \S+ --difference \S+ --note TEXT$/],
  },
  changed: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      await desk.reconcile();
      desk.bank((lines) => lines.slice(1));
      return {desk};
    },
    printed: [/^reconcile ignore \S+ --note TEXT$/],
  },
  statement_only: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      const {to} = (await desk.reconcile('--json')).json() as {to: string};
      desk.desk.file('more.csv', 'booking_date,text,amount,currency_code', [`${to},Gift,1.00,USD`]);
      return {desk, flags: '--statement ./more.csv'};
    },
    printed: [/^reconcile --account \S+$/, /^reconcile forget \d+ --note TEXT$/],
  },
  ambiguous: {
    open: async () => {
      const desk = await LedgerDesk.open(two, 'empty');
      desk.bank((lines) => lines.flatMap((one) => [one, {...one, id: `${String(one['id'])}-2`}]));
      return {desk};
    },
    printed: [/^reconcile confirm \S+ \S+ --note TEXT$/, /^reconcile confirm \S+ \S+ --note TEXT$/],
  },
  suggested: {
    open: async () => ({desk: await LedgerDesk.open(two, 'empty')}),
    printed: [/^reconcile confirm \S+ \S+ --note TEXT$/, /^reconcile reject \S+ \S+ --note TEXT$/],
  },
  unexplained: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      desk.bank(([first, ...rest]) => [
        must(first, 'a line'),
        {...first, id: 'x', description: 'Interest', direction: 'credit'},
        ...rest,
      ]);
      return {desk};
    },
    printed: [/^reconcile confirm x \S+ --note TEXT$/, /^reconcile ignore x --note TEXT$/],
  },
  unplanned: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      const made = await desk.desk.remit(
        `payouts create --payee ${desk.payee} --amount 7.00 --currency USD --rail standard_ach --auto-approve --yes`,
      );
      assert.equal(made.exitCode, 0, made.stderr);
      desk.desk.clock.advance(60_000);
      return {desk};
    },
    printed: [new RegExp(`^payouts get ${PAYOUT}$`), /^reconcile confirm \S+ \S+ --note TEXT$/],
  },
  unapproved: {
    open: async () => {
      const desk = await LedgerDesk.open(two);
      const path = join(desk.desk.folder, '.local/state/remit/batches/payout/nov/journal.db');
      const journal = await openSqlite(path, {durability: 'full'});
      journal.exec(`delete from meta where name in ('confirmed', 'confirmations')`);
      journal.close();
      return {desk};
    },
    printed: [/^payouts batch status nov$/],
  },
};

/** The findings of a run of the world. */
async function findingsOf(
  kind: FindingKind,
  world: FindingWorld,
): Promise<{desk: LedgerDesk; all: Finding[]}> {
  const {desk, flags} = await world.open();
  const ran = await desk.reconcile(flags);
  assert.equal(ran.exitCode, 8, ran.stdout + ran.stderr);
  const {findings} = (await desk.reconcile(`--json${flags === undefined ? '' : ` ${flags}`}`)).json() as {
    findings: Finding[];
  };
  const all = findings.filter((one) => one.kind === kind);
  assert.ok(all.length > 0, ran.stdout);
  for (const command of all[0]?.next ?? []) assert.ok(ran.stdout.includes(command), ran.stdout);
  return {desk, all};
}

describe('the commands after a finding', () => {
  let desk: LedgerDesk | undefined;
  afterEach(() => desk?.desk.close());

  it('are tested for every kind', () => {
    // doubts.test.ts and returned-early.test.ts have the worlds of the others.
    assert.deepEqual(
      FINDINGS.filter((kind) => kind !== 'doubt_resolved' && kind !== 'paid_twice'),
      FINDINGS.filter((kind) => WORLDS[kind] !== undefined),
    );
  });

  it('confirm a payment in no batch that came back, and its return', async () => {
    desk = await LedgerDesk.open(two);
    const made = await desk.desk.remit(
      `payouts create --payee ${desk.payee} --amount 7.00 --currency USD --rail standard_ach --auto-approve --yes --json`,
    );
    const {id} = made.json() as {id: string};
    desk.desk.clock.advance(DAY_MS);
    await desk.desk.sandbox.sandbox.simulate({kind: 'payout', id, outcome: 'return', code: 'R03'});
    const kinds = async () => {
      const {findings} = (await desk?.reconcile('--json'))?.json() as {findings: Finding[]};
      return findings;
    };
    const found = await kinds();
    assert.deepEqual(
      found.map((one) => one.kind),
      ['returned', 'unplanned'],
    );
    for (const shown of ['get', 'wait']) {
      const {stderr} = await desk.desk.remit(`payouts ${shown} ${id}`);
      const see = /^Warning: the bank has returned .*; see: remit (.+)$/m.exec(stderr)?.[1] ?? '';
      assert.match(see, new RegExp(`^reconcile --account ${desk.account} --from \\S+$`), stderr);
      assert.match((await desk.desk.remit(see)).stdout, / came back on /);
    }
    for (const [at, left] of [
      [1, ['returned']],
      [0, []],
    ] as const) {
      const command = found[at]?.next.at(-1)?.replace('remit ', '') ?? '';
      assert.match(command, new RegExp(`^reconcile confirm \\S+ ${id} --note TEXT$`));
      const ran = await desk.desk.remit(command);
      assert.equal(ran.exitCode, 0, ran.stderr);
      assert.deepEqual(
        (await kinds()).map((one) => one.kind),
        left,
      );
    }
    assert.equal((await desk.desk.remit(`payouts get ${id}`)).exitCode, 8);
  });

  for (const kind of FINDINGS) {
    const world = WORLDS[kind];
    if (world === undefined) continue;
    for (const [at, pattern] of world.printed.entries())
      it(`work as they are printed: ${kind} ${at + 1}`, async () => {
        const found = await findingsOf(kind, world);
        desk = found.desk;
        const next = found.all[0]?.next ?? [];
        assert.equal(next.length, world.printed.length, next.join('\n'));
        const command = /^remit (.+)$/.exec(next[at] ?? '')?.[1] ?? '';
        assert.match(command, pattern);
        const ran = await desk.desk.remit(command);
        assert.ok(ran.exitCode === 0 || ran.exitCode === 8, `${command}\n${ran.stdout}${ran.stderr}`);
        if (!/^reconcile (confirm|ignore|reject|forget)/.test(command)) return;
        // What was decided is not listed again.
        const {findings} = (await desk.reconcile('--json')).json() as {findings: Finding[]};
        assert.ok(
          !findings.some((one) => one.kind === kind && one.text === found.all[0]?.text),
          JSON.stringify(findings),
        );
      });
  }
});
