import type {OperationId} from '../../contract/operations/operations.ts';
import {PAYIN_RAILS, PAYOUT_RAILS} from '../../contract/rails.ts';

export type Kind = 'payout' | 'payin';
/**
 * The differences between a batch of payouts and one of payins. `party` and `method` are the wire names of the two
 * fields that differ; the rest of the engine is shared.
 */
export interface KindFacts {
  readonly kind: Kind;
  readonly topic: 'payouts' | 'payins';
  readonly party: 'payee_id' | 'payer_id';
  readonly method: 'override_default_payment_method_id' | 'payment_method_id';
  readonly rails: readonly string[];
  readonly operations: {
    readonly create: OperationId;
    readonly get: OperationId;
    readonly list: OperationId;
    readonly approve: OperationId;
    readonly cancel: OperationId;
  };
  /** Column of the results file that contains the id of the record. */
  readonly idColumn: 'payout_id' | 'payin_id';
}

export const KINDS: Readonly<Record<Kind, KindFacts>> = {
  payout: {
    kind: 'payout',
    topic: 'payouts',
    party: 'payee_id',
    method: 'override_default_payment_method_id',
    rails: PAYOUT_RAILS,
    operations: {
      create: 'payouts.create',
      get: 'payouts.get',
      list: 'payouts.list',
      approve: 'payouts.approve',
      cancel: 'payouts.cancel',
    },
    idColumn: 'payout_id',
  },
  payin: {
    kind: 'payin',
    topic: 'payins',
    party: 'payer_id',
    method: 'payment_method_id',
    rails: PAYIN_RAILS,
    operations: {
      create: 'payins.create',
      get: 'payins.get',
      list: 'payins.list',
      approve: 'payins.approve',
      cancel: 'payins.cancel',
    },
    idColumn: 'payin_id',
  },
};
