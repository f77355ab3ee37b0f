import {RemitError} from '../errors.ts';

/** Topics whose `list` takes nothing that must be known already. */
const LISTED =
  /^(payees|payers|payins|payouts|moves|subaccounts|transfers|webhooks:endpoints|sandbox:deliveries|sandbox:checkpoint)(?=:)/;
/** What `sandbox simulate` did not find. */
const SIMULATED = /POST \/sandbox\/simulate: no (payin|payout|subaccount)\b/;
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

/** Where the ids of a field are to be had. */
const ID_LISTS: Readonly<Record<string, string>> = {
  payee_id: 'remit payees list',
  payer_id: 'remit payers list',
  subaccount_id: 'remit subaccounts list',
  source_account_id: 'remit treasury accounts',
  destination_account_id: 'remit treasury accounts',
  payment_method_id: 'remit payment-methods list --help',
  event_types: 'remit webhooks event-types',
  override_default_payment_method_id: 'remit payment-methods list --help',
};

function wayOut({code, message, details, httpStatus}: RemitError, commandId: string): string | undefined {
  if (details?.['failure'] === 'refused' && LOOPBACK.test(message)) return 'remit sandbox start';
  if (code === 'LOCAL_VALIDATION') {
    const fields = (details?.['fields'] ?? []) as {field: string}[]; // of validateBody
    return fields.map(({field}) => ID_LISTS[field.split('.')[0]!]).find((list) => list !== undefined);
  }
  if (httpStatus === 401 || httpStatus === 403) return 'see which key is in force: remit whoami';
  const isNoId = httpStatus === 400 && /: id: must be /.test(message);
  if (httpStatus === 404 || isNoId) {
    const topic =
      NAMED[commandId] ?? LISTED.exec(commandId)?.[1] ?? SIMULATED.exec(message)?.[1]?.concat('s');
    return topic === undefined ? undefined : `remit ${topic.replaceAll(':', ' ')} list`;
  }
  if (httpStatus === 422 && Object.hasOwn(NAMED, commandId) && /default payment method/.test(message))
    return 'name one with --payment-method ID, or add one: remit payment-methods add --help';
  return undefined;
}
