import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {RemitError} from '../../errors.ts';
import {horizonMsOf} from '../../service/service-file.ts';
import type {Shown} from '../../doubts/open-payments.ts';
import type {Context} from '../core/context.ts';
import {candidatesFor, listCommand} from './candidates.ts';
import type {Payment} from './payment.ts';

/** An earlier request with the same key, which may have taken effect. */
interface Repeated {
  /** A request with auto_approve was sent. */
  mayHavePaid: boolean;
  /** It had the same body. */
  isSameRequest: boolean;
  /** It had the same API key. Another one may belong to another account, which does not know the idempotency key. */
  isSameAccount: boolean;
  /** The key was made for this payment, so no other record can have it. */
  isOwnKey: boolean;
  /** The record of the payment that it has shown. */
  recordId: string | null;
  /** A record that was created later under the same key. */
  secondId: string | null;
}

/** Refusals that the service documents: it would have answered with the record if there were one. */
const DOCUMENTED: ReadonlySet<string> = new Set([
  ...['VALIDATION_ERROR', 'PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND', 'NOT_FOUND'],
  'INVALID_PAYMENT_DETAILS',
]);

const idIn = (error: RemitError, name: 'id' | 'second_id'): string | undefined => {
  const id = error.details?.[name];
  return typeof id === 'string' ? id : undefined;
};

/** What an error about a create has shown. The record of KEY_REUSED belongs to another payment. */
export function shownBy(error: unknown): Shown {
  if (!(error instanceof RemitError) || error.code === 'KEY_REUSED') return {};
  const [recordId, secondId] = [idIn(error, 'id'), idIn(error, 'second_id')];
  return {...(recordId === undefined ? {} : {recordId}), ...(secondId === undefined ? {} : {secondId})};
}

/**
 * Whether an error leaves no doubt. After an earlier request with the same key, an answer that is not about that
 * request, or a request that was not sent, shows nothing about it.
 */
export function leavesNoDoubt(error: unknown, repeated: Repeated | undefined): boolean {
  if (!(error instanceof RemitError) || error.code === 'BUG' || error.code === 'IN_DOUBT') return false;
  const {may_have_taken_effect: isOpen} = error.details ?? {};
  if (isOpen === true) return false;
  if ((error.code === 'INTERRUPTED' || error.code === 'TERMINATED') && isOpen !== false) return false;
  if (repeated === undefined) return true;
  if (!repeated.isSameAccount) return false;
  const {recordId, secondId} = repeated;
  if (error.code === 'KEY_REUSED') return !repeated.isOwnKey && recordId === null;
  if (error.code === 'IDEMPOTENCY_KEY_CONFLICT') {
    const id = idIn(error, 'id');
    if (recordId !== null) return id === recordId; // the end of another record shows nothing about this one
    return secondId === null && (repeated.isSameRequest || id !== undefined);
  }
  return repeated.isSameRequest && !repeated.mayHavePaid && DOCUMENTED.has(error.code);
}

/** Adds what to do about an idempotency key that the service refused with 409, or has forgotten. */
export async function explained(
  context: Context,
  payment: Payment,
  {
    error,
    isSameRequest,
    file,
    kept,
  }: {
    error: unknown;
    isSameRequest: boolean;
    file: string | undefined;
    /** The earlier payment, if it stays in doubt: its API key was another one. */
    kept?: string | undefined;
  },
): Promise<unknown> {
  if (!(error instanceof RemitError)) return error;
  const second = idIn(error, 'second_id');
  if (second !== undefined) return withDecision(context, payment, {error, second, file});
  const isNamed = idIn(error, 'id') !== undefined;
  if (error.code === 'IDEMPOTENCY_KEY_CONFLICT' && (isSameRequest || isNamed))
    return withNewKey(context, payment, {error, kept});
  if (error.httpStatus !== 409 || isNamed) return error;
  return error.code === 'IN_DOUBT' || error.code === 'IDEMPOTENCY_KEY_CONFLICT'
    ? withCandidates(context, payment, error, file)
    : error;
}

/** There may be two records of one payment. */
function withDecision(
  {commands}: Context,
  payment: Payment,
  {error, second, file}: {error: RemitError; second: string; file: string | undefined},
): RemitError {
  const resource = `${payment.kind}s`;
  const {initial} = LIFECYCLES.payout;
  const {id, status, second_status: secondStatus} = error.details ?? {};
  if (typeof id === 'string' && status === initial) {
    const cancel = secondStatus === initial ? `; then ${commands.write(resource, 'cancel', second)}` : '';
    return error.reworded(error.message, `${commands.write(resource, 'approve', id)}${cancel}`);
  }
  const [approve, cancel] = ['approve', 'cancel'].map((verb) => commands.write(resource, verb, second));
  const forget = file === undefined ? '' : `, and delete ${file}`;
  return error.reworded(
    `${error.message}${forget}`,
    `${listCommand(commands, payment)}; if it was not paid: ${approve}; if it was: ${cancel}`,
  );
}

/** The record of the key has failed or was canceled. */
function withNewKey(
  {commands}: Context,
  {kind, typed}: Payment,
  {error, kept}: {error: RemitError; kept: string | undefined},
): RemitError {
  const add = kept === undefined ? [] : ['--accept', `new-payment=${kept}`];
  const command = commands.again(typed, {without: ['--idempotency-key', '--accept'], add});
  const message = `${error.message}. Check the earlier ${kind} first: the command without this key creates a new one, which moves money again`;
  return error.reworded(message, command, {...error.details, next: command});
}

const keyIn = ({details}: RemitError): string => {
  const key = details?.['idempotency_key'];
  return typeof key === 'string' ? `Key ${key}` : 'The key';
};

/**
 * A 409 does not show what the key has made, and repeating the request may end in the same way for ever. The list may
 * show it.
 */
async function withCandidates(
  context: Context,
  payment: Payment,
  error: RemitError,
  file: string | undefined,
): Promise<RemitError> {
  const sinceMs = context.clock.now() - horizonMsOf(context.profile.service);
  const found = await candidatesFor(context, payment, sinceMs).catch(() => undefined); // the error itself matters more
  const next = listCommand(context.commands, payment);
  const {message, httpStatus, requestId, details, body, cause, retryable} = error;
  const forget = file === undefined ? '' : `. Once you know what became of it, you can delete ${file}`;
  return new RemitError(
    'IN_DOUBT',
    `${message}. ${keyIn(error)} may already have made this ${payment.kind}: check before you use another key${found === undefined ? '' : `. ${found.text}`}${forget}`,
    {
      ...{httpStatus, requestId, body, cause, retryable, hint: next},
      details: {...details, may_have_taken_effect: true, next, candidates: found?.records ?? []},
    },
  );
}
