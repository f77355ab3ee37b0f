import {HORIZON_MS, isPastHorizon} from '../../batch/model/record-age.ts';
import type {StoredPayment} from '../../doubts/open-payments.ts';
import {RemitError} from '../../errors.ts';
import {horizonMsOf} from '../../service/service-file.ts';
import type {Context} from '../core/context.ts';
import {amountText} from '../guard/amount-text.ts';
import {canAsk} from '../runtime/prompts.ts';
import {type Candidates, candidatesFor, listCommand} from './candidates.ts';
import type {Payment} from './payment.ts';

/** What is known about the same payment when it is typed again. */
interface Earlier {
  /** The newest first. */
  earlier: readonly StoredPayment[];
  /** The key of this command; null for an operation without keys. */
  fresh: {idempotencyKey: string | null; isOwnKey: boolean};
}

/**
 * Decides what to do about the same payment in doubt, if there is one.
 * @returns the payment whose key is sent again; undefined for a new payment
 * @throws RemitError GUARD_DUPLICATES without a terminal, or if the answer is no
 */
export async function askAboutEarlier(
  context: Context,
  payment: Payment,
  {earlier, fresh}: Earlier,
): Promise<StoredPayment | undefined> {
  const repeated = earlier.find(
    ({idempotencyKey: key}) => key !== null && key === fresh.idempotencyKey && !fresh.isOwnKey,
  );
  const open = repeated ?? earlier[0];
  if (open === undefined) return undefined;
  const mayRepeat = open.idempotencyKey !== null && !isTooOld(context, open);
  if (repeated !== undefined && mayRepeat) return repeated;
  if (payment.acceptsNew && repeated === undefined) return undefined;
  const found = mayRepeat ? undefined : await candidatesFor(context, payment, open.firstSentMs);
  if (repeated !== undefined || !canAsk(context.runtime)) throw refused(context, payment, {open, found});
  const {out, runtime} = context;
  out.warn(descriptionOf(context, payment, {open, found}));
  const {kind} = payment;
  const question = mayRepeat
    ? `Send it again with the same key? The service then returns the same ${kind}, or creates it if there is none.`
    : `Send another ${kind}?`;
  if (await runtime.prompts.confirm(question, '--accept new-payment')) return mayRepeat ? open : undefined;
  throw refused(context, payment, {open, found});
}

const horizonOf = ({profile}: Context): number => horizonMsOf(profile.service) ?? HORIZON_MS;

const isTooOld = (context: Context, {firstSentMs}: StoredPayment): boolean =>
  isPastHorizon(firstSentMs, context.clock.now(), horizonOf(context));

interface Known {
  open: StoredPayment;
  /** Undefined if its key can be sent again, which finds the record if there is one. */
  found: Candidates | undefined;
}

function descriptionOf(context: Context, payment: Payment, {open, found}: Known): string {
  const {kind, amountMinor, currency, parties} = payment;
  const {idempotencyKey: key, firstSentMs} = open;
  const withKey = key === null ? '' : ` with idempotency key ${key}`;
  const lines = [
    `the same ${kind} (${amountText(amountMinor, currency ?? undefined)}, ${parties}) was sent at ${timeOf(firstSentMs)}${withKey}, and whether it was created is unknown`,
  ];
  if (key !== null && found !== undefined)
    lines.push(
      `The key is not sent again: the service may have forgotten it after ${durationOf(horizonOf(context))}`,
    );
  if (key === null) lines.push(`A ${kind} has no idempotency key, so sending it again may pay twice`);
  if (found !== undefined) lines.push(found.text);
  return lines.join('. ');
}

function refused(context: Context, payment: Payment, known: Known): RemitError {
  const {open, found} = known;
  const {commands} = context;
  const {typed, kind} = payment;
  const {idempotencyKey: key} = open;
  const again = (add: readonly string[], without: readonly string[] = []) =>
    commands.again(typed, {without: ['--accept', ...without], add});
  const another = again(['--accept', 'new-payment'], found === undefined ? [] : ['--idempotency-key']);
  const next =
    found === undefined && key !== null
      ? again(['--idempotency-key', key], ['--idempotency-key'])
      : listCommand(commands, payment);
  const advice = found === undefined ? 'Repeat it with its key' : 'Check whether it exists';
  return new RemitError(
    'GUARD_DUPLICATES',
    `refused: ${descriptionOf(context, payment, known)}. Nothing was sent now. ${advice}`,
    {
      hint: `${next}; to send another ${kind} all the same: ${another}`,
      details: {
        ...{idempotency_key: key, first_sent_at: timeOf(open.firstSentMs), next, another},
        ...(found === undefined ? {} : {candidates: found.records}),
        file: open.file,
      },
    },
  );
}

const timeOf = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');

function durationOf(ms: number): string {
  const hours = ms / 3_600_000;
  return Number.isInteger(hours) ? `${hours}h` : `${Math.round(ms / 1000)}s`;
}
