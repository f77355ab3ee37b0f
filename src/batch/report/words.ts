import {grouped} from '../../html/chart.ts';
import {canceledText, incompleteText} from '../standing/end-words.ts';
import type {CommandBuilder} from '../../errors.ts';
import {accepting} from '../model/accept.ts';
import type {Kind} from '../model/kinds.ts';
import type {Plan} from '../model/plan-facts.ts';
import {typingFor} from '../standing/next-command.ts';
import type {Bucket} from '../model/outcome.ts';
import {DIFFERING_FIELDS} from '../model/row-fields.ts';
import type {RowTrouble} from './data.ts';
import type {Summary} from '../standing/summary.ts';

/** The nouns of a batch, for readers who do not use the command line. */
interface Nouns {
  one: string;
  many: string;
  /** `paid`, `collected`. */
  done: string;
}

export const NOUNS: Readonly<Record<Kind, Nouns>> = {
  payout: {one: 'payout', many: 'payouts', done: 'paid'},
  payin: {one: 'payin', many: 'payins', done: 'collected'},
};

export const count = (n: number, one: string): string => `${grouped(n)} ${n === 1 ? one : `${one}s`}`;

/** The meaning of each bucket of the summary, for reconciliation. */
export const BUCKET_WORDS: Readonly<Record<Bucket, {label: string; meaning: string}>> = {
  accepted: {label: 'Accepted', meaning: 'approved by the service, or further'},
  already_paid: {
    label: 'Paid by another batch',
    meaning: 'the same reference was sent by another batch; skipped here, with the amounts of the rows',
  },
  staged: {label: 'Staged', meaning: 'created, not released; no money moves'},
  unapproved: {label: 'Not approved', meaning: 'created, but its approval failed; no money moves'},
  rejected: {label: 'Rejected', meaning: 'refused; no record exists'},
  conflict: {label: 'In conflict', meaning: 'not sent again; needs a decision'},
  in_doubt: {label: 'In doubt', meaning: 'sent, outcome unknown'},
  not_sent: {label: 'Not sent', meaning: 'not accepted by the service'},
};

/** `next`: what to do about it; words in backquotes are commands. */
export interface TroubleWords {
  label: string;
  meaning: string;
  next: string;
}

/** What is wrong with a row, and what to do. */
export function troubleWords(
  trouble: RowTrouble,
  plan: Pick<Plan, 'kind' | 'batchId'>,
  commands: CommandBuilder,
): TroubleWords {
  const {one, done} = NOUNS[plan.kind];
  const typing = typingFor(commands, plan);
  const type: typeof typing = (...words) => `\`${typing(...words)}\``;
  switch (trouble) {
    case 'in_doubt':
      return {
        label: 'In doubt',
        meaning: `Sent, but the outcome is unknown: it may have been ${done}.`,
        next: `Do not pay them by other means. ${type('resume')} clears up most of them. For one that stays in doubt, ask the service, then record the answer: ${type('resolve', 'REFERENCE', '--paid', 'ID')} or ${type('resolve', 'REFERENCE', '--not-paid')}.`,
      };
    case 'collision':
      return {
        label: 'Another record came back',
        meaning: `The service answered with a ${one} that differs from the row in party, amount or subaccount.`,
        next: 'Ask the service about its record before you send anything else for this reference.',
      };
    case 'failed':
      return {
        label: 'Failed',
        meaning: `Accepted by the service, then failed: it was not ${done}.`,
        next: `Fix the cause, then send them again with new keys: ${type('retry')}.`,
      };
    case 'returned':
      return {
        label: 'Returned by the bank',
        meaning: 'Accepted, then returned by the bank, as a reconcile found.',
        next: 'Fix the cause, such as a closed account. A retry does not send them. The file of failed rows has them with new references: correct it, and run it as a separate batch.',
      };
    case 'dead_key':
      return {
        label: 'Failed or canceled record',
        meaning: `The record of this reference was canceled or has failed, and was not ${done}; or the service refused the key and named no record, as the message says.`,
        next: `Where no record is known, look for a ${one} with this reference first, and record one that was ${done}: ${type('resolve', 'REFERENCE', '--paid', 'ID')}. If one should still be ${done}: ${type('retry', '--row', 'REFERENCE')}.`,
      };
    case 'conflict':
      return {
        label: 'Reference used elsewhere',
        meaning:
          'Another batch uses this reference for a different payment, or has not finished it. This batch did not send it.',
        next: 'Compare it with the other batch first. If the payment there replaces this row, nothing is left to do: a new reference would be a second payment.',
      };
    case 'unapproved':
      return {
        label: 'Not approved',
        meaning: `Created, but its approval failed: it was not ${done}.`,
        next: `Fix the cause (often insufficient funds), then approve them again: ${type('release')}.`,
      };
    case 'unclear':
      return {
        label: 'Unknown status',
        meaning: 'Accepted, but the service reports an unknown status, or that it is not approved.',
        next: `${type('status', '--refresh')} fetches their status again. If it does not change, ask the service.`,
      };
    case 'differs':
      return {
        label: 'Differs from the file',
        meaning: `Approved by the service, but its ${one} differs from the file; the reason names the difference.`,
        next: `Compare them with the file. They are approved, so they can no longer be held back. ${type('status', '--refresh')} reads them again.`,
      };
    case 'held':
      return {
        label: 'Held',
        meaning: `Created, but the record differs from the file in ${DIFFERING_FIELDS}; no money moves.`,
        next: `If the difference is acceptable: ${type('release', ...accepting('differences'))}. A profile with caps on amounts or rails refuses that: approve each record by its id instead, then ${type('release')} records it.`,
      };
    case 'rejected':
      return {
        label: 'Rejected',
        meaning: `The service refused it; no record exists and it was not ${done}.`,
        next: `If the cause is outside the file, fix it, then send them again: ${type('retry')}. If the rows are wrong, fix them in the file of failed rows and run that file as a separate batch.`,
      };
    case 'not_sent':
      return {
        label: 'Not sent',
        meaning: `The service did not accept it; it was not ${done}.`,
        next: `${type('resume')} sends them.`,
      };
  }
}

/** The state of the batch in one sentence, and its tone. */
export function headline(summary: Summary, attention: number): {text: string; tone: 'good' | 'open' | 'bad'} {
  const {planned, accepted, already_paid: elsewhere, state, staged} = summary;
  const {one} = NOUNS[summary.kind];
  const of = `${count(accepted, one).replace(/ .*/, '')} of ${count(planned, one)} accepted`;
  const open =
    attention === 0 ? '' : ` ${count(attention, 'row')} ${attention === 1 ? 'needs' : 'need'} attention.`;
  switch (state) {
    case 'planned':
      return {text: 'Planned. Nothing has been sent.', tone: 'open'};
    case 'staged':
      return {
        text:
          accepted + summary.in_doubt === 0
            ? `Staged: ${count(staged, 'record')} created, none released. No money has moved.${open}`
            : `Staged: ${count(staged, 'record')} created and not released; ${count(accepted, one)} already released.${open}`,
        tone: 'open',
      };
    case 'held':
      return {text: `Held: ${of}.${open}`, tone: attention === 0 ? 'open' : 'bad'};
    case 'running':
      return {text: `Running: ${of} so far.`, tone: 'open'};
    case 'stopped':
    case 'interrupted':
      return {
        text: `${state === 'stopped' ? 'Stopped' : 'Interrupted'}: ${of}.${open}`,
        tone: 'bad',
      };
    case 'incomplete':
      return {text: `Not complete: ${incompleteText(summary)}.`, tone: 'bad'};
    case 'canceled':
      return {text: `Canceled: ${canceledText(summary)}.`, tone: summary.accepted > 0 ? 'bad' : 'open'};
    case 'complete':
      if (attention > 0) return {text: `Complete: ${of}.${open}`, tone: 'bad'};
      if (accepted === 0)
        return {
          text: `Complete: ${count(elsewhere, one)} paid by another batch, whose report has their status.`,
          tone: 'good',
        };
      return {text: `Complete: ${of}${settledText(summary)}.`, tone: 'good'};
  }
}

/** How many of the accepted rows are settled. Rows that another batch has paid were not read. */
function settledText({kind, accepted, already_paid: elsewhere, settled}: Summary): string {
  const {one} = NOUNS[kind];
  const others = elsewhere === 0 ? '' : `; ${grouped(elsewhere)} paid by another batch`;
  if (settled < accepted) return `; ${count(settled, one)} settled so far${others}`;
  return elsewhere === 0 ? ', and all are settled' : `, and all of these are settled${others}`;
}

const [SECOND, MINUTE, HOUR, DAY] = [1000, 60_000, 3_600_000, 86_400_000];

/** `45 s`, `12 min`, `19 h`, `3 d`: the largest unit with a value of at least two, or one. */
export function duration(ms: number): string {
  if (ms < 2 * MINUTE) return `${Math.round(ms / SECOND)} s`;
  if (ms < 2 * HOUR) return `${Math.round(ms / MINUTE)} min`;
  if (ms < 2 * DAY) return `${Math.round(ms / HOUR)} h`;
  return `${Math.round(ms / DAY)} d`;
}
