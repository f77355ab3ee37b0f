import assert from 'node:assert/strict';
import {BANK_DIALECT_NAMES, type BankDialect} from '../../../src/sandbox/base/bank-dialect.ts';
import {STATEMENT_FILE_FORMATS, type StatementFileFormat} from '../../../src/sandbox/statement/formats.ts';
import type {BankLine} from '../../../src/reconcile/model/line.ts';
import {operatingAccount} from '../../sandbox/accounts.ts';
import {TestSandbox} from '../../sandbox/harness.ts';
import {readLines} from './statements.ts';

const DAY = 86_400_000;

interface ServiceLine {
  id: string;
  amount_in_minor_units: number;
  direction: string;
  description: string | null;
  bank_reference: string;
  status: string;
  value_date: string;
}

/** What both witnesses state about a line. */
interface Stated {
  reference: string | undefined;
  amount: bigint;
  day: string;
  state: string;
  text: string;
}

/** Some days at a bank: payouts by several rails, payins, returns before and after settlement, a credit. */
async function busyDays(dialect: BankDialect) {
  const at = await TestSandbox.open({bankDialect: dialect});
  const {body} = await at.get('/api/treasury/accounts');
  const accountId = operatingAccount(body);
  const [payee, payer] = [await at.ready('payee'), await at.ready('payer')];
  const pass = async (ms: number) => {
    at.clock.pass(ms);
    await at.sandbox.audit();
  };
  const ids: string[] = [];
  for (let day = 0; day < 4; day += 1) {
    for (const rail of ['standard_ach', 'wire', 'same_day_ach', 'standard_ach']) {
      const asked = {amount_in_minor_units: 1000 + day, auto_approve: true, rail};
      ids.push((await at.payout(payee.id, asked)).body.id as string);
    }
    await at.payin(payer.id, {amount_in_minor_units: 90_071 + day, auto_approve: true});
    for (let step = 0; step < 3; step += 1) await pass(2000);
    await pass(DAY - 6000);
  }
  await at.sandbox.simulate({
    kind: 'payout',
    id: String(ids[0]),
    outcome: 'return',
    code: 'R02',
    afterMs: DAY,
  });
  await at.post(`/api/treasury/accounts/${accountId}/simulate-inbound-credit`, {
    amount_in_minor_units: 123_456_789_012,
    description: `A & B <"quoted", 'twice'>; ${'long words '.repeat(30)}\n-end :86: of / 16, it`,
  });
  await pass(2 * DAY);
  await at.payout(payee.id, {amount_in_minor_units: 77, auto_approve: true, rail: 'wire'});
  await pass(1500); // the dialect `pending` has a pending line now
  return {at, accountId};
}

async function serviceLines(at: TestSandbox, accountId: string): Promise<ServiceLine[]> {
  const all: ServiceLine[] = [];
  for (let cursor = ''; ;) {
    const page = await at.get(`/api/treasury/accounts/${accountId}/transactions?limit=5${cursor}`);
    all.push(...(page.body.data as ServiceLine[]));
    if (page.body.next_cursor === null) return all;
    cursor = `&cursor=${page.body.next_cursor as string}`;
  }
}

/** How much of a text each format keeps. */
const KEPT: Readonly<Record<StatementFileFormat, number>> = {
  ...{camt053: Infinity, bai2: Infinity, ofx: 255, mt940: 390, csv: Infinity},
};
const PATHS: Readonly<Record<StatementFileFormat, readonly string[]>> = {
  camt053: ['Ntry/NtryDtls/TxDtls/RmtInf/Ustrd', 'Ntry/AddtlNtryInf'],
  bai2: ['text'],
  ofx: ['MEMO'],
  mt940: [':86:'],
  csv: ['description'],
};
/** Line breaks and spaces are not kept. */
const bare = (text: string): string => text.replaceAll(/\s+/g, '');

function fromService(line: ServiceLine, format: StatementFileFormat): Stated {
  const amount = BigInt(line.amount_in_minor_units);
  const text = (line.description ?? '').replaceAll(/\s+/g, ' ').trim().slice(0, KEPT[format]);
  return {
    reference: format === 'ofx' && line.status === 'pending' ? undefined : line.bank_reference,
    amount: line.direction === 'credit' ? amount : -amount,
    day: line.value_date,
    state: line.status,
    text: bare(text),
  };
}

const fromStatement = (line: BankLine, format: StatementFileFormat): Stated => ({
  reference: line.id,
  amount: line.amount,
  day: line.bookingDay,
  state: line.state,
  text: bare(PATHS[format].map((path) => line.texts.find((leaf) => leaf.path === path)?.text ?? '').join('')),
});

const sorted = (lines: readonly Stated[]): Stated[] => {
  const order = ({reference = '', amount, day, text}: Stated) => `${day} ${reference} ${amount} ${text}`;
  return [...lines].sort((a, b) => (order(a) < order(b) ? -1 : 1));
};

describe('statements of the sandbox, read again', () => {
  for (const dialect of BANK_DIALECT_NAMES)
    describe(`in the dialect ${dialect}`, () => {
      let days: Awaited<ReturnType<typeof busyDays>>;
      let service: ServiceLine[];
      before(async () => {
        days = await busyDays(dialect);
        service = await serviceLines(days.at, days.accountId);
      });
      after(() => days.at.close());

      for (const format of STATEMENT_FILE_FORMATS)
        it(`have the lines of the service: ${format}`, async () => {
          const file = await days.at.sandbox.statement({account_id: days.accountId, format});
          const read = await readLines(Buffer.from(file.text), {account: days.accountId});
          assert.equal(read.format, format);
          const hasPending = format !== 'bai2' && format !== 'mt940';
          const expected = service.filter(({status}) => hasPending || status === 'posted');
          assert.ok(expected.length > 10, 'more than two pages');
          assert.deepEqual(
            sorted(read.lines.map((line) => fromStatement(line, format))),
            sorted(expected.map((line) => fromService(line, format))),
          );
          assert.equal(read.lines.length, file.lines);
          assert.equal(new Set(read.lines.map(({key}) => key)).size, read.lines.length, 'keys differ');
          assert.ok(read.lines.every(({account}) => account === days.accountId));
        });

      for (const format of ['camt053', 'bai2', 'mt940'] as const)
        it(`state balances that add up: ${format}`, async () => {
          const file = await days.at.sandbox.statement({account_id: days.accountId, format});
          const {lines, balances} = await readLines(Buffer.from(file.text));
          const [first, last] = [balances[0], balances.at(-1)];
          assert.equal(String(first?.opening), file.opening_balance_in_minor_units);
          assert.equal(String(last?.closing), file.closing_balance_in_minor_units);
          assert.equal(last?.to, file.to);
          for (const {opening, closing, from, to} of balances) {
            const within = lines.filter(
              ({bookingDay, state}) => state === 'posted' && bookingDay >= from && bookingDay <= to,
            );
            assert.equal(
              within.reduce((sum, {amount}) => sum + amount, opening),
              closing,
              `${from} to ${to}`,
            );
          }
        });

      it('give each line the same key in every split of the period', async () => {
        const {at, accountId} = days;
        const read = async (from: string | undefined, to: string | undefined) => {
          const file = await at.sandbox.statement({account_id: accountId, format: 'camt053', from, to});
          return (await readLines(Buffer.from(file.text), {account: accountId})).lines.map(({key}) => key);
        };
        const whole = await read(undefined, undefined);
        const parts = [...(await read(undefined, '2026-03-03')), ...(await read('2026-03-04', undefined))];
        assert.deepEqual(parts.sort(), whole.sort());
        const [all, first, second] = await Promise.all(
          [{}, {to: '2026-03-03'}, {from: '2026-03-04'}].map((period) =>
            at.sandbox.statement({account_id: accountId, format: 'csv', ...period}),
          ),
        );
        assert.equal(first?.opening_balance_in_minor_units, all?.opening_balance_in_minor_units);
        assert.equal(second?.opening_balance_in_minor_units, first?.closing_balance_in_minor_units);
        assert.equal(second?.closing_balance_in_minor_units, all?.closing_balance_in_minor_units);
        assert.notEqual(first?.closing_balance_in_minor_units, all?.opening_balance_in_minor_units);
      });
    });

  it('have the code of a return: camt053 and csv', async () => {
    const {at, accountId} = await busyDays('empty');
    for (const format of ['camt053', 'csv'] as const) {
      const {text} = await at.sandbox.statement({account_id: accountId, format});
      const {lines} = await readLines(Buffer.from(text));
      assert.deepEqual(
        lines
          .filter(({returnCode}) => returnCode !== undefined)
          .map(({returnCode, amount}) => [returnCode, amount]),
        [['R02', 1000n]],
      );
    }
    await at.close();
  });
});
