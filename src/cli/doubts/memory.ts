import {join} from 'node:path';
import {asksForApproval} from '../../client/requests/approval.ts';
import {nextTurn, poll} from '../../clock.ts';
import {
  contentOf,
  isSamePayment,
  type OpenPayment,
  type PaymentFacts,
  shownIn,
} from '../../doubts/open-payment.ts';
import {
  acceptPayment,
  forgetPayment,
  isBeingSent,
  keepPayment,
  leavePayment,
  notePayment,
  paymentId,
  readOpenPayments,
  type StoredPayment,
} from '../../doubts/open-payments.ts';
import {RemitError} from '../../errors.ts';
import {asObject} from '../../narrow.ts';
import {acquireLock} from '../../store/locks/lock.ts';
import type {Context} from '../core/context.ts';
import {explained, leavesNoDoubt, shownBy} from './outcome.ts';
import {type ChosenKey, type EntryMemory, NO_MEMORY, type Payment} from './payment.ts';
import {askAboutAlike, askAboutEarlier, askAboutOther} from './question.ts';

/** How a payment is sent. */
interface Draft {
  idempotencyKey: string | null;
  /** See `OpenPayment`. */
  isOwnKey: boolean;
  /** The entry whose key is sent again. */
  repeats?: StoredPayment;
}

/** A draft and its entry; undefined if it cannot be remembered. */
interface Remembered extends Draft {
  file: string | undefined;
  memory: EntryMemory;
}

/**
 * Sends a payment. It is remembered on disk from before the request leaves until an answer shows what became of it. If
 * the same payment is in doubt already, a terminal asks whether to repeat it, and anything else is refused.
 * @param key with the key that was typed; undefined if the operation takes none, so that a repetition is always another
 * payment
 * @param send resolves if the outcome is known, and rejects with an error that shows whether it is
 * @throws RemitError GUARD_DUPLICATES; STATE or STATE_DAMAGED if a live payment cannot be remembered
 */
export function sendPayment<T>(
  context: Context,
  payment: Payment,
  key: {given: string | undefined} | undefined,
  send: (key: ChosenKey) => Promise<T>,
): Promise<T> {
  const draft = {
    idempotencyKey: key === undefined ? null : (key.given ?? context.runtime.uuid()),
    isOwnKey: key !== undefined && key.given === undefined,
  };
  return remembering(context, payment, draft, ({idempotencyKey, isOwnKey, repeats, memory, file}) =>
    send({
      idempotencyKey: idempotencyKey ?? undefined,
      ...{isRepeat: repeats !== undefined, isOwn: isOwnKey, earlier: repeats, memory},
    }).catch(async (error: unknown) => {
      if (idempotencyKey === null) throw error;
      const isKept = repeats !== undefined && !hasAccountOf(context, repeats);
      throw await explained(context, payment, {
        ...{error, isSameRequest: isSameRequest(payment, repeats), file},
        kept: isKept ? paymentId(repeats) : undefined,
      });
    }),
  );
}

async function remembering<T>(
  context: Context,
  payment: Payment,
  fresh: Draft,
  send: (draft: Remembered) => Promise<T>,
): Promise<T> {
  const unremembered = (draft: Draft) => send({...draft, file: undefined, memory: NO_MEMORY});
  warnOfDamage(context);
  for (;;) {
    const known = await attempted(context, () => sameOpen(context, payment));
    if (known === undefined) return unremembered(fresh);
    const {earlier, ended} = await finished(context, payment, known);
    const isAnother = ended.some(
      ({idempotencyKey}) =>
        fresh.isOwnKey || idempotencyKey === null || idempotencyKey !== fresh.idempotencyKey,
    );
    if (isAnother) await askAboutOther(context, payment);
    const repeats = await askAboutEarlier(context, payment, {earlier, fresh});
    const isTyped = fresh.idempotencyKey !== null && !fresh.isOwnKey;
    if (known.length === 0 && !isTyped) await askAboutAlike(context, payment);
    const draft = repeats === undefined ? fresh : repetition(context, payment, repeats);
    const entry = await attempted(context, () => keepAlone(context, payment, {draft, earlier}));
    if (entry === undefined) return unremembered(draft);
    if (entry === 'rival') continue;
    const accepted = repeats === undefined ? earlier : [];
    return settling(context, {payment, entry, accepted, draft}, send);
  }
}

const hasAccountOf = ({profile}: Pick<Context, 'profile'>, {keyFingerprint}: OpenPayment): boolean =>
  keyFingerprint === profile.keyFingerprint;
const hasContentOf = ({body}: Payment, {content}: OpenPayment): boolean => content === contentOf(body);

/** Whether the key was sent with this very body before, or never: then an answer about the key is about this payment. */
const isSameRequest = (payment: Payment, repeats: OpenPayment | undefined): boolean =>
  repeats === undefined ||
  (hasContentOf(payment, repeats) && repeats.approves === asksForApproval(payment.body));

/**
 * The key has only this body's record if every request with it had this body; `auto_approve` is a part of it. Under another
 * API key the service may not know it, and would make a second record.
 */
const repetition = (context: Context, payment: Payment, repeats: StoredPayment): Draft => ({
  idempotencyKey: repeats.idempotencyKey,
  isOwnKey: repeats.isOwnKey && isSameRequest(payment, repeats) && hasAccountOf(context, repeats),
  repeats,
});

/** How often a payment that another command is sending is checked. */
const CHECK_MS = 200;

/** A memory that cannot be used stops a live payment; a test payment only loses its protection. */
async function attempted<R>({profile, out}: Context, work: () => R | Promise<R>): Promise<R | undefined> {
  try {
    return await work();
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
  const isLive = context.profile.mode === 'live';
  const open = readOpenPayments(context.stateDir, isLive ? undefined : () => {});
  return open.filter((one) => isSamePayment(one, facts));
}

/** A damaged file may be any payment: it stops a live one, and a test payment is compared with the others. */
function warnOfDamage({stateDir, profile, out}: Context): void {
  if (profile.mode === 'live') return;
  try {
    readOpenPayments(stateDir, (error) => out.warn(`${error.message}. It is not compared with this payment`));
  } catch {
    // the folder cannot be read, which is reported when it is used
  }
}

/**
 * Commits the entry, unless another command has committed the same payment since the earlier ones were read. Of two
 * commands that start at the same time, one is first.
 */
async function keepAlone(
  context: Context,
  payment: Payment,
  {draft, earlier}: {draft: Draft; earlier: readonly StoredPayment[]},
): Promise<StoredPayment | 'rival'> {
  const lock = await acquireLock(join(context.stateDir, 'in-doubt.lock'), {
    ...{purpose: `a ${payment.kind} that is about to be sent`, brief: true, clock: context.clock},
  });
  try {
    const isKnown = ({file}: StoredPayment) => earlier.some((one) => one.file === file);
    return sameOpen(context, payment).every(isKnown) ? keep(context, payment, draft) : 'rival';
  } finally {
    await lock.release();
  }
}

/**
 * Waits for other commands that are sending the same payment right now: its outcome will soon be known.
 * @returns the payments that are in doubt, and those whose command has learned their outcome meanwhile
 */
async function finished(
  context: Context,
  payment: Payment,
  found: readonly StoredPayment[],
): Promise<{earlier: readonly StoredPayment[]; ended: readonly StoredPayment[]}> {
  const {clock, stop, out} = context;
  const sent = found.filter(isBeingSent);
  if (sent.length > 0)
    out.note(`Another remit command is creating the same ${payment.kind}. Waiting for its outcome`);
  let open = found;
  let isFirst = true;
  await poll({
    clock,
    step: async () => {
      if (!isFirst) {
        await nextTurn();
        open = sameOpen(context, payment);
      }
      isFirst = false;
      return open.some(isBeingSent) ? undefined : true;
    },
    pauseMs: () => CHECK_MS,
    sleep: (ms) => clock.sleep(ms, stop.signal),
  });
  return {earlier: open, ended: sent.filter(({file}) => open.every((one) => one.file !== file))};
}

function keep(context: Context, payment: Payment, {idempotencyKey, isOwnKey, repeats}: Draft): StoredPayment {
  const {profile, out} = context;
  const nowMs = context.clock.now();
  const approves = asksForApproval(payment.body);
  const entry = repeats ?? {
    ...{content: contentOf(payment.body), shown: asObject(out.sanitizer.value(shownIn(payment.body)))},
    ...{recordId: null, secondId: null, acceptedMs: null, firstSentMs: nowMs},
    ...{keyFingerprint: profile.keyFingerprint, profile: profile.name},
  };
  const kept = {
    ...entry,
    ...factsOf(context, payment),
    ...{idempotencyKey, isOwnKey, approves: approves || repeats?.approves === true},
    mayBeApproved: (approves && isOwnKey) || repeats?.mayBeApproved === true,
  };
  return keepPayment(context.stateDir, kept, {nowMs, file: repeats?.file});
}

/** Forgets the payment once its outcome is known. */
async function settling<T>(
  {out, profile, clock}: Context,
  sending: {
    payment: Payment;
    entry: StoredPayment;
    /** Earlier payments despite which this one is sent. They stay in doubt. */
    accepted: readonly StoredPayment[];
    draft: Draft;
  },
  send: (draft: Remembered) => Promise<T>,
): Promise<T> {
  const {payment, accepted, draft} = sending;
  let {entry} = sending;
  let isUnclear = false;
  const forget = () => {
    try {
      forgetPayment(entry);
    } catch (error) {
      if (!(error instanceof RemitError)) throw error;
      out.warn(`${error.message}. The next command with the same payment will ask about this one`);
    }
  };
  const approving = (recordId: string) => (entry = notePayment(entry, {recordId, mayBeApproved: true}));
  const memory: EntryMemory = {
    known: approving,
    unclear: (id) => {
      approving(id);
      isUnclear = true;
    },
    ended: forget,
  };
  try {
    const result = await send({...draft, file: entry.file, memory});
    for (const one of accepted) acceptPayment(one, clock.now());
    if (isUnclear) leavePayment(entry);
    else forget();
    return result;
  } catch (error) {
    const {repeats} = draft;
    const repeated = repeats && {
      mayHavePaid: entry.approves,
      isSameRequest: isSameRequest(payment, repeats),
      isSameAccount: hasAccountOf({profile}, repeats),
      isOwnKey: repeats.isOwnKey,
      recordId: entry.recordId,
      secondId: entry.secondId,
    };
    if (leavesNoDoubt(error, repeated)) forget();
    else leavePayment(entry, shownBy(error));
    throw error;
  }
}
