import {isId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {plainValue} from '../../output/records/view.ts';
import type {ActiveProfile} from '../../profiles/profile.ts';
import {amountOfFlags, type Amount} from '../input/amounts.ts';
import {amountOfRecord, type AmountRead} from '../guard/amount-read.ts';
import {guardedAmountText} from '../guard/amount-text.ts';
import type {WriteDetails, WriteFacts} from '../guard/facts.ts';
import {saysCancel} from '../../service/route-words.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';

/** A record that is about to be approved or canceled. */
export interface RecordWrite {
  verb: 'approve' | 'cancel';
  noun: 'payin' | 'payout' | 'move' | 'account transfer';
  id: string;
  /** --amount and --currency: used only if the record has no amount in any form. */
  stated: Amount | undefined;
  read: () => Promise<ServiceRecord>;
  /** The facts in the confirmation of a live write besides amount and rail. */
  details: (record: ServiceRecord) => Promise<WriteDetails>;
}

type OfProfile = {profile: Pick<ActiveProfile, 'readOnly' | 'mode' | 'caps' | 'service'>};

/**
 * Whether a write cancels a record, so that it moves no money. A service file can give a cancel the route or body of
 * something else; unless its request says that it cancels, it counts as an approval.
 */
export const cancelsOnly = (
  {profile}: OfProfile,
  {verb, noun}: Pick<RecordWrite, 'verb' | 'noun'>,
): boolean =>
  verb === 'cancel' &&
  (noun === 'payin' || noun === 'payout') &&
  saysCancel(`${noun}s.cancel`, profile.service);

/**
 * True if a guard checks or shows more than whether writes are allowed; then the record must be read first. Caps do not
 * apply to a cancellation.
 */
export const needsFacts = ({profile}: OfProfile, cancels = false): boolean =>
  !profile.readOnly && (profile.mode === 'live' || (!cancels && Object.keys(profile.caps).length > 0));

/**
 * Reads a record for the guard. Without a live key, caps or a stated amount there is nothing to check, and nothing is
 * read.
 * @throws RemitError GUARD_CONFIRM if the stated amount differs from that of the record, LOCAL_VALIDATION for an id that
 * could be read as a longer path
 */
export async function recordFacts(context: OfProfile, write: RecordWrite): Promise<WriteFacts> {
  const {verb, noun, id, stated} = write;
  // The service or a proxy may read `ID/approve` as another path than that of a cancellation.
  if (!isId(id, 'any'))
    throw new RemitError(
      'LOCAL_VALIDATION',
      `${JSON.stringify(id)} is not a valid ${noun} id; nothing was sent`,
    );
  const cancels = cancelsOnly(context, write);
  const plain: WriteFacts = {operation: `${verb} the ${noun}`, party: [noun, id], source: 'record', cancels};
  if (context.profile.readOnly || (!needsFacts(context, cancels) && stated === undefined)) return plain;
  const record = await write.read();
  const {rail} = record;
  return {
    ...plain,
    ...statedFacts(plain.operation, amountOfRecord(record, id), stated, 'the record'),
    ...(noun === 'move' ? {} : {rail: {value: rail && plainValue(rail)}}),
    details: async () => {
      const {who, when} = await write.details(record);
      return {who: [[noun.replace('account ', ''), id], ...who], when};
    },
  };
}

/**
 * The amount as read, or as stated if none can be read.
 * @param subject where it comes from: `the record`, `the request`
 * @throws RemitError GUARD_CONFIRM if the stated amount differs
 */
export function statedFacts(
  operation: string,
  read: AmountRead,
  stated: Amount | undefined,
  subject: string,
): Partial<WriteFacts> {
  if (read.kind === 'unreadable') {
    const why =
      stated === undefined
        ? read.why
        : `${read.why}; the stated ${guardedAmountText(stated.minor, stated.currency)} cannot be compared with it`;
    return {unread: {why, absent: false, inRecord: subject === 'the record'}};
  }
  if (read.kind === 'absent')
    return stated === undefined
      ? {unread: {why: `${subject} has no amount`, absent: true}}
      : {amountMinor: stated.minor, currency: stated.currency, stated: true};
  const {minor, currency} = read;
  if (stated !== undefined && (stated.minor !== minor || stated.currency !== currency))
    throw new RemitError(
      'GUARD_CONFIRM',
      `refused to ${operation}: the amount is ${guardedAmountText(minor, currency)}, not ${guardedAmountText(stated.minor, stated.currency)} as stated; nothing was sent`,
    );
  return {amountMinor: minor, currency};
}

/**
 * The amount stated by --amount and --currency for a write whose amount the service does not show. Zero is allowed,
 * for a request that moves no money.
 */
export function readStated(flags: {
  amount?: string | undefined;
  currency?: string | undefined;
}): Amount | undefined {
  const {amount, currency} = flags;
  if (amount === undefined || currency === undefined) return undefined;
  if (/^0+(\.0+)?$/.test(amount)) return {minor: 0n, wire: 0, currency};
  return amountOfFlags({amount, currency});
}
