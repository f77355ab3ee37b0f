import {must} from '../../narrow.ts';
import {bookLine, toBankTransaction} from '../ledger/bank-lines.ts';
import type {Handler} from './handler.ts';
import {post} from '../ledger/ledger.ts';
import {storedPage} from './paging.ts';
import {text} from '../base/rows.ts';
import {ServiceError, invalid} from '../base/service-error.ts';
import {findAccount, fundsOfAccount, toBalance, toTreasuryAccount} from '../ledger/treasury-account.ts';

const accounts: Handler<'treasury.accounts'> = ({entity, query}, {store}) =>
  storedPage(store, query, {
    ...{name: 'treasury-accounts', select: 'select * from treasury_accounts'},
    ...{where: [['entity_id = ?', entity.id]], toRecord: toTreasuryAccount},
  });

const balance: Handler<'treasury.balance'> = ({entity, params}, {store}) =>
  store.read(async (queries) => ({
    status: 200,
    body: toBalance(await findAccount(queries, entity.id, params.account_id)),
  }));

const transactions: Handler<'treasury.transactions'> = ({entity, params, query}, {store}) =>
  storedPage(store, query, {
    name: `transactions of ${params.account_id}`,
    select: 'select * from bank_transactions',
    ...{where: [['account_id = ?', params.account_id]], also: 'reported_ms is not null'},
    toRecord: toBankTransaction,
    check: (queries) => findAccount(queries, entity.id, params.account_id),
  });

/** Assumption 22. */
const updateLabel: Handler<'treasury.updateLabel'> = ({entity, params, body}, {store}) =>
  store.write(async (queries) => {
    await queries.run('update treasury_accounts set label = ? where entity_id = ? and id = ?', [
      body.label,
      entity.id,
      params.account_id,
    ]);
    return {status: 200, body: toTreasuryAccount(await findAccount(queries, entity.id, params.account_id))};
  });

/** Interface document, "Treasury": test entities with SIM accounts only; assumption 29. */
const simulateInboundCredit: Handler<'treasury.simulateInboundCredit'> = ({entity, params, body}, context) =>
  context.store.write(async (queries) => {
    const account = await findAccount(queries, entity.id, params.account_id);
    if (entity.mode !== 'test')
      throw new ServiceError(
        'AUTHORIZATION_ERROR',
        'inbound credits can be simulated only for test entities',
      );
    if (text(account, 'type') !== 'SIM')
      throw invalid('account_id', 'is not a SIM account; only SIM accounts accept simulated credits');
    const currency = text(account, 'currency_code');
    if ((body.currency_code ?? currency) !== currency)
      throw invalid('currency_code', `is not that of the account, ${currency}`);
    const now = context.clock.now();
    const credit = {
      entityId: entity.id,
      amount: body.amount_in_minor_units,
      subject: 'inbound_credit',
      subjectId: context.ids.next(now),
      atMs: now,
    };
    const funds = fundsOfAccount(account);
    if (!(await post(queries, context, {...credit, from: 'external', to: funds})))
      throw invalid('amount_in_minor_units', 'is more than the sandbox can hold');
    const from = body.counterparty_name === undefined ? '' : ` from ${body.counterparty_name}`;
    const line = await bookLine(queries, context, {
      ...credit,
      funds,
      direction: 'credit',
      description: body.description ?? `Inbound credit${from}`,
    });
    return {status: 201, body: toBankTransaction(must(line, 'line of a treasury account'))};
  });

export const treasuryHandlers = {accounts, balance, transactions, updateLabel, simulateInboundCredit};
