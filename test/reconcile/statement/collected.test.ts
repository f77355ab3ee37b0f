import assert from 'node:assert/strict';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {read, readLines, refuses} from './statements.ts';

const HEADER = 'account,booking_date,amount,currency_code';
const csv = (...accounts: readonly string[]) =>
  [HEADER, ...accounts.map((account) => `${account},2026-03-02,1.50,EUR`), ''].join('\n');
const TWO = csv('11112222', '33332222');

describe('a statement of several accounts', () => {
  it('has the lines of the one whose last characters are asked for', async () => {
    for (const number of ['11112222', '112222', '1 1 1 1 2222'])
      assert.deepEqual(
        [(await read(TWO, {number})).number, (await read(TWO, {number})).lines.length],
        [...['11112222', 1]],
      );
    assert.equal((await read(csv('77', '177'), {number: '77'})).number, '77');
    const none = await refuses(TWO, /has no statement of the account …222; it has …2222, …2222$/, {
      number: '222',
    });
    assert.match(none.hint ?? '', /: --account-number 2222$/);
    await refuses(TWO, /has no statement of the account/, {number: '1111'});
    const several = await refuses(TWO, /has several accounts that end with …2222; it has/, {number: '2222'});
    assert.equal(several.hint, 'name more of its last characters with --account-number');
  });

  it('lists at most ten of them', async () => {
    const numbers = Array.from({length: 11}, (_, n) => `99000${n + 100}`);
    await refuses(csv(...numbers), /has statements of 11 accounts: (?:…\d{4}, ){10}…$/);
    await refuses(csv(...numbers.slice(1)), /has statements of 10 accounts: (?:…\d{4}, ){9}…\d{4}$/);
  });

  it('has the lines of the known one, and those without an account number', async () => {
    const known = {isKnown: (number: string) => number === '33332222'};
    const found = await read(TWO, known);
    assert.deepEqual([found.number, found.lines.length], ['33332222', 1]);
    const own = await read(csv(''), {isKnown: () => false});
    assert.deepEqual([own.number, own.lines.length], [undefined, 1]);
    // The only account is named, so that a person can say whether it is the right one.
    const other = await read(csv('11112222'), known);
    assert.deepEqual([other.number, other.lines.length], ['11112222', 0]);
    await refuses(TWO, /has statements of 2 accounts/, {isKnown: () => undefined});
  });

  it('has the balances of that one only', async () => {
    const one = (number: string, sum: number) =>
      `:20:X\n:25:${number}\n:28C:1\n:60F:C260301EUR${sum},\n:62F:C260302EUR${sum},\n-\n`;
    const {balances} = await read(one('11112222', 1) + one('33334444', 2), {number: '4444'});
    assert.deepEqual(
      balances.map(({opening}) => opening),
      [200n],
    );
  });
});

describe('a statement', () => {
  it('has lines under keys of their content if the bank gives no ids', async () => {
    const text = [`${HEADER},text`, 'A,2026-03-02,1.50,EUR,a', 'A,2026-03-02,1.50,EUR,b', ''].join('\n');
    const keys = (await read(text)).lines.map(({key}) => key);
    assert.equal(new Set(keys).size, 2);
    for (const key of keys) assert.match(key, /^statement\/A\/[\da-f]{32}$/);
  });

  it('is recognised by its beginning, whatever its texts are', async () => {
    for (const text of ['<OFX>', 'OFXHEADER:100', ':20:X', '{1:X', ' <Document>']) {
      const {format} = await read([`${HEADER},text`, `1,2026-03-02,1.50,EUR,${text}`, ''].join('\n'));
      assert.equal(format, 'csv', text);
    }
    for (const text of ['', ' \n \n']) await refuses(text, /^the statement: is empty$/);
    await refuses('one word', /^the statement: is in no known format$/);
  });

  it('is named by its file in messages', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-statement-'));
    const path = join(folder, 'march.csv');
    writeFileSync(path, csv('1').replace('1.50', 'x'));
    await assert.rejects(readLines(path), ({message}: Error) => message.startsWith(`${path}, line 2: `));
    rmSync(folder, {recursive: true});
  });
});
