import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {scratch} from '../cli/run-cli.ts';
import {ACCOUNT, CARD, SIGNING_SECRET} from '../sanitize/canaries.ts';
import {ID} from './hostile-service.ts';

/** `--yes`: the service may show a payment like it, about which a terminal asks. */
const PAY = ['--amount', '125.00', '--currency', 'USD', '--yes'];
const OTHER_ID = ID.replace(/1$/, '2');
const LEAKING_BODY = {
  accountNumber: ACCOUNT,
  acct: ACCOUNT,
  bank_account: {number: ACCOUNT},
  cardNumber: CARD,
  secret: SIGNING_SECRET,
};

/** An import of one party, whose results nobody reads. */
function importOf(): readonly string[] {
  const file = join(scratch(), 'parties.csv');
  writeFileSync(file, `reference,name,account_number,routing_number\nS-1,Acme,${ACCOUNT},021000021\n`);
  return [file, '--out', '/dev/null', '--yes'];
}

/** How each command that calls the service is typed: by the tests of secrets, and by those of hostile text. */
export const SERVICE_CALLS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  doctor: [[], ['--probe-writes']],
  api: [
    ['GET', `/api/payouts?account_number=${ACCOUNT}&card=${CARD}`],
    ['POST', '/api/unknown', '--data', JSON.stringify(LEAKING_BODY)],
    ['POST', '/api/unknown', '--data', JSON.stringify(LEAKING_BODY), '--dry-run'],
    ['POST', '/api/unknown', '--data', JSON.stringify(LEAKING_BODY), '--dry-run', '--curl'],
    ['GET', '/api/unknown', '--paginate'],
  ],
  'moves:approve': [[ID]],
  'moves:create': [['--source', ID, '--destination', ID, ...PAY]],
  'moves:get': [[ID]],
  'moves:list': [[]],
  'payees:create': [['--name', 'Acme', '--type', 'business']],
  'payees:get': [[ID]],
  'payees:import': [importOf(), [...importOf(), '--wait', '--timeout', '3s']],
  'payees:list': [[], ['--all']],
  'payees:update': [[ID, '--name', 'Acme']],
  'payers:create': [['--name', 'Acme', '--type', 'business']],
  'payers:get': [[ID]],
  'payers:import': [importOf()],
  'payers:list': [[]],
  'payers:update': [[ID, '--name', 'Acme']],
  'payins:approve': [[ID], [ID, '--wait', '--timeout', '3s']],
  'payins:cancel': [[ID]],
  'payins:create': [
    ['--payer', ID, ...PAY],
    ['--payer', ID, ...PAY, '--auto-approve', '--wait', '--timeout', '3s'],
  ],
  'payins:get': [[ID]],
  'payins:list': [[], ['--summary', '--limit', '5']],
  'payins:wait': [[ID, '--timeout', '3s']],
  'payment-methods:add': [
    [
      '--payee',
      ID,
      '--account-number',
      ACCOUNT,
      '--routing-number',
      '021000021',
      '--holder-name',
      'A',
      '--account-type',
      'checking',
    ],
    ['--payee', ID, '--type', 'card', '--card-number', CARD, '--exp-month', '1', '--exp-year', '2030'],
  ],
  'payment-methods:delete': [[ID, '--payee', ID]],
  'payment-methods:list': [['--payee', ID]],
  'payment-methods:set-default': [[ID, '--payer', ID]],
  reconcile: [['--account', ID]],
  'payouts:approve': [[ID], [ID, '--wait', '--timeout', '3s']],
  'payouts:cancel': [[ID]],
  'payouts:create': [
    ['--payee', ID, ...PAY],
    ['--payee', ID, ...PAY, '--auto-approve', '--wait', '--timeout', '3s'],
  ],
  'payouts:get': [[ID]],
  'payouts:list': [[], ['--all'], ['--summary', '--limit', '5']],
  'payouts:wait': [
    [ID, '--timeout', '3s'],
    [ID, '--until', 'debited', '--timeout', '3s'],
    [ID, OTHER_ID, '--timeout', '3s'],
  ],
  'profiles:test': [[]],
  'subaccounts:create': [['--name', 'Rent']],
  'subaccounts:get': [[ID]],
  'subaccounts:list': [[]],
  'transfers:approve': [[ID]],
  'transfers:create': [['--source', ID, '--destination', ID, ...PAY, '--rail', 'book']],
  'transfers:get': [[ID]],
  'transfers:list': [[]],
  'transfers:wait': [[ID, '--timeout', '3s']],
  'treasury:accounts': [[]],
  'treasury:accounts:get': [[ID]],
  'treasury:accounts:list': [[]],
  'treasury:balance': [[ID], [ID, '--history', '--days', '3', '--html', 'balance.html']],
  'treasury:label': [[ID, 'Text']],
  'treasury:simulate-credit': [[ID, ...PAY]],
  'treasury:transactions': [[ID]],
  'webhooks:endpoints:create': [
    ['--url', 'https://example.com/h', '--event-types', 'payout.settled', '--secret-file', 'hook.secret'],
  ],
  'webhooks:endpoints:delete': [[ID]],
  'webhooks:endpoints:disable': [[ID]],
  'webhooks:endpoints:enable': [[ID]],
  'webhooks:endpoints:get': [[ID]],
  'webhooks:endpoints:list': [[]],
  'webhooks:endpoints:rotate': [[ID, '--secret-file', 'hook.secret', '--confirmed', '--yes']],
  'webhooks:endpoints:update': [[ID, '--description', 'x']],
  'webhooks:event-types': [[]],
  whoami: [[]],
};
