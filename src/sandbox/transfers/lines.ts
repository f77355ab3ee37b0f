import type {TransferStatus} from '../../contract/lifecycle.ts';
import type {Queries} from '../../store/port/port.ts';
import {bookLine} from '../ledger/bank-lines.ts';
import type {SandboxContext} from '../world/context.ts';
import {subaccountFunds, type FundsId} from '../ledger/ledger.ts';
import type {Transfer, TransferKind} from '../records/transfer.ts';

/** The source or destination of the money of a payin or payout. */
export const fundsOf = ({subaccountId}: Transfer): FundsId =>
  subaccountId === null ? 'main' : subaccountFunds(subaccountId);

/** Steps that the bank reports, from its point of view: money left, arrived, or was returned. */
const LINES: Record<
  TransferKind,
  Partial<Record<`${TransferStatus}>${TransferStatus}`, 'credit' | 'debit'>>
> = {
  payout: {'initiated>debited': 'debit', 'debited>failed': 'credit'},
  payin: {'debited>settled': 'credit'},
};

/** The bank's line about the step that a transfer has just taken, if it concerns the main account. */
export async function bookTransfer(
  queries: Queries,
  context: SandboxContext,
  transfer: Transfer,
  from: TransferStatus,
): Promise<void> {
  const {kind, id, status, entityId, amount, statusMs: atMs} = transfer;
  const direction = LINES[kind][`${from}>${status}`];
  if (direction === undefined || transfer.subaccountId !== null) return;
  await bookLine(queries, context, {
    entityId,
    funds: 'main',
    direction,
    amount,
    description: `${status === 'failed' ? 'Return of ' : ''}${kind} ${id} by ${transfer.rail}`,
    subject: kind,
    subjectId: id,
    atMs,
  });
}
