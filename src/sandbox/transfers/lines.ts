import type {TransferStatus} from '../../contract/lifecycle.ts';
import {isObject} from '../../narrow.ts';
import type {Queries} from '../../store/port/port.ts';
import {bookLine} from '../ledger/bank-lines.ts';
import type {SandboxContext} from '../world/context.ts';
import {subaccountFunds, type FundsId} from '../ledger/ledger.ts';
import type {Transfer, TransferKind} from '../records/transfer.ts';

/** The source or destination of the money of a payin or payout. */
export const fundsOf = ({subaccountId}: Transfer): FundsId =>
  subaccountId === null ? 'main' : subaccountFunds(subaccountId);

/** The number under which the bank knows a payout. It does not tell one of a payin. */
export function traceOf({details}: Transfer): string | undefined {
  const trace = details?.['trace_number'] ?? details?.['end_to_end_id'];
  return typeof trace === 'string' ? trace : undefined;
}

function failureCode({details}: Transfer): string | undefined {
  const failure = details?.['failure'];
  return isObject(failure) && typeof failure['code'] === 'string' ? failure['code'] : undefined;
}

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
  const {kind, id, status, entityId, amount, statusMs: atMs, rail} = transfer;
  const direction = LINES[kind][`${from}>${status}`];
  if (direction === undefined || transfer.subaccountId !== null) return;
  const isReturn = status === 'failed';
  await bookLine(queries, context, {
    entityId,
    funds: 'main',
    direction,
    amount,
    description: `${isReturn ? 'Return of ' : ''}${kind} ${id} by ${rail}`,
    trace: traceOf(transfer),
    returnCode: isReturn ? failureCode(transfer) : undefined,
    achFile: rail.endsWith('_ach') && !isReturn ? rail : undefined,
    subject: kind,
    subjectId: id,
    atMs,
  });
}
