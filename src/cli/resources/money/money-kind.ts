import type {JsonFields} from '../../../narrow.ts';
import type {Named} from '../../ask/name-search.ts';
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
  readonly creates: MoneyCreate;
}

/** How a record of a kind is created. */
interface MoneyCreate {
  /** The operation takes an idempotency key. */
  readonly takesKey: boolean;
  /** The fields that contain ids, and what these name. */
  readonly ids: Readonly<Record<string, Named>>;
  /** The field of the party or destination, and its label in the confirmation. */
  readonly partyField: string;
  readonly partyLabel: string;
  /** Of a record whose money goes from one account of ours to another; `sourceLabel` stands before it in sentences. */
  readonly sourceField?: string;
  readonly sourceLabel?: string;
  readonly details: (context: Context, body: JsonFields) => Promise<WriteDetails>;
  /** The list in which a record without an answer is looked for. */
  readonly listWords: (source: string | null) => readonly string[];
  /** Says more about a create that was refused. */
  readonly explain?: (context: Context, body: JsonFields, error: unknown) => Promise<unknown>;
}

/** A payin or payout: the interface document describes the two in parallel. */
export interface PayinOrPayout extends MoneyKind {
  readonly resource: 'payins' | 'payouts';
  readonly noun: 'payin' | 'payout';
  readonly partyLabel: 'payer' | 'payee';
  readonly partyField: 'payer_id' | 'payee_id';
}
