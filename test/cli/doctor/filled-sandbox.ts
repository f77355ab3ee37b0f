import {RemitClient} from '../../../src/client/client.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {BANK_ACCOUNT} from '../../client/bank-account.ts';
import {SandboxService} from '../../commands/sandbox-service.ts';
import {BASE_URL} from '../run-cli.ts';

/** A sandbox that speaks a dialect, refuses every other form, and has two records of each kind. */
export async function filledSandbox(dialect: ServiceFile): Promise<SandboxService> {
  const service = await SandboxService.open({service: dialect});
  const {testKey: key, clock, sandbox} = service;
  const client = new RemitClient({baseUrl: BASE_URL, key, transport: service, clock, service: dialect});
  const metadata = {a: 'b'};
  const money = {amount_in_minor_units: 12_550, currency_code: 'USD', metadata};
  for (const name of ['Acme', 'Zenith']) {
    const {data: payee} = await client.payees.create({name});
    const {data: payer} = await client.payers.create({name});
    const {data: added} = await client.payeePaymentMethods.add({payee_id: payee.id}, BANK_ACCOUNT);
    const {data: method} = await client.payerPaymentMethods.add({payer_id: payer.id}, BANK_ACCOUNT);
    sandbox.passVerification();
    await client.payeePaymentMethods.setDefault({payee_id: payee.id, payment_method_id: added.id});
    await client.payouts.create({...money, payee_id: payee.id});
    await client.payins.create({...money, payer_id: payer.id, payment_method_id: method.id});
    await client.subaccounts.create({name, currency_code: 'USD'});
    sandbox.clock.pass(5000);
  }
  const [source, destination] = await client.subaccounts.list().toArray();
  for (const amount_in_minor_units of [5, 1250])
    await client.moves.create({
      ...{source_subaccount_id: source!.id, destination_subaccount_id: destination!.id},
      ...{amount_in_minor_units, currency_code: 'USD'},
    });
  const [one, other] = await client.treasury.accounts().toArray();
  await client.accountTransfers.create({
    ...{source_account_id: one!.id, destination_account_id: other!.id},
    ...{amount_in_minor_units: 700, currency_code: 'USD', rail: 'book'},
  });
  await client.webhookEndpoints.create({url: 'https://example.com/hook', event_types: ['payout.settled']});
  return service;
}
