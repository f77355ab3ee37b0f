import assert from 'node:assert/strict';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {printedIn, Shell, withReturn} from './returned-payout.ts';

describe('a payout that comes back', function () {
  this.timeout(300_000);
  let shell: Shell;
  beforeEach(() => {
    shell = new Shell();
  });
  afterEach(() => shell.type('remit sandbox stop'));

  it('is paid a second time in five commands, each printed by the one before', async () => {
    const {account} = await withReturn(shell);
    const first = await shell.type(`remit reconcile --account ${account}`);
    assert.equal(first.code, 8, first.text);
    assert.match(first.text, /INV-2026-001 of payout batch november: 1,250\.00 USD came back on \S+, R03/);
    const second = await shell.type(printedIn(first.text, /batch status november/));
    assert.equal(second.code, 8, second.text);
    assert.match(second.text, /1 returned by the bank/);
    const third = await shell.type(printedIn(second.text, /batch report november/));
    const fourth = await shell.type(printedIn(third.text, /batch run \S+failed\.csv/));
    assert.equal(fourth.code, 11, fourth.text);
    const fifth = await shell.type(`${printedIn(fourth.text, /--accept duplicates=1/)} --yes`);
    assert.equal(fifth.code, 0, fifth.text);
    assert.match(fifth.text, /1 of 1 row accepted/);

    await shell.type('remit sandbox advance 2d');
    const end = await shell.type(`remit reconcile --account ${account}`);
    assert.equal(end.code, 0, end.text);
    const statement = await shell.type(
      `remit sandbox statement --account ${account} --format camt053 --out statement.xml`,
    );
    assert.equal(statement.code, 0, statement.text);
    const witnessed = await shell.type(`remit reconcile --account ${account} --statement statement.xml`);
    assert.equal(witnessed.code, 0, witnessed.text);
    assert.match(witnessed.text, /as the bank states it/);
  });

  it('is not looked for any more after Ctrl-C while a long statement is read, of which nothing is kept', async () => {
    const {account} = await withReturn(shell);
    const rows = Array.from({length: 40_000}, (_, n) => `2026-11-01,Payment ${n},-${(n % 900) + 1}.17,USD`);
    writeFileSync(
      join(shell.folder, 'long.csv'),
      `booking_date,text,amount,currency_code\n${rows.join('\n')}\n`,
    );
    const line = `remit reconcile --account ${account} --statement long.csv`;
    const stopped = await shell.type(
      `${line} --from 2026-11-01 --to 2026-11-01 2>words & until grep -q '^1000 lines' words; do sleep 0.1; done; kill -INT $!; wait $!; code=$?; cat words; (exit $code)`,
    );
    assert.equal(stopped.code, 130, stopped.text);
    assert.match(stopped.text, /^Error: interrupted$/m);
    const read = await shell.type('remit reconcile statements --json');
    assert.match(read.text, /^\[\]$/m);
  });
});
