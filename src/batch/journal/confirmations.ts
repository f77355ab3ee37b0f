import type {Acknowledged, RecordedConfirmation} from './facts.ts';
import type {Journal} from './journal.ts';
import type {Plan} from '../model/plan-facts.ts';

/** Only the newest confirmations are kept; no batch is confirmed more often than this. */
const KEPT = 100;

export function noteConfirmation(journal: Journal, confirmation: RecordedConfirmation): void {
  journal.setFact('confirmations', [...readConfirmations(journal), confirmation].slice(-KEPT));
}

export const readConfirmations = (journal: Journal): RecordedConfirmation[] =>
  journal.fact('confirmations') ?? [];

export const readAcknowledged = (journal: Journal, plan: Plan): Acknowledged | undefined => {
  const kept = journal.fact('acknowledged');
  return kept?.planHash === plan.planHash ? kept : undefined;
};

export const keepAcknowledged = (journal: Journal, acknowledged: Acknowledged): void =>
  journal.setFact('acknowledged', acknowledged);
