import {nextTurn} from '../../clock.ts';
import {contentOf, isSamePayment, type OpenPayment, type PaymentFacts} from '../../doubts/open-payment.ts';
import {
  forgetPayment,
  isBeingSent,
  keepPayment,
  leavePayment,
  readOpenPayments,
  type StoredPayment,
} from '../../doubts/open-payments.ts';
import {RemitError} from '../../errors.ts';
import type {Context} from '../core/context.ts';
import type {Payment} from './payment.ts';
import {askAboutEarlier} from './question.ts';

/** The idempotency key of a create. */
export interface ChosenKey {
  idempotencyKey: string;
  /** An earlier request with this key may have reached the service. */
  isRepeat: boolean;
  /** The key was made by remit for this very payment, so it cannot belong to another record. */
  isOwn: boolean;
}

/** The part of an entry that is decided before it is committed. */
type Draft = Pick<OpenPayment, 'idempotencyKey' | 'isOwnKey'> & {
  /** The entry whose key is sent again. */
  repeats?: StoredPayment;
};

/**
 * Sends a payin or payout with an idempotency key. It is remembered on disk from before the request leaves until an
 * answer shows what became of it. If the same payment is in doubt already, a terminal asks whether to repeat it, and
 * anything else is refused.
 * @param given the key that was typed
 * @param send resolves if the outcome is known, and rejects with an error that shows whether it is
 * @throws RemitError GUARD_DUPLICATES; STATE or STATE_DAMAGED if a live payment cannot be remembered
 */
export function sendWithKey<T>(
  context: Context,
  payment: Payment,
  given: string | undefined,
  send: (key: ChosenKey) => Promise<T>,
): Promise<T> {
  const fresh = given ?? context.runtime.uuid();
  const isOwnKey = given === undefined;
  return remembering(context, payment, {idempotencyKey: fresh, isOwnKey}, ({idempotencyKey, ...draft}) =>
    send({
      idempotencyKey: idempotencyKey ?? fresh,
      isRepeat: draft.repeats !== undefined,
      isOwn:
        draft.isOwnKey && (draft.repeats?.content ?? contentOf(payment.body)) === contentOf(payment.body),
    }),
  );
}

/** The same for an operation without idempotency keys: a repetition is always another payment. */
export const sendWithoutKey = <T>(context: Context, payment: Payment, send: () => Promise<T>): Promise<T> =>
  remembering(context, payment, {idempotencyKey: null, isOwnKey: false}, send);

async function remembering<T>(
  context: Context,
  payment: Payment,
  fresh: Draft,
  send: (draft: Draft) => Promise<T>,
): Promise<T> {
  for (;;) {
    const known = await attempted(context, () => sameOpen(context, payment));
    if (known === undefined) return send(fresh);
    const earlier = payment.acceptsNew ? known : await finished(context, payment, known);
    const repeats = await askAboutEarlier(context, payment, {earlier, fresh});
    const draft =
      repeats === undefined
        ? fresh
        : {idempotencyKey: repeats.idempotencyKey, isOwnKey: repeats.isOwnKey, repeats};
    const entry = await attempted(context, () => keep(context, payment, draft));
    if (entry === undefined) return send(draft);
    if (!payment.acceptsNew && hasRival(context, payment, [entry, ...earlier])) {
      forgetPayment(entry);
      await context.clock.sleep(context.runtime.random() * RIVAL_MS, context.stop.signal);
      continue;
    }
    if (repeats === undefined) for (const one of earlier) if (!isBeingSent(one)) forgetPayment(one);
    return settling(context, {payment, entry, draft}, () => send(draft));
  }
}

/** Two commands that committed the same payment at the same time try again after a random part of this time. */
const RIVAL_MS = 300;
/** How often a payment that another command is sending is checked. */
const CHECK_MS = 200;

/** A memory that cannot be used stops a live payment; a test payment only loses its protection. */
async function attempted<R>({profile, out}: Context, work: () => R): Promise<R | undefined> {
  try {
    return work();
  } catch (error) {
    if (profile.mode === 'live' || !(error instanceof RemitError))
      throw error instanceof RemitError
        ? error.reworded(
            `${error.message}; a live payment is only sent if it can be remembered`,
            error.openHint,
          )
        : error;
    out.warn(
      `${error.message}. This payment is not remembered: if its answer is lost, the same command pays a second time`,
    );
    return undefined;
  }
}

const factsOf = ({profile}: Context, payment: Payment): PaymentFacts => {
  const {kind, party, source, amountMinor, currency} = payment;
  const {mode, baseUrl} = profile;
  return {...{kind, mode, baseUrl}, ...{party, source, amountMinor, currency}};
};

function sameOpen(context: Context, payment: Payment): StoredPayment[] {
  const facts = factsOf(context, payment);
  return readOpenPayments(context.stateDir).filter((one) => isSamePayment(one, facts));
}

const hasRival = (context: Context, payment: Payment, known: readonly StoredPayment[]): boolean =>
  sameOpen(context, payment).some(({file}) => known.every((one) => one.file !== file));

/** Waits for other commands that are sending the same payment right now: its outcome will soon be known. */
async function finished(
  context: Context,
  payment: Payment,
  found: readonly StoredPayment[],
): Promise<readonly StoredPayment[]> {
  const {clock, stop, out} = context;
  let open = found;
  for (let checks = 0; open.some(isBeingSent); checks += 1) {
    if (checks === 0)
      out.note(`Another remit command is creating the same ${payment.kind}. Waiting for its outcome`);
    await clock.sleep(CHECK_MS, stop.signal);
    await nextTurn();
    open = sameOpen(context, payment);
  }
  return open;
}

function keep(context: Context, payment: Payment, {idempotencyKey, isOwnKey, repeats}: Draft): StoredPayment {
  const nowMs = context.clock.now();
  const approves = payment.body['auto_approve'] === true;
  const entry = {
    ...factsOf(context, payment),
    ...{idempotencyKey, isOwnKey},
    content: repeats?.content ?? contentOf(payment.body),
    approves: approves || repeats?.approves === true,
    firstSentMs: repeats?.firstSentMs ?? nowMs,
  };
  return keepPayment(context.stateDir, entry, {nowMs, file: repeats?.file});
}

/** Forgets the payment once its outcome is known. */
async function settling<T>(
  {out}: Context,
  {entry, draft}: {payment: Payment; entry: StoredPayment; draft: Draft},
  send: () => Promise<T>,
): Promise<T> {
  const forget = () => {
    try {
      forgetPayment(entry);
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      out.warn(`${error.message}. The next command with the same payment will ask about this one`);
    }
  };
  try {
    const result = await send();
    forget();
    return result;
  } catch (error) {
    if (isCertain(error, draft.repeats === undefined ? undefined : entry)) forget();
    else leavePayment(entry);
    throw error;
  }
}

/** Errors that show what became of every request with the key. */
const ABOUT_THE_KEY: ReadonlySet<string> = new Set(['KEY_REUSED', 'IDEMPOTENCY_KEY_CONFLICT']);
/** Refusals that the service documents: it would have answered with the record if there were one. */
const DOCUMENTED: ReadonlySet<string> = new Set([
  ...['VALIDATION_ERROR', 'PAYER_NOT_FOUND', 'PAYMENT_METHOD_NOT_FOUND', 'NOT_FOUND'],
  'INVALID_PAYMENT_DETAILS',
]);

/**
 * Whether an error leaves no doubt.
 * @param repeated the entry, if an earlier request with the same key may have taken effect: then an answer that is not
 * about the key, or a request that was not sent, shows nothing about that one
 */
function isCertain(error: unknown, repeated: OpenPayment | undefined): boolean {
  if (!(error instanceof RemitError) || error.code === 'BUG' || error.code === 'IN_DOUBT') return false;
  const {may_have_taken_effect: isOpen} = error.details ?? {};
  if (isOpen === true) return false;
  if ((error.code === 'INTERRUPTED' || error.code === 'TERMINATED') && isOpen !== false) return false;
  if (repeated === undefined || ABOUT_THE_KEY.has(error.code)) return true;
  return !repeated.approves && DOCUMENTED.has(error.code);
}
