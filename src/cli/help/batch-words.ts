import type {RowState} from '../../batch/model/outcome.ts';

interface BatchWord {
  meaning: string;
  advice?: string;
}

/** The states of rows in a batch. */
const STATES: Readonly<Record<RowState, BatchWord>> = {
  staged: {
    meaning: 'created, not approved; no money has moved',
    advice: 'Approve it with release.',
  },
  held: {
    meaning: 'staged, but the record differs from the row in rail, currency or metadata; no money has moved',
    advice:
      'Compare the record with the row; then correct the service file, accept the difference, or cancel.',
  },
  accepted: {meaning: 'approved, or in a later status'},
  already_paid: {
    meaning:
      'another batch has paid this reference with the same party, amount and currency, or, with the code REPLACED, with others; it was not sent again',
  },
  unapproved: {
    meaning: 'created, but the approval failed; the warning is kept',
    advice: 'Approve it with retry or release.',
  },
  rejected: {
    meaning: 'refused by the service; there is no record',
    advice: 'Send it again with retry, or correct it in failed.csv.',
  },
  dead_key: {
    meaning: 'its idempotency key belongs to a failed or canceled record',
    advice: 'Pay it with retry, which uses a new key, if it is still to be paid.',
  },
  conflict: {
    meaning: 'another batch has the reference for another payment, or has not finished it; it was not sent',
    advice: 'Read the message of the row.',
  },
  collision: {
    meaning: 'the service answered with the record of another payment; the run stopped',
    advice: 'Check both records before anything is sent again.',
  },
  in_doubt: {
    meaning: 'sent, but no usable answer came, or its record shows another payment: it may have been paid',
    advice:
      'Do not pay it by other means. Run the batch again, which asks the service; if it stays in doubt, find out from the service whether it was paid, and record that with resolve.',
  },
  not_sent: {meaning: 'certainly not accepted by the service', advice: 'Run the batch again.'},
};

/** The codes of rows that remit itself decides. */
const CODES: Readonly<Record<string, BatchWord>> = {
  DIFFERS: {
    meaning:
      'accepted, but the record differs from the row: it was approved with the difference, or a later read showed another payment',
    advice: 'Compare the record with the row. To read it again: status --refresh.',
  },
  DIFFERS_ACCEPTED: {
    meaning: 'the record differs from the row; the difference was accepted before the release',
  },
  NOT_COMPARED: {
    meaning:
      'held: its record does not show the party, amount or subaccount, so what a release would pay is unknown',
    advice: 'Set the field names of the service in the service file, then run the batch again; or cancel.',
  },
  KEY_FORGOTTEN: {
    meaning:
      'in doubt: its approval was not answered, and the service has since forgotten its keys, so a record that no answer showed may have paid it',
    advice: 'Look for a record with its reference at the service, then run resolve.',
  },
  FORMER_RECORD: {
    meaning:
      'an earlier record of its reference had failed or was canceled, and is now shown otherwise: it may have paid the row',
    advice: 'Read the message of the row. A later run reads that record again; a row in doubt needs resolve.',
  },
  FORMER_GONE: {
    meaning:
      'an earlier record of its reference had failed or was canceled, and the service does not find it any more, or shows it with another reference: it may have paid the row',
    advice: 'Look for that record at the service, then run resolve: --not-paid if it paid nothing.',
  },
  REPLACED: {
    meaning:
      'another batch has paid this reference with another party, amount or currency, and resolve recorded that it replaces the row; totals have the amount of the row',
    advice: 'See both amounts: status --row. In diff it is a difference, and export has the amount paid.',
  },
  REGISTRY: {
    meaning: 'decided by the registry of this machine: another batch has the reference',
    advice: 'Read the message of the row; the status of the batch shows the next command.',
  },
  PAID_ELSEWHERE: {
    meaning: 'another batch has since paid this reference with other content',
    advice: 'Check for a double payment, then run resolve.',
  },
};

export const BATCH_WORDS: Readonly<Record<string, BatchWord>> = {...STATES, ...CODES};
