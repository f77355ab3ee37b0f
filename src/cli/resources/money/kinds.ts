import type {OperationId} from '../../../contract/operations/operations.ts';
import {firstPart} from '../../../service/paths.ts';
import {ACCOUNT_TRANSFER} from './account-transfers.ts';
import type {MoneyKind} from './money-kind.ts';
import {MOVE} from './moves.ts';
import {PAYIN, PAYOUT} from './transfer-kinds.ts';

const KINDS: readonly MoneyKind[] = [PAYIN, PAYOUT, MOVE, ACCOUNT_TRANSFER];

/** The kind of record that an operation creates, approves or cancels. */
export const moneyKindOf = (operation: OperationId | undefined): MoneyKind | undefined =>
  operation !== undefined && /\.(create|approve|cancel)$/.test(operation)
    ? KINDS.find(({resource}) => resource === firstPart(operation))
    : undefined;
