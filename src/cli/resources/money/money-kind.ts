import type {Context} from '../../core/context.ts';
import type {WriteDetails} from '../../guard/facts.ts';
import type {AwaitedKind} from '../../wait/awaited.ts';
import type {ServiceRecord} from '../../../client/answers/record.ts';

export type ApproveOrCancel = 'approve' | 'cancel';

/** A kind of record that moves money: it is created and approved, and then takes its course. */
export interface MoneyKind extends AwaitedKind {
  /** The name of its id in a path. */
  readonly idParam: 'id' | 'move_id' | 'account_transfer_id';
  /** The facts in the confirmation of a live write. */
  readonly details: (context: Context, verb: ApproveOrCancel, record: ServiceRecord) => Promise<WriteDetails>;
  /** Says more about an approval or cancellation that was refused. */
  readonly explain?: (
    context: Context,
    verb: ApproveOrCancel,
    id: string,
    error: unknown,
  ) => Promise<unknown>;
}

/** A payin or payout: the interface document describes the two in parallel. */
export interface PayinOrPayout extends MoneyKind {
  readonly resource: 'payins' | 'payouts';
  readonly noun: 'payin' | 'payout';
  readonly partyLabel: 'payer' | 'payee';
  readonly partyField: 'payer_id' | 'payee_id';
}

/** A kind whose money goes from one account of ours to another; no idempotency key is documented for its create. */
export interface BetweenKind extends MoneyKind {
  readonly resource: 'moves' | 'accountTransfers';
  readonly sourceField: string;
  readonly destinationField: string;
  /** What the money moves between, as errors name it. */
  readonly accountNoun: 'subaccount' | 'treasury account';
  /** The same in the confirmation. */
  readonly partyLabel: 'subaccount' | 'account';
  /** In sentences, before the source. */
  readonly sourceLabel: string;
  /** The list in which a record without an answer is looked for. */
  readonly listWords: (source: string) => readonly string[];
  readonly createDetails: (context: Context, body: ServiceRecord) => Promise<WriteDetails>;
}
