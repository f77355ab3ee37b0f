import assert from 'node:assert/strict';
import {readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {describe, it} from 'mocha';
import {openSqlite} from '../../../src/store/sqlite/sqlite.ts';
import {ImportDesk} from './import-desk.ts';

const FIRST = {
  ...{name: 'Supplier', type: 'business', email: 'old@example.com', country: 'US', currency: 'USD'},
  ...{holder_name: 'Supplier Holding', account_type: 'savings', account_number: '987654321'},
  ...{routing_number: '021000021', card_number: '', exp_month: '', exp_year: ''},
};
type Cells = Partial<typeof FIRST>;

/** Eight payees, which are more than a page of the list; the changes are those of the fifth. */
class ChangedDesk extends ImportDesk {
  rows(changes: Cells = {}): void {
    const columns = Object.keys(FIRST) as (keyof typeof FIRST)[];
    const lines = Array.from({length: 8}, (_, n) => {
      const row = {...FIRST, name: `Supplier ${n}`, ...(n === 4 ? changes : {})};
      return [`S-${n}`, ...columns.map((column) => row[column])].join(',');
    });
    writeFileSync(this.file, `${['reference', ...columns].join(',')}\n${lines.join('\n')}\n`);
  }

  get posts(): number {
    return this.parties.sent.filter(({method}) => method === 'POST').length;
  }
}

describe('payees import of a row that has changed', () => {
  let desk: ChangedDesk;
  beforeEach(async () => {
    desk = new ChangedDesk();
    desk.rows();
    assert.equal((await desk.go()).exit, 0);
  });

  const card = {account_number: '', routing_number: '', account_type: '', holder_name: ''};
  const BANK = 'the bank account …4321 (US 021000021)';
  for (const [column, changes, before, now, change] of [
    ['name', {name: 'Other Ltd'}, 'Supplier 4', 'Other Ltd', "update ID --name 'Other Ltd'"],
    [
      'email',
      {email: 'new@example.com'},
      FIRST.email,
      'new@example.com',
      'update ID --email new@example.com',
    ],
    ['email', {email: ''}, FIRST.email, 'none', undefined],
    ['type', {type: 'individual'}, 'business', 'individual', 'update ID --type individual'],
    ['holder_name', {holder_name: 'Other Ltd'}, 'Supplier Holding', 'Other Ltd', 'add'],
    ['holder_name', {holder_name: ''}, 'Supplier Holding', 'none', 'add'],
    ['account_type', {account_type: 'checking'}, 'savings', 'checking', 'add'],
    ['currency', {currency: 'CAD'}, 'USD', 'CAD', 'add'],
    ['account_number', {account_number: '987650000'}, BANK, 'the bank account …0000 (US 021000021)', 'add'],
    ['routing_number', {routing_number: '011401533'}, BANK, 'the bank account …4321 (US 011401533)', 'add'],
    [
      ...['card_number', {...card, card_number: '4242424242424242', exp_month: '4', exp_year: '2031'}],
      ...[BANK, 'the card …4242 (US 4/2031)', 'add'],
    ],
  ] as [string, Cells, string, string, string | undefined][])
    it(`names the ${column} in its line, and sends nothing: ${now}`, async () => {
      const sent = desk.posts;
      desk.rows(changes);
      for (const words of ['', '--dry-run']) {
        const ran = await desk.run(`${words} --json`);
        const {message, hint} = ran.error();
        assert.deepEqual([ran.exitCode, desk.posts], [5, sent], ran.stderr);
        const start = `line 6: ${column}: reference S-4 was imported with ${before}, and the row has ${now}`;
        assert.ok(
          message.includes(`a row differs from what was imported under the same reference:\n  ${start}`),
          message,
        );
        const id = desk.parties.named('S-4')[0]!.id;
        const command =
          change === 'add'
            ? `to add the account: remit payment-methods add --payee ${id}`
            : `to change it at the service: remit payees ${change?.replace('ID', id)}`;
        const advice = change === undefined ? 'otherwise restore the cell' : command;
        assert.equal(hint, `if it is another payee, give it a reference of its own; ${advice}`);
      }
    });

  it('names all columns of a row that differ, and changes them with one command', async () => {
    desk.rows({name: 'Other Ltd', email: 'new@example.com', account_number: '987650000'});
    const ran = await desk.run('--json');
    const {message, hint, details} = ran.error();
    const lines = details?.['changed'] as string[];
    assert.match(message, /: a row differs from/);
    assert.deepEqual(
      lines.map((line) => line.split(': ')[1]),
      ['name', 'email', 'account_number'],
    );
    assert.match(
      hint ?? '',
      / --name 'Other Ltd' --email new@example\.com; and 1 more difference, which is in the list above$/,
    );
  });

  it('accepts what was changed at the service too, in this run and the next', async () => {
    Object.assign(desk.parties.named('S-4')[0]!, {email: 'new@example.com', type: 'individual'});
    desk.rows({email: 'new@example.com', type: 'individual'});
    const sent = desk.posts;
    for (const words of ['', '', '--dry-run']) assert.equal((await desk.go(words)).exit, 0);
    assert.equal(desk.posts, sent);
  });

  it('does not compare a type that the row leaves to the service, or a holder that is the name', async () => {
    desk.rows({type: '', holder_name: 'Supplier Holding'});
    assert.equal((await desk.go()).exit, 0);
  });

  it('does not compare what an earlier version did not record', async () => {
    const names = readdirSync(desk.folder, {recursive: true}).map(String);
    const db = await openSqlite(
      join(
        desk.folder,
        names.find((name) => name.endsWith('imports.sqlite'))!,
      ),
      {
        durability: 'full',
      },
    );
    db.exec(
      'update parties set email = null, party_type = null, holder = null, currency = null, account_type = null',
    );
    db.close();
    desk.rows({email: 'new@example.com', holder_name: 'Other Ltd', account_type: 'checking'});
    const {exit, already} = await desk.go();
    assert.deepEqual([exit, already], [0, 8]);
  });

  it('sends an account with another holder once the first could not be verified', async () => {
    desk = new ChangedDesk();
    desk.rows();
    desk.parties.verification = 'failed';
    assert.equal((await desk.go()).exit, 8);
    desk.parties.verification = 'verified';
    const bodies = () =>
      desk.parties.sent.filter(({path, method}) => method === 'POST' && path.endsWith('/payment-methods'));
    const before = bodies().length;
    desk.rows({holder_name: 'Supplier 4'});
    assert.equal((await desk.go('--wait')).exit, 8, 'the other seven have failed');
    const added = bodies().slice(before);
    assert.equal(added.length, 1);
    assert.match(added[0]!.body, /"holder_name":"Supplier 4"/);
  });
});
