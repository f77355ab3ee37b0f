import type {Journal} from './journal.ts';
import type {Plan} from '../model/plan-facts.ts';

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

/**
 * The duplicates that were acknowledged for a plan: kept with it, so that a release does not ask again for what was
 * acknowledged when it was staged. What other batches have claimed since is not among them.
 */
export interface Acknowledged {
  planHash: string;
  /** Of the plan and of other batches, as stated then. */
  duplicates: number;
  similar: number;
  at: number;
}

export const readAcknowledged = (journal: Journal, plan: Plan): Acknowledged | undefined => {
  const kept = journal.meta<Acknowledged>('acknowledged');
  return kept?.planHash === plan.planHash ? kept : undefined;
};

export const keepAcknowledged = (journal: Journal, acknowledged: Acknowledged): void =>
  journal.setMeta('acknowledged', acknowledged);
