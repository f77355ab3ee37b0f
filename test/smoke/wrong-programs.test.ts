import assert from 'node:assert/strict';
import {before, describe, it} from 'mocha';
import {installPackage, linkPackages, typeCheck} from './installed-package.ts';

const GIVEN = `
import {RemitClient} from 'remit-cli';
import {Batches} from 'remit-cli/batch';
import {startSandbox} from 'remit-cli/sandbox';
import {parseEvent, verifyWebhook} from 'remit-cli/webhooks';
export const client = new RemitClient({baseUrl: 'https://example.com', key: 'test_a'});
export const batches = new Batches({baseUrl: 'https://example.com', key: 'test_a'});
export const sandbox = await startSandbox();
export const event = parseEvent(new Uint8Array());
export {RemitClient, Batches, startSandbox, verifyWebhook};
`;

/** Each must be refused by the compiler. */
const WRONG: Readonly<Record<string, string>> = {
  'a client without a key': `new RemitClient({baseUrl: 'https://example.com'});`,
  'a misspelt option of the client': `new RemitClient({baseUrl: 'a', key: 'test_a', retry: 1});`,
  'a payout without an amount': `await client.payouts.create({payee_id: 'p'});`,
  'a payin without an amount': `await client.payins.create({payer_id: 'p', auto_approve: true});`,
  'a misspelt event type': `await client.webhookEndpoints.create({url: 'u', event_types: ['payout.setled']});`,
  'a misspelt field of an answer': `(await client.payouts.get({id: 'p'})).data.amount_in_minor_unit;`,
  'a misspelt field of an item': `for await (const payout of client.payouts.list()) payout.payeeId;`,
  'an unknown field as a known one': `(await client.payouts.get({id: 'p'})).data.of_tomorrow;`,
  'a hint, which is an option of ours': `await client.payouts.get({id: 'p'}, {hint: 'h'});`,
  'a record id, which is an option of ours': `await client.payouts.approve({id: 'p'}, {recordId: 'p'});`,
  'a fresh key, which is an option of ours': `await client.payouts.create({payee_id: 'p', amount_in_minor_units: 1}, {isFreshKey: true});`,
  'a sanitizer, which is an option of ours': `new RemitClient({baseUrl: 'a', key: 'test_a', sanitizer: undefined});`,
  'a payout without a payee': `await client.payouts.create({amount_in_minor_units: 1});`,
  'an amount as text': `await client.payouts.create({payee_id: 'p', amount_in_minor_units: '1'});`,
  'a misspelt field': `await client.payouts.create({payee_id: 'p', amount_in_minor_units: 1, auto_aprove: true});`,
  'an unknown rail': `await client.payouts.create({payee_id: 'p', amount_in_minor_units: 1, rail: 'pigeon'});`,
  'a list of an unknown status': `client.payouts.list({status: 'lost'});`,
  'a wait for an unknown status': `await client.wait('payouts', {id: 'p'}, {until: 'lost'});`,
  'an id of the wrong name': `await client.payouts.get({payout_id: 'p'});`,
  'an unknown kind of fault': `await sandbox.addFault({effect: {kind: 'stale_timestamp'}});`,
  'a fault without its time': `await sandbox.addFault({effect: {kind: 'latency'}});`,
  'a fault of an unknown operation': `await sandbox.addFault({match: {operation: 'payout.create'}, effect: {kind: 'cut'}});`,
  'deliveries of an unknown event type': `await sandbox.deliveries({event: 'payout.setled'});`,
  'an unknown scenario': `sandbox.scenario('stuck');`,
  'an unknown timing': `await startSandbox({timing: 'slow'});`,
  'a run that states no figures': `await batches.run('a', {});`,
  'rows without a currency': `await batches.plan({id: 'a', rows: [{reference: 'r', payee_id: 'p', amount: '1.00'}]});`,
  'rows without an amount': `await batches.plan({id: 'a', rows: [{reference: 'r', payee_id: 'p', currency_code: 'USD'}]});`,
  'rows without a party': `await batches.plan({id: 'a', rows: [{reference: 'r', amount: '1.00', currency_code: 'USD'}]});`,
  'rows with two amounts': `await batches.plan({id: 'a', rows: [{reference: 'r', payee_id: 'p', currency_code: 'USD', amount: '1.00', amount_in_minor_units: 100}]});`,
  'rows with two parties': `await batches.plan({id: 'a', rows: [{reference: 'r', payee_id: 'p', payer_id: 'q', currency_code: 'USD', amount: '1.00'}]});`,
  'metadata that is text': `await client.payouts.create({payee_id: 'p', amount_in_minor_units: 1, metadata: 'x'});`,
  'metadata with a number': `await client.payins.create({payer_id: 'p', amount_in_minor_units: 1, metadata: {a: 1}});`,
  'payout metadata that is a list': `await client.payouts.create({payee_id: 'p', amount_in_minor_units: 1, payout_metadata: [1, 2]});`,
  'metadata of a payee that is text': `await client.payees.create({name: 'n', email: 'e', type: 'individual', metadata: 'x'});`,
  'metadata of a payer with a number': `await client.payers.create({name: 'n', email: 'e', type: 'individual', metadata: {a: 1}});`,
  'an unknown outcome': `await sandbox.simulate({kind: 'payout', id: 'p', outcome: 'setle'});`,
  'an outcome of another kind': `await sandbox.simulate({kind: 'subaccount', id: 'p', outcome: 'settle'});`,
  'two ways to advance': `await sandbox.advance({ms: 1, until: 'idle'});`,
  'a route of an unknown operation': `new RemitClient({baseUrl: 'a', key: 'test_a', service: {routes: {'payout.create': 'POST /a'}}});`,
  'a body of an unknown operation': `new RemitClient({baseUrl: 'a', key: 'test_a', service: {bodies: {'payout.approve': 'none'}}});`,
  'an unknown method': `await client.request('FETCH', '/api/payouts');`,
  'a preview of an unknown method': `client.previewRequest('FETCH', '/api/payouts');`,
  'a field of another event': `if (event?.type === 'payout.settled') event.data.payin_id;`,
  'a misspelt field of an event': `if (event?.type === 'subaccount.credit_received') event.data.amount;`,
  'an unknown field of an event as a known one': `if (event?.type === 'payout.settled') event.data.of_tomorrow;`,
  'text instead of the raw body': `verifyWebhook({body: '{}', headers: {}, secrets: 'a'});`,
};

describe('the types of the packed library', function () {
  this.timeout(240_000);
  let app: string;
  before(() => {
    ({app} = installPackage());
    linkPackages(app, ['@types/node']);
  });

  it('refuse wrong programs', () => {
    const programs = Object.entries(WRONG).map(([, code], index): [string, string] => [
      `wrong-${index}.mts`,
      `import {${/\b(RemitClient|startSandbox|verifyWebhook|client|batches|sandbox|event)\b/.exec(code)![0]}} from './given.mjs';
${code}\n`,
    ]);
    const options = {module: 'nodenext', moduleResolution: 'nodenext', lib: ['es2022'], skipLibCheck: true};
    const printed = typeCheck(app, {'given.mts': GIVEN, ...Object.fromEntries(programs)}, options);
    assert.doesNotMatch(printed, /^given\.mts/m);
    const accepted = Object.keys(WRONG).filter(
      (_, index) => !new RegExp(`^wrong-${index}\\.mts\\(2,`, 'm').test(printed),
    );
    assert.deepEqual(accepted, [], printed);
  });
});
