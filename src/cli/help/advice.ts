import {hasFailed, hasSucceeded, LIFECYCLES} from '../../contract/lifecycle.ts';
import {ERRORS, type ErrorCode, type ExitCode} from '../../errors.ts';

/** What a person or script does next, by exit code. The meanings are in errors.ts. */
export const ADVICE: Readonly<Record<ExitCode, string>> = {
  0: 'The data on stdout is complete.',
  1: 'Run it again with --debug and report the output. A batch can be run again.',
  2: 'Correct the command line; nothing was sent. --help shows what the command takes.',
  3: 'Check which key is used, and where it comes from: remit whoami.',
  4: 'Check the id and the profile: the record may belong to another entity, or to the other mode.',
  5: 'Correct the fields that the message names. The same request will be refused again.',
  6: 'Read the record and decide. After IDEMPOTENCY_KEY_CONFLICT, a new payment needs a new idempotency key.',
  7: 'Nothing took effect, or it was a read. If the error is retryable, run the same command again later (run a batch again by its id); otherwise first correct what the message names, because the same command will fail again.',
  8: 'Read the warning on stderr or the summary of the batch: a part still needs a decision.',
  9: 'Read the reason in the record: remit payouts get ID. The service does not send it again.',
  10: 'The record is still being processed. Wait again with a longer --timeout.',
  11: 'Nothing was sent. Confirm what the message names, or change the limits of the profile.',
  12: 'If a write got no usable answer, it may have taken effect. Run the command in the hint, which repeats it with the same idempotency key or reads the record. Without that key, the same command could pay twice.',
  13: 'Correct the file or folder that the message names. What was paid stays recorded.',
  14: 'Do not trust the payload. Check the secret and the clock: remit webhooks verify explains the mismatch.',
  130: 'The error names what took effect, and the command that continues from there.',
  143: 'The error names what took effect, and the command that continues from there.',
};

/** Where the advice on the exit code would be wrong. */
const OWN_ADVICE: Readonly<Partial<Record<ErrorCode, string>>> = {
  IDEMPOTENCY_KEY_CONFLICT:
    'The record of this key has failed or was canceled, and the key can never be used again. Read the record; to pay all the same, run the command with a new --idempotency-key.',
  CURSOR_REPEATED: 'The list is incomplete. Narrow it with filters, so that it has fewer pages.',
  LIST_CUT:
    'The list may be incomplete. Set how the service pages its lists in the service file (paging.by); remit doctor finds it.',
  FILTER_IGNORED:
    'Set the key that the message names in the service file: false for a filter makes remit filter the records itself. Or leave the filter out, and select the records with --query.',
  REDIRECTED: 'Check the base URL of the profile: remit profiles show.',
};

export const adviceOn = (code: ErrorCode): string => OWN_ADVICE[code] ?? ADVICE[ERRORS[code].exit];

/** Where the reason of a failure is shown. */
const REASONS: Readonly<Partial<Record<keyof typeof LIFECYCLES, string>>> = {
  payin: 'remit payins get ID',
  payout: 'remit payouts get ID',
  accountTransfer: 'remit transfers get ID',
};

/** What a bank may do after the last status of a payment; the interface document has no status for it. */
const RETURNS =
  'The interface document describes no status after it. A bank can still return an ACH payment days later; compare with your bank statement.';

/** About a final status. */
export function finalAdvice(kind: keyof typeof LIFECYCLES, status: string): string {
  if (hasSucceeded(LIFECYCLES[kind], status) && (kind === 'payin' || kind === 'payout')) return RETURNS;
  const reason = hasFailed(status) ? REASONS[kind] : undefined;
  return `The interface document describes no status after it.${reason === undefined ? '' : ` The reason: ${reason}`}`;
}
