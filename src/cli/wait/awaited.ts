import type {Lifecycle} from '../../contract/lifecycle.ts';
import type {CommandBuilder} from '../../errors.ts';
import type {View} from '../../output/records/view.ts';
import type {Context} from '../core/context.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** How a read is limited. */
export interface ReadLimits {
  retries?: number;
  totalMs?: number;
}

/** A kind of record that takes time, and how it is read. */
export interface AwaitedKind {
  /** Its name in a service file. */
  readonly resource: 'payins' | 'payouts' | 'moves' | 'accountTransfers';
  /** Of its commands. */
  readonly topic: 'payins' | 'payouts' | 'moves' | 'transfers';
  readonly noun: 'payin' | 'payout' | 'move' | 'account transfer';
  readonly view: View;
  readonly lifecycle: Lifecycle;
  /** Absent if it has no `wait`, because an approval settles it at once. */
  readonly waits?: {
    /** What to read after a failure. */
    readonly repair: (commands: CommandBuilder, record: ServiceRecord) => string | undefined;
    /** Reads several of them together. Absent: each is read by itself. */
    readonly readTogether?: (context: Context) => (id: string) => Promise<ServiceRecord>;
  };
  /** As the service answers it. */
  readonly read: (context: Context, id: string, limits?: ReadLimits) => Promise<ServiceRecord>;
}
