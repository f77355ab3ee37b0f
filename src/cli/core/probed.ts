import type {OperationId} from '../../contract/operations/operations.ts';

/** The writes that `doctor --probe-writes` sends, in more than one form if the first is refused. */
export const PROBED: readonly OperationId[] = [
  ...(['payouts.create', 'payouts.cancel', 'payouts.approve'] as const),
  ...(['payins.create', 'payins.cancel', 'payins.approve'] as const),
  ...(['payees.create', 'moves.create'] as const),
];
