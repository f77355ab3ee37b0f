import {RemitError} from '../errors.ts';

/** Topics whose `list` takes nothing that must be known already. */
const LISTED = /^(payees|payers|payins|payouts|moves|subaccounts|transfers|webhooks:endpoints)(?=:)/;
/** Where a creation names a record of another topic. */
const NAMED: Readonly<Record<string, string>> = {'payouts:create': 'payees', 'payins:create': 'payers'};
const LOOPBACK = /^[A-Z]+ https?:\/\/(127\.\d+\.\d+\.\d+|localhost|\[::1\])[:/]/;

/** The same error with a command to type next, where it has none and one is known. */
export function withWayOut(error: RemitError, commandId: string): RemitError {
  const hint = error.hint ?? wayOut(error, commandId);
  if (hint === error.hint) return error;
  const {code, message, httpStatus, requestId, details, body, exitCode, retryable, cause} = error;
  return new RemitError(code, message, {
    ...{hint, httpStatus, requestId, details, body, exitCode, retryable, cause},
  });
}

function wayOut({message, details, httpStatus}: RemitError, commandId: string): string | undefined {
  if (details?.['failure'] === 'refused' && LOOPBACK.test(message)) return 'remit sandbox start';
  if (httpStatus === 404) {
    const topic = NAMED[commandId] ?? LISTED.exec(commandId)?.[1];
    return topic === undefined ? undefined : `remit ${topic.replace(':', ' ')} list`;
  }
  if (httpStatus === 422 && Object.hasOwn(NAMED, commandId) && /default payment method/.test(message))
    return 'name one with --payment-method ID, or add one: remit payment-methods add --help';
  return undefined;
}
