import {isPastHorizon} from '../../batch/model/record-age.ts';
import {asksForApproval} from '../../client/requests/approval.ts';
import {contentOf, type OpenPayment, shownIn} from '../../doubts/open-payment.ts';
import type {StoredPayment} from '../../doubts/open-payments.ts';
import {exactJson} from '../../json/exact.ts';
import {plainValue} from '../../output/records/view.ts';
import {capital} from '../../phrases.ts';
import {horizonMsOf} from '../../service/service-file.ts';
import type {Context} from '../core/context.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import type {Candidates} from './candidates.ts';
import type {Payment} from './payment.ts';

/** An earlier payment in doubt, as it is shown. */
export interface ShownDoubt {
  open: StoredPayment;
  /** All that are in doubt, the newest first. */
  earlier: readonly StoredPayment[];
  /** The key that was typed for this payment. */
  newKey: string | undefined;
  /** Undefined if its key can be sent again, which finds the record if there is one. */
  found: Candidates | undefined;
}

const horizonOf = ({profile}: Context): number => horizonMsOf(profile.service);

/** The service may have forgotten its key. */
export const isPastKeys = (context: Context, {firstSentMs}: OpenPayment): boolean =>
  isPastHorizon(firstSentMs, context.clock.now(), horizonOf(context));

/** Its API key is that of another stored profile; under this one, its idempotency key may be unknown. */
export const isUnderOtherProfile = ({profile}: Context, open: OpenPayment): boolean =>
  open.keyFingerprint !== profile.keyFingerprint && open.profile !== null && open.profile !== profile.name;

/** Sentences without the last full stop. */
export function descriptionOf(
  context: Context,
  payment: Payment,
  {open, earlier, found}: ShownDoubt,
): string {
  const {kind, parties} = payment;
  const {idempotencyKey: key, firstSentMs, recordId, acceptedMs} = open;
  const withKey = key === null ? '' : ` with idempotency key ${key}`;
  const doubt =
    recordId === null
      ? ', and whether it was created is unknown'
      : `. ${capital(kind)} ${recordId} exists, and whether it was approved is unknown`;
  const others = earlier.filter((one) => one !== open).map((one) => timeOfDoubt(one.firstSentMs));
  return [
    `the same ${kind} (${amountOf(payment, open)}, ${parties}) was sent at ${timeOfDoubt(firstSentMs)}${withKey}${doubt}`,
    ...differenceFrom(payment, open),
    ...(others.length === 0 ? [] : [`Also in doubt: those sent at ${others.join(', ')}`]),
    ...(acceptedMs === null ? [] : [`Another ${kind} was sent all the same at ${timeOfDoubt(acceptedMs)}`]),
    ...otherKey(context, open),
    ...(key !== null && found !== undefined
      ? [
          `The key is not sent again: the service may have forgotten it after ${durationOf(horizonOf(context))}`,
        ]
      : []),
    ...(key === null
      ? [`${withArticle(kind)} has no idempotency key, so sending it again may pay twice`]
      : []),
    ...(found === undefined ? [] : [found.text]),
    ...(found === undefined ? [] : [`Once you know what became of it, you can delete ${open.file}`]),
  ].join('. ');
}

function amountOf(payment: Payment, open: OpenPayment): string {
  const minor = payment.amountMinor ?? open.amountMinor;
  const currency = payment.currency ?? open.currency ?? undefined;
  return minor === null ? 'its amount cannot be read' : guardedAmountText(minor, currency);
}

/** What distinguishes the two requests. */
function differenceFrom({body}: Payment, open: OpenPayment): string[] {
  const now = shownIn(body);
  const names = [...new Set([...Object.keys(open.shown), ...Object.keys(now)])];
  const fields = names
    .filter((name) => exactJson(open.shown[name] ?? null) !== exactJson(now[name] ?? null))
    .map((name) => `${name} was ${plainValue(open.shown[name])} and is now ${plainValue(now[name])}`);
  if (fields.length === 0 && open.content !== contentOf(body)) fields.push('other fields differ');
  if (open.approves !== asksForApproval(body))
    fields.push(`auto_approve was ${open.approves} and is now ${!open.approves}`);
  return fields.length === 0 ? [] : [`It differs: ${fields.join('; ')}`];
}

function otherKey({profile}: Context, open: OpenPayment): string[] {
  if (open.keyFingerprint === profile.keyFingerprint) return [];
  const whose =
    open.profile === null ? 'another API key' : `the API key of profile ${open.profile} at that time`;
  return [`It was sent with ${whose}, and this command has another one`];
}

const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'An' : 'A'} ${noun}`;

export const timeOfDoubt = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+/, '');

function durationOf(ms: number): string {
  const hours = ms / 3_600_000;
  return Number.isInteger(hours) ? `${hours}h` : `${Math.round(ms / 1000)}s`;
}
