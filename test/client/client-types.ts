/** Never run: `npm run types` checks that the methods take and give what the contract says, and nothing else. */
import type {RemitClient, Result} from '../../src/library/index.ts';

export async function typed(client: RemitClient): Promise<unknown[]> {
  const {data} = await client.payouts.create(
    {payee_id: 'x', amount_in_minor_units: 1, rail: 'wire'},
    {idempotencyKey: 'k'},
  );
  const known: [string, number, Record<string, string>] = [
    data.status,
    data.amount_in_minor_units,
    data.client_metadata,
  ];
  const none: Result<null> = await client.payeePaymentMethods.delete({payee_id: 'a', payment_method_id: 'b'});
  const seen: unknown[] = [known, none, data.unknownFields['a_field_of_tomorrow']];
  for await (const payout of client.payouts.list({status: 'created', order: 'asc'}, {limit: 5}))
    seen.push(payout.payee_id);
  for await (const method of client.payerPaymentMethods.list({payer_id: 'x'})) seen.push(method.last4);
  seen.push((await client.wait('payins', {id: 'x'})).record?.payer_id);
  const {data: move} = await client.moves.approve({move_id: 'x'});
  const warned: [string, string | undefined] = [move.data.status, move.warning];
  const created = await client.webhookEndpoints.create({url: 'x', event_types: ['payout.settled']});
  const secret: string = created.data.signing_secret;
  seen.push(warned, secret, (await client.eventTypes.list()).data.data[0]?.type);
  for await (const line of client.treasury.transactions({account_id: 'x'})) seen.push(line.direction);
  for await (const one of client.accountTransfers.list({status: 'failed'})) seen.push(one.failure_reason);
  // A rail of tomorrow can be sent: which there are is the service's business.
  await client.accountTransfers.create({
    source_account_id: 'a',
    destination_account_id: 'b',
    amount_in_minor_units: 1,
    currency_code: 'USD',
    rail: 'fednow',
  });
  // @ts-expect-error the path names it move_id
  await client.moves.get({id: 'x'});
  const readable: 'get' extends keyof RemitClient['accountTransfers'] ? true : false = false; // none is documented
  seen.push(readable);

  // @ts-expect-error no such status
  await client.wait('payouts', {id: 'x'}, {until: 'Settled'});
  // @ts-expect-error no such rail
  await client.payouts.create({payee_id: 'x', amount_in_minor_units: 1, rail: 'pigeon'});
  // @ts-expect-error a payout goes to a payee
  await client.payouts.create({payer_id: 'x', amount_in_minor_units: 1});
  // @ts-expect-error approve takes no idempotency key
  await client.payouts.approve({id: 'x'}, {idempotencyKey: 'k'});
  // @ts-expect-error whose method it is must be said
  await client.payeePaymentMethods.delete({id: 'b'});
  // @ts-expect-error a payout has an amount
  await client.payouts.create({payee_id: 'x'});
  await client.payouts.create({payee_id: 'x', amount_in_cents: 1});
  // @ts-expect-error a payin has an amount
  await client.payins.create({payer_id: 'x', auto_approve: true});
  // @ts-expect-error no such event type
  await client.webhookEndpoints.create({url: 'x', event_types: ['payout.setled']});
  // @ts-expect-error no such field
  seen.push(data.amount_in_minor_unit);
  // @ts-expect-error no such field in a list
  for await (const payout of client.payouts.list()) seen.push(payout.payeeId);
  // @ts-expect-error payouts are not listed by payer
  client.payouts.list({payer_id: 'x'});
  return seen;
}
