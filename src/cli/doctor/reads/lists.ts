import type {OperationId} from '../../../contract/operations/operations.ts';
import {isList, isObject, must} from '../../../narrow.ts';
import {routeOf} from '../../../service/routes.ts';
import type {PrefixName, ServiceFile} from '../../../service/service-file.ts';
import {replyOutcome, type RequestParts, type ServiceReply, routeText} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {toAdd} from '../survey/finding.ts';
import {itemsIn} from '../survey/shapes.ts';
import {isGood, isMissing, resourceOf, noteTrouble, rowOf, type ServiceSurvey} from '../survey/survey.ts';
import {COLLECTION_WORDS, PREFIXES} from '../survey/words.ts';
import {noteItems, recordsIn} from './items.ts';
import {findSmallestPage} from './smallest-page.ts';

/** Lists that need no id. */
export const LISTS: readonly OperationId[] = [
  ...(['payouts.list', 'payins.list', 'payees.list', 'payers.list', 'subaccounts.list'] as const),
  ...(['moves.list', 'treasury.accounts', 'accountTransfers.list', 'webhookEndpoints.list'] as const),
];
/** Enough records to see their shape. */
const PAGE: RequestParts = {query: {limit: 5}};

/** Finds the route, the envelope and a few records of each list. */
export async function checkLists(survey: ServiceSurvey): Promise<void> {
  let lists = await askAll(survey);
  if (await findPrefixes(survey, lists)) lists = await askAll(survey);
  if (await findSmallestPage(survey, lists)) lists = await askAll(survey);
  const final = new Map<OperationId, ServiceReply>();
  for (const [id, reply] of lists) {
    const answer = leadsNowhere(reply) ? await otherRoute(survey, id, reply) : reply;
    final.set(id, answer);
    noteRoute(survey, id, answer);
    const records = recordsIn(id, answer);
    if (records !== undefined) survey.samples.set(id, records);
  }
  noteItems(survey, final);
  await checkEventTypes(survey);
}

async function askAll(survey: ServiceSurvey): Promise<Map<OperationId, ServiceReply>> {
  const lists = new Map<OperationId, ServiceReply>();
  for (const id of LISTS) lists.set(id, await survey.ask(id, PAGE));
  return lists;
}

/** Whether the answer is a list, not a page of HTML or the record of another path. */
const isListed = (id: OperationId, reply: ServiceReply): boolean =>
  isGood(reply) && itemsIn(reply.wire, resourceOf(id)) !== undefined;

/** Looks for another prefix if no list below the current one exists. Returns whether one was found. */
async function findPrefixes(
  survey: ServiceSurvey,
  lists: ReadonlyMap<OperationId, ServiceReply>,
): Promise<boolean> {
  const isAbsent = (ids: readonly OperationId[]) =>
    ids.every((id) => leadsNowhere(must(lists.get(id), `answer of ${id}`))) &&
    ids.some((id) => !isRouted(survey, id));
  const plain: OperationId[] = ['payouts.list', 'payins.list', 'payees.list', 'payers.list'];
  const before = survey.draft.file;
  if (isAbsent(plain)) await tryPrefix(survey, 'api', 'payouts.list', PREFIXES);
  const api = survey.draft.file.prefixes?.api ?? '/api';
  const inTreasury: OperationId[] = ['treasury.accounts', 'accountTransfers.list'];
  if (isAbsent(inTreasury) && !(await isThere(survey, 'treasury.accounts'))) {
    const ends = ['/treasury', '', '/banking', '/bank', '/treasury-management'];
    const places = [...ends.map((end) => api + end), '/treasury', '/bank', '/v1/treasury', '/api/treasury'];
    if (!(await tryPrefix(survey, 'treasury', 'treasury.accounts', places))) noteTreasury(survey);
  }
  if (isAbsent(['webhookEndpoints.list']) && !(await isThere(survey, 'webhookEndpoints.list'))) {
    const ends = (COLLECTION_WORDS['webhookEndpoints'] ?? []).map((word) => `${api}/${word}`);
    await tryPrefix(survey, 'webhookEndpoints', 'webhookEndpoints.list', ends);
  }
  return survey.draft.file !== before;
}

/** Whether there is no such route. A path below another route may be refused as a malformed id. */
const leadsNowhere = (reply: ServiceReply): boolean => isMissing(reply) || reply.status === 400;
/** Whether the service file sets the route of an operation. */
const isRouted = ({draft}: ServiceSurvey, id: OperationId): boolean => draft.file.routes?.[id] !== undefined;

const isThere = async (survey: ServiceSurvey, id: OperationId): Promise<boolean> =>
  isListed(id, await survey.ask(id, PAGE));

async function tryPrefix(
  survey: ServiceSurvey,
  name: PrefixName,
  id: OperationId,
  prefixes: readonly string[],
): Promise<boolean> {
  const before = routeText(id, survey.draft.file);
  for (const prefix of new Set(prefixes)) {
    const write: ServiceFile = {prefixes: {[name]: prefix}};
    const file = joined(survey.draft.file, write);
    if (routeText(id, file) === before) continue;
    if (!isListed(id, await survey.ask(id, PAGE, file))) continue;
    const evidence = `${before} does not exist; ${routeText(id, file)} returned a list`;
    survey.differs(`prefixes.${name}`, evidence, {row: rowOf(id), write, sure: true});
    return true;
  }
  return false;
}

/** The accounts may have another name, but that the transfers between them are missing too points to the prefix. */
function noteTreasury(survey: ServiceSurvey): void {
  const at = survey.draft.file.prefixes?.treasury ?? '/api/treasury';
  survey.differs('prefixes.treasury', `neither accounts nor account transfers are listed below ${at}`, {
    ...{row: 18, fix: toAdd({prefixes: {treasury: '/path'}})},
  });
}

/** Looks for the same list at a path with another noun. */
async function otherRoute(
  survey: ServiceSurvey,
  id: OperationId,
  reply: ServiceReply,
): Promise<ServiceReply> {
  const {file} = survey.draft;
  const {path} = routeOf(id, file);
  const plain = await survey.ask(id); // some services refuse an unknown query
  if (isListed(id, plain)) return plain;
  const base = path.slice(0, path.lastIndexOf('/'));
  const api = file.prefixes?.api ?? '/api';
  for (const word of COLLECTION_WORDS[resourceOf(id)] ?? []) {
    for (const place of new Set([base, api])) {
      const write = routesAt(id, `${place}/${word}`);
      const trial = joined(file, write);
      const other = await survey.ask(id, PAGE, trial);
      if (!isListed(id, other)) continue;
      const evidence = `${replyOutcome(reply)}; GET ${place}/${word} returned a list`;
      const sure = !MOVES_MONEY.test(resourceOf(id)) || word.includes('move');
      survey.differs(`routes.${id}`, evidence, {row: rowOf(id), write, sure});
      return other;
    }
  }
  return reply;
}

/** Resources for which a list with another name may contain other records, so its route is only proposed. */
const MOVES_MONEY = /^(payouts|payins|moves)$/;

/** The routes of a collection at another path that reads can confirm. */
function routesAt(id: OperationId, to: string): ServiceFile {
  const resource = resourceOf(id);
  const get = `${resource}.get` as OperationId;
  const hasGet = !['treasury', 'accountTransfers'].includes(resource);
  return {
    routes: {
      [id]: `GET ${to}`,
      ...(hasGet ? {[get]: `GET ${to}${routeOf(get, {}).path.slice(routeOf(id, {}).path.length)}`} : {}),
    },
  };
}

function noteRoute(survey: ServiceSurvey, id: OperationId, reply: ServiceReply): void {
  const check = `routes.${id}`;
  const row = rowOf(id);
  if (survey.has(check)) return;
  if (isListed(id, reply)) return survey.holds(check, `${reply.asked} returned a list`, {row});
  const example: ServiceFile = isGood(reply)
    ? {envelopes: {list: 'path.to.items'}}
    : {routes: {[id]: 'GET /path/list'}};
  noteTrouble(survey, id, reply, 'a list', example);
}

async function checkEventTypes(survey: ServiceSurvey): Promise<void> {
  const reply = await survey.ask('eventTypes.list');
  const check = 'routes.eventTypes.list';
  if (survey.has(check)) return;
  const isRead = isList(reply.json) || (isObject(reply.json) && Object.values(reply.json).some(isList));
  if (isGood(reply) && isRead) survey.holds(check, replyOutcome(reply));
  else
    noteTrouble(survey, 'eventTypes.list', reply, 'a list', {
      routes: {'eventTypes.list': 'GET /path/event-types'},
    });
}
