import {LIFECYCLES, hasSucceeded} from '../../../contract/lifecycle.ts';
import {isUsableId} from '../../../client/answers/readable.ts';
import {isObject, type Json} from '../../../narrow.ts';
import type {Assumption} from '../../../service/file/assumption.ts';
import {routeOf} from '../../../service/routes.ts';
import {STATUSES_OF} from '../../../service/file/schema.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {failedReplyText, replyOutcome, type ServiceReply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {toAdd} from '../survey/finding.ts';
import {lacksRoute, type ServiceSurvey} from '../survey/survey.ts';
import {findHeader, keyOf} from './keys.ts';
import {idOf, type ProbedKind, type Money, recordIn, REFERENCE} from './kinds.ts';
import {create, mayHaveCreated, type Probe} from './steps.ts';

const ROW = 1;

/** A record that the probe created, and how. */
export interface Made {
  readonly money: Money;
  readonly key: string;
  readonly id: string;
}

/** Creates a record without approval, for the first listed party that can be used. */
export async function createOne(probe: Probe, kind: ProbedKind): Promise<Made | undefined> {
  const {survey, context} = probe;
  const check = `routes.${idOf(kind, 'create')}`;
  const candidates = await moneyFor(probe, kind);
  let last: ServiceReply | undefined;
  for (const money of candidates) {
    const key = context.runtime.uuid();
    const made = await create(probe, kind, {money, key});
    last = made.reply;
    if (made.id !== undefined) return noteCreated(probe, kind, {money, key, id: made.id}, last);
    const other = await otherForm(probe, kind, money, last);
    if (other !== undefined && 'id' in other) return other;
    if (other !== undefined) last = other.refused;
    if (last.status !== 404 && last.status !== 422) break;
    if (last.errorCode === undefined) break; // the route is wrong, not the party
  }
  const fix = context.commands.write(kind.parties, 'create', '--name', 'Probe');
  if (last === undefined)
    survey.unknown(check, `no ${kind.parties.slice(0, -1)} to create a ${kind.noun} for`, {row: ROW, fix});
  else noteRefused(probe, kind, last);
  return undefined;
}

/** What could be paid or collected: each listed party, and for a payin also its payment methods. */
async function moneyFor({survey, context}: Probe, kind: ProbedKind): Promise<Money[]> {
  const parties = survey.samples.get(`${kind.parties}.list`)?.canonical ?? [];
  const ids = parties.flatMap(({id}) => (isUsableId(id, context.out.sanitizer) ? [id] : []));
  const [record] = survey.samples.get(idOf(kind, 'list'))?.canonical ?? [];
  const currency = record?.['currency_code'];
  const currency_code = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'USD';
  const methods =
    kind.noun === 'payin' ? (survey.samples.get('payerPaymentMethods.list')?.canonical ?? []) : [];
  const named = methods.flatMap(({id, payer_id: party, verification_status: status}) =>
    isUsableId(id, context.out.sanitizer) &&
    isUsableId(party, context.out.sanitizer) &&
    hasSucceeded(LIFECYCLES.paymentMethod, status)
      ? [{party, currency_code, payment_method_id: id}]
      : [],
  );
  return [...named, ...ids.map((party) => ({party, currency_code}))];
}

/** Sends the create in another form, if the refusal suggests one: another route, another header or a shorter key. */
async function otherForm(
  probe: Probe,
  kind: ProbedKind,
  money: Money,
  reply: ServiceReply,
): Promise<Made | {readonly refused: ServiceReply} | undefined> {
  const {survey, context} = probe;
  if (lacksRoute(reply)) return otherRoute(probe, kind, money, reply);
  if (!/^keys\b/.test(reply.assumption?.key ?? '')) return undefined;
  const found = await findHeader(probe, kind, money, reply.message);
  if (found !== undefined) {
    const {header, write, made} = found;
    const evidence = `${failedReplyText(reply, 'a record')}; ${made === undefined ? 'not refused' : 'accepted'} in the header ${header}`;
    survey.differs('keys.header', evidence, {row: 45, write, sure: true});
    if (made !== undefined) return noteCreated(probe, kind, {money, ...made}, found.reply);
    return {refused: found.reply};
  }
  for (const length of [32, 22]) {
    const key = keyOf(length, context.runtime.uuid());
    const {reply: other, id} = await create(probe, kind, {money, key});
    if (id === undefined) continue;
    const evidence = `a key of ${length} characters is accepted, one of 36 is refused`;
    survey.differs('keys.maxLength', evidence, {row: 45, write: {keys: {maxLength: length}}, sure: true});
    return noteCreated(probe, kind, {money, key, id}, other);
  }
  return undefined;
}

/** A create is often at the path of the list. */
async function otherRoute(
  probe: Probe,
  kind: ProbedKind,
  money: Money,
  refused: ServiceReply,
): Promise<Made | undefined> {
  const {survey, context} = probe;
  const id = idOf(kind, 'create');
  const {file} = survey.draft;
  const paths = new Set([routeOf(idOf(kind, 'list'), file).path, routeOf(id, file).path]);
  for (const route of [...paths].flatMap((path) => [`POST ${path}`, `PUT ${path}`])) {
    const write: ServiceFile = {routes: {[id]: route}};
    if (route === `${routeOf(id, file).method} ${routeOf(id, file).path}`) continue;
    if (survey.draft.problemWith(write) !== undefined) continue;
    const key = context.runtime.uuid();
    const {reply, id: made} = await create(probe, kind, {money, key, file: joined(file, write)});
    if (made === undefined) continue;
    const evidence = `${failedReplyText(refused, 'a record')}; ${replyOutcome(reply)}`;
    survey.differs(`routes.${id}`, evidence, {row: ROW, write, sure: true});
    return noteCreated(probe, kind, {money, key, id: made}, reply);
  }
  return undefined;
}

/** A name that a read has found, but whose unit is open, is already proposed. */
function fixFor({found}: ServiceSurvey, {key, text}: Assumption): string {
  if (found.some(({check, write}) => check === key && write !== undefined)) return `first decide on ${key}`;
  return /set \S+( and \S+)? in the service file/.exec(text)?.[0] ?? `set ${key} in the service file`;
}

function noteRefused({survey}: Probe, kind: ProbedKind, reply: ServiceReply): void {
  const operation = idOf(kind, 'create');
  const check = `routes.${operation}`;
  const evidence = failedReplyText(reply, 'a record');
  const {assumption} = reply;
  if (mayHaveCreated(reply)) survey.unknown(check, evidence, {row: ROW});
  else if (lacksRoute(reply))
    survey.differs(check, evidence, {row: ROW, fix: toAdd({routes: {[operation]: 'POST /path/creates'}})});
  else if (assumption !== undefined)
    survey.differs(check, evidence, {
      row: assumption.row ?? undefined,
      fix: fixFor(survey, assumption),
    });
  else survey.unknown(check, evidence, {row: ROW});
}

function noteCreated({survey}: Probe, kind: ProbedKind, made: Made, reply: ServiceReply): Made {
  const check = `routes.${idOf(kind, 'create')}`;
  const {status, client_metadata: metadata} = recordIn(reply);
  if (!survey.has(check)) survey.holds(check, `${replyOutcome(reply)} (${kind.noun} ${made.id})`, {row: ROW});
  if (status !== LIFECYCLES[kind.noun].initial) noteStatus(survey, kind, made, status);
  const reference = isObject(metadata) ? metadata['remit_reference'] : undefined;
  const place = kind.noun === 'payout' ? 'metadata.reference' : `metadata.reference (${kind.topic})`;
  if (reference === REFERENCE)
    survey.holds(place, `the ${kind.noun} has the metadata that was sent`, {row: 51});
  else {
    const fix = toAdd({fields: {[kind.topic]: {metadata: `${kind.noun}_metadata`}}});
    survey.differs(place, `the ${kind.noun} does not have the metadata that was sent`, {row: 51, fix});
  }
  return made;
}

/** A new record that is not approved must be `created`; the service may have another word for that. */
function noteStatus(survey: ServiceSurvey, kind: ProbedKind, {id}: Made, status: Json): void {
  const check = `${kind.topic} without approval`;
  const evidence = `${kind.noun} ${id} has status ${JSON.stringify(status)} instead of "created"`;
  if (typeof status !== 'string' || STATUSES_OF[kind.topic]?.includes(status) === true)
    survey.differs(check, evidence);
  else {
    const write: ServiceFile = {statuses: {[kind.topic]: {[status]: LIFECYCLES[kind.noun].initial}}};
    survey.differs(check, evidence, {write, when: `if ${status} means created`});
  }
}
