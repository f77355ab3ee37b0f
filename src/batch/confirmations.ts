import type {Journal} from './journal.ts';

/** Who set a batch going, when, and for what: the trail of a batch, kept across revisions. */
export interface Confirmation {
  planHash: string;
  revision: number;
  /** `pay`, `collect`, `stage`, `release`, `resume` or `retry`. */
  doing: string;
  /** False when an earlier confirmation of the same plan was enough. */
  asked: boolean;
  at: number;
  /** The user's name on the machine, as the environment has it: evidence, not proof. */
  by: string | null;
  profile: string | null;
}

/** The last ones are kept; a batch is not confirmed more often than that by anybody. */
const KEPT = 100;

export function noteConfirmation(journal: Journal, confirmation: Confirmation): void {
  journal.setMeta('confirmations', [...readConfirmations(journal), confirmation].slice(-KEPT));
}

export const readConfirmations = (journal: Journal): Confirmation[] =>
  journal.meta<Confirmation[]>('confirmations') ?? [];
