import assert from 'node:assert/strict';
import {wholeStatement} from '../../../src/cli/sandbox/whole-statement.ts';
import {RemitError} from '../../../src/errors.ts';
import {STATEMENT_FILE_FORMATS} from '../../../src/sandbox/statement/formats.ts';
import {statementFile, type StatementRequest} from '../../../src/sandbox/statement/statement-file.ts';
import type {SandboxContext} from '../../../src/sandbox/world/context.ts';

const ACCOUNT = '019b76da-a800-7000-8235-80d251bba0e9';
const LARGEST_ANSWER = 32 * 1024 * 1024;
/** Characters of two units, and some that JSON escapes. */
const TEXT = `${'😀'.repeat(40)}\u0001"\\${'ä'.repeat(100)}`;

/** A bank that has reported this many lines. */
function bankOf(count: () => number): SandboxContext {
  const account = {id: ACCOUNT, created_ms: 0, opening: 0, currency_code: 'USD'};
  const line = (n: number) => ({
    ...{reference: `R${n}`, amount: 100 + n, direction: 'credit', value_date: '2026-03-02', status: 'posted'},
    ...{description: `${n}${TEXT}`, return_code: null},
  });
  const queries = {
    get: async () => account,
    all: async () => Array.from({length: count()}, (_, n) => line(n)),
  };
  const store = {read: (work: (of: typeof queries) => unknown) => work(queries)};
  return {store, clock: {now: () => Date.parse('2026-03-03T12:00:00Z')}} as unknown as SandboxContext;
}
const ask = (bank: SandboxContext, fields: Partial<StatementRequest> = {}) =>
  statementFile(bank, {account_id: ACCOUNT, format: 'camt053', from: '2026-03-01', ...fields});

describe('a large statement of the sandbox', () => {
  for (const format of STATEMENT_FILE_FORMATS)
    it(`is sent in parts that fit into an answer: ${format}`, async () => {
      const bank = bankOf(() => 24_000);
      const whole = await ask(bank, {format});
      assert.equal(whole.next_offset, null);
      let parts = 0;
      const joined = await wholeStatement(async (offset) => {
        parts += 1;
        const part = await ask(bank, {format, offset});
        assert.ok(Buffer.byteLength(JSON.stringify(part)) < LARGEST_ANSWER);
        return part;
      });
      assert.ok(parts > 1 && whole.text === joined.text, `${parts} parts`);
      assert.equal(whole.characters, whole.text.length);
      assert.deepEqual({...joined, characters: whole.characters, next_offset: null}, whole);
    });

  it('of one part is sent at once, also if it ends where a part ends', async () => {
    const bank = bankOf(() => 3);
    const {text, characters} = await ask(bank);
    for (const [offset, rest] of [
      [0, text],
      [10, text.slice(10)],
      [characters, ''],
    ] as const) {
      const part = await ask(bank, {offset});
      assert.deepEqual([part.text, part.next_offset, part.characters], [rest, null, characters]);
    }
  });

  it('is refused if the bank reports a line between two parts', async () => {
    let count = 24_000;
    const bank = bankOf(() => (count += 1));
    await assert.rejects(
      wholeStatement((offset) => ask(bank, {offset})),
      (error) => error instanceof RemitError && error.code === 'STATE' && /more lines/.test(error.message),
    );
  });
});
