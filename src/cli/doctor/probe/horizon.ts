import {statedHorizonMs, type ServiceFile} from '../../../service/service-file.ts';
import type {ServiceReply} from '../survey/asker.ts';
import {forgetKey, keepKey, type KeptKey} from './key-memory.ts';
import {probedIdIn, type Money, PROBED_PAYOUT} from './kinds.ts';
import {cancelAll, create, type Probe} from './steps.ts';
import {isGood, type ServiceSurvey} from '../survey/survey.ts';

const CHECK = 'keys.horizon';
const ROW = 46;

/** Replays the key of an earlier probe, whose payout is canceled. The service refuses it while it knows the key. */
export async function checkHorizon(probe: Probe, kept: KeptKey): Promise<void> {
  const {context, survey, probed} = probe;
  const {payee_id: party, currency_code, idempotency_key: key} = kept;
  const from = probed.created.length;
  const reply = await replayed(probe, kept, {party, currency_code}, key);
  const ageMs = Math.max(0, context.clock.now() - kept.at_ms);
  if (reply.status === 409 || (isGood(reply) && probedIdIn(reply, context) === kept.payout_id)) {
    keepKey(context, {...kept, known_ms: ageMs});
    noteKnown(survey, ageMs);
  } else if (probed.created.length > from) {
    await cancelAll(probe, PROBED_PAYOUT, from);
    forgetKey(context);
    noteForgotten(survey, ageMs, kept.known_ms);
  } else {
    const evidence = `replaying the key of an earlier probe returned ${reply.status}`;
    survey.unknown(CHECK, evidence, {row: ROW});
  }
}

/** Sends the create again. A payout of an earlier probe that comes back was not created now. */
async function replayed(probe: Probe, kept: KeptKey, money: Money, key: string): Promise<ServiceReply> {
  const {probed} = probe;
  const before = probed.created.length;
  const {reply} = await create(probe, PROBED_PAYOUT, {money, key});
  if (probed.created[before] === kept.payout_id) probed.created.splice(before, 1);
  return reply;
}

function noteKnown(survey: ServiceSurvey, ageMs: number): void {
  const stated = statedHorizonMs(survey.draft.file);
  const evidence = `the service remembers keys for at least ${atLeast(ageMs)}`;
  if (stated !== undefined && ageMs >= stated) survey.holds(CHECK, evidence, {row: ROW});
  else survey.unknown(CHECK, evidence, {row: ROW});
}

/** The service has forgotten the key. If it was known at an earlier probe, that time is certain. */
function noteForgotten(survey: ServiceSurvey, ageMs: number, knownMs: number): void {
  const stated = statedHorizonMs(survey.draft.file);
  const before = knownMs < 1000 ? '' : ` and at least ${atLeast(knownMs)}`;
  const evidence = `the service remembers keys for at most ${atMost(ageMs)}${before}`;
  if (stated !== undefined && stated <= Math.max(knownMs, 1000))
    return survey.holds(CHECK, evidence, {row: ROW});
  const write: ServiceFile | undefined = knownMs < 1000 ? undefined : {keys: {horizon: atLeast(knownMs)}};
  const fix = 'set keys.horizon in the service file to a shorter time, such as 1h';
  survey.differs(CHECK, evidence, {row: ROW, write, sure: write !== undefined, fix});
}

/** Each unit is used from `from` on: two days or more are not shown in hours. */
const UNITS = [
  {unit: 'd', size: 86_400_000, from: 2 * 86_400_000},
  {unit: 'h', size: 3_600_000, from: 10 * 3_600_000},
  {unit: 'm', size: 60_000, from: 10 * 60_000},
  {unit: 's', size: 1000, from: 0},
] as const;

/** Rounded down: 95 minutes are `95m`, 30 hours `30h`, and 71 hours `2d`. */
const atLeast = (ms: number): string => spanOf(ms, Math.floor);

/** Rounded up. */
const atMost = (ms: number): string => spanOf(ms, Math.ceil);

function spanOf(ms: number, round: (n: number) => number): string {
  const {unit, size} = UNITS.find(({from}) => ms >= from) ?? {unit: 's', size: 1000};
  return `${round(ms / size)}${unit}`;
}
