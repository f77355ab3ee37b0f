import type {OperationId} from '../../../contract/operations/operations.ts';
import {unwrapRecord} from '../../../client/answers/envelope.ts';
import {isList, isObject, type JsonFields} from '../../../narrow.ts';
import {allOperations} from '../../../contract/operations/operations.ts';
import {operationOf, paramsOf, routeOf} from '../../../service/routes.ts';
import type {ServiceFile} from '../../../service/service-file.ts';
import {NOWHERE, replyOutcome, refusalWords, type ServiceReply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {type Finding, toAdd} from '../survey/finding.ts';
import {isPath, shapeLeavesOf} from '../survey/shapes.ts';
import {noteItems, recordsIn} from './items.ts';
import {NO_SUCH_ID} from './errors.ts';
import {isGood, resourceOf, noteTrouble, rowOf, type ServiceSurvey} from '../survey/survey.ts';

/** Reads that need the id of a record, and the list to take it from. */
const GETS: readonly (readonly [id: OperationId, list: OperationId])[] = [
  ['payouts.get', 'payouts.list'],
  ['payins.get', 'payins.list'],
  ['payees.get', 'payees.list'],
  ['payers.get', 'payers.list'],
  ['subaccounts.get', 'subaccounts.list'],
  ['moves.get', 'moves.list'],
  ['webhookEndpoints.get', 'webhookEndpoints.list'],
  ['treasury.balance', 'treasury.accounts'],
  ['treasury.transactions', 'treasury.accounts'],
  ['payeePaymentMethods.list', 'payees.list'],
  ['payerPaymentMethods.list', 'payers.list'],
];

/** Reads one record of each kind by its id, and checks the route and the envelope. */
export async function checkGets(survey: ServiceSurvey): Promise<void> {
  const wrappers = new Map<OperationId, string>();
  for (const [id, list] of GETS)
    await survey.attempt(`routes.${id}`, () => checkGet(survey, {id, list, wrappers}));
  noteWrappers(survey, wrappers);
}

interface Get {
  readonly id: OperationId;
  readonly list: OperationId;
  readonly wrappers: Map<OperationId, string>;
}

async function checkGet(survey: ServiceSurvey, {id, list, wrappers}: Get): Promise<void> {
  const [recordId, ...others] = idsIn(survey, list);
  const {path} = operationOf(id);
  const [name = 'id'] = paramsOf(path);
  if (recordId === undefined) {
    const proof = await refusedOtherwise(survey, id, name);
    if (proof === undefined) survey.unknown(`routes.${id}`, NO_RECORD, {row: rowOf(id)});
    else survey.holds(`routes.${id}`, proof, {row: rowOf(id)});
    return;
  }
  const params = {[name]: recordId};
  const reply = await survey.ask(id, {params});
  noteRoute(survey, id, reply);
  if (!isGood(reply)) return;
  if (id.endsWith('.list') || id === 'treasury.transactions') {
    keepSample(survey, id, {reply, params});
    for (const other of others)
      // the first party may have no payment method
      if (survey.samples.get(id)?.wire.length === 0) await readSample(survey, id, {[name]: other});
  } else {
    if (id === 'treasury.balance') keepBalance(survey, reply, recordId);
    noteWrapper(survey, {id, reply, recordId, wrappers});
  }
}

/**
 * What shows that a route exists, without a record: the service refuses an id that no record has, or one that is
 * malformed, in other words than the same id below a path that does not exist.
 */
async function refusedOtherwise(
  survey: ServiceSurvey,
  id: OperationId,
  name: string,
): Promise<string | undefined> {
  const {file} = survey.draft;
  const {path} = routeOf(id, file);
  const nowhere = path.replace('/{', `${NOWHERE}/{`);
  for (const value of [NO_SUCH_ID, 'not-an-id']) {
    const question = {params: {[name]: value}};
    const reply = await survey.ask(id, question);
    const other = await survey.ask(id, question, joined(file, {routes: {[id]: `GET ${nowhere}`}}));
    if (![400, 404, 422].includes(reply.status) || ![400, 403, 404, 405, 422].includes(other.status))
      continue;
    if (refusalWords(reply) !== refusalWords(other))
      return `${replyOutcome(reply)} for the id ${value}, and a path that does not exist is refused differently`;
  }
  return undefined;
}

/** Ids in a list that can be used in a path. */
function idsIn({samples}: ServiceSurvey, list: OperationId): string[] {
  const ids = samples.get(list)?.canonical.map(({id}) => id) ?? [];
  return ids.filter((id): id is string => typeof id === 'string' && /^[!-~]{1,144}$/.test(id));
}

/** The get of a record that the probe created, where there was none to read before. */
export function noteLaterGet(survey: ServiceSurvey, id: OperationId, reply: ServiceReply): void {
  const isOpen = (finding: Finding) => finding.check === `routes.${id}` && finding.evidence === NO_RECORD;
  if (!survey.found.some(isOpen)) return;
  survey.found = survey.found.filter((finding) => !isOpen(finding));
  noteRoute(survey, id, reply);
}

const NO_RECORD = 'no record to read';

function noteRoute(survey: ServiceSurvey, id: OperationId, reply: ServiceReply): void {
  const check = `routes.${id}`;
  if (survey.has(check)) return;
  const row = rowOf(id);
  const isNoBalance = id === 'treasury.balance' && reply.status === 404; // row 20: the bank has not reported yet
  const isJson = isObject(reply.wire) || isList(reply.wire);
  if (isGood(reply) && isJson) survey.holds(check, replyOutcome(reply), {row});
  else if (isNoBalance) survey.unknown(check, replyOutcome(reply), {row});
  else
    noteTrouble(survey, id, reply, 'JSON', {
      routes: {[id]: `GET /path/one/{${paramsOf(operationOf(id).path)[0]}}`}, // ids are checked by type
    });
}

type Params = Readonly<Record<string, string>>;

async function readSample(survey: ServiceSurvey, id: OperationId, params: Params): Promise<void> {
  keepSample(survey, id, {reply: await survey.ask(id, {params}), params});
}

function keepBalance(survey: ServiceSurvey, {wire, json}: ServiceReply, accountId: string): void {
  const record = unwrapRecord(json);
  if (isObject(wire) && isObject(record) && isWhole('treasury.balance', record, accountId))
    survey.samples.set('treasury.balance', {wire: [wire], canonical: [record]});
}

function keepSample(
  survey: ServiceSurvey,
  id: OperationId,
  {reply, params}: {reply: ServiceReply; params: Params},
): void {
  const {wire = [], canonical = []} = recordsIn(id, reply) ?? {};
  survey.samples.set(id, {wire, canonical, params});
  noteItems(survey, new Map([[id, reply]]));
}

function noteWrapper(
  survey: ServiceSurvey,
  {
    id,
    reply,
    recordId,
    wrappers,
  }: {id: OperationId; reply: ServiceReply; recordId: string; wrappers: Map<OperationId, string>},
): void {
  const record = unwrapRecord(reply.json);
  if (isObject(record) && isWhole(id, record, recordId)) {
    const check = 'envelopes.record';
    if (survey.has(check)) return;
    const place = isObject(reply.wire) && reply.wire['id'] === undefined ? 'inside an object' : 'itself';
    return survey.holds(check, `${reply.asked} returned the record ${place}`, {row: 6});
  }
  const holder = shapeLeavesOf(reply.wire).find(
    ({path, value}) =>
      isPath(path) && isObject(value) && Object.values(value).some((inner) => inner === recordId),
  );
  if (holder !== undefined) wrappers.set(id, holder.path);
  else
    survey.differs(`envelopes.record (${id})`, `${reply.asked} returned no record with an id`, {
      ...{row: 6, fix: toAdd({envelopes: {record: {[id]: 'path.to.record'}}})},
    });
}

/** Whether it is the record itself. A balance has no id, and the service may call its account by another name. */
const isWhole = (id: OperationId, record: JsonFields, recordId: string): boolean =>
  (record['id'] ?? record['account_id']) !== undefined ||
  (id === 'treasury.balance' &&
    Object.values(record).some((value) => value === recordId || typeof value === 'number'));

/** Writes one path for all records, or one for each kind if they differ. */
function noteWrappers(survey: ServiceSurvey, wrappers: ReadonlyMap<OperationId, string>): void {
  if (wrappers.size === 0) return;
  const names = new Set(wrappers.values());
  const [only = ''] = names;
  const isOne = names.size === 1 && !survey.has('envelopes.record'); // all gets agree
  const byOperation = Object.fromEntries(
    [...wrappers].flatMap(([id, name]) => recordsOf(id).map((other) => [other, name] as const)),
  );
  const write: ServiceFile = {envelopes: {record: isOne ? only : byOperation}};
  const evidence = isOne
    ? `records are in ${only}, not at the top of the answer`
    : [...wrappers].map(([id, name]) => `${id} returns its record in ${name}`).join('; ');
  survey.differs('envelopes.record', evidence, {row: 6, write, sure: true});
}

/** Operations that return the same kind of record as a get. */
function recordsOf(id: OperationId): OperationId[] {
  if (!id.endsWith('.get')) return [id];
  return allOperations().flatMap(({id: other, operation}) =>
    resourceOf(other) === resourceOf(id) && operation.pages === undefined && operation.method !== 'DELETE'
      ? [other]
      : [],
  );
}
