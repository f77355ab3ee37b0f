import {continued} from '../../../client/reading/continued.ts';
import {readPage, type SentPage} from '../../../client/reading/page.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {sizeOnWire} from '../../../service/paging.ts';
import {operationOf} from '../../../service/routes.ts';
import type {Paging, ServiceFile} from '../../../service/service-file.ts';
import {failedReplyText, type ServiceReply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {toAdd} from '../survey/finding.ts';

import {isGood, isRefused, type ServiceSurvey} from '../survey/survey.ts';
import {LIMIT_NAMES} from '../survey/words.ts';
import {checkNext, nextIsLost} from './next-page.ts';
import {checkOrder} from './order.ts';
import {isSameRecord, itemsOf} from './page-asked.ts';
import type {JsonFields} from '../../../narrow.ts';

const ROW = {envelope: 39, limit: 41};
const LARGEST = 100;

/** Checks paging with the list that has the most records. */
export async function checkPaging(survey: ServiceSurvey): Promise<void> {
  const [id, sample] = largest(survey) ?? [];
  if (id === undefined || sample === undefined || sample.length === 0) {
    for (const check of ['paging.max', ...PAGED])
      survey.unknown(check, 'no list has records', {row: ROW.limit});
    return;
  }
  const largestPage = await checkMax(survey, id);
  if (sample.length < 2) {
    for (const check of PAGED) survey.unknown(check, 'no list has two records', {row: ROW.envelope});
    return;
  }
  await checkPages(survey, id);
  if (largestPage !== undefined) await checkCap(survey, id, largestPage);
  await checkOrder(survey, id);
}

const PAGED = ['paging.limit', 'envelopes.next', 'paging.order'];

function largest({samples}: ServiceSurvey): [OperationId, readonly JsonFields[]] | undefined {
  const all = Array.from(samples, ([id, {wire}]): [OperationId, readonly JsonFields[]] => [id, wire]);
  const lists = all.filter(([id]) => operationOf(id).pages === 'cursor');
  return lists.sort(([, a], [, b]) => b.length - a.length)[0];
}

/** Finds the largest page size that the service does not refuse. Returns the largest page if it refuses none. */
async function checkMax(survey: ServiceSurvey, id: OperationId): Promise<ServiceReply | undefined> {
  const check = 'paging.max';
  const ask = async (limit: number) => survey.askList(id, {limit});
  const reply = await ask(LARGEST);
  if (isGood(reply)) return reply;
  if (!isRefused(reply)) {
    survey.unknown(check, `limit=${LARGEST} returned ${reply.status}`, {row: ROW.limit});
    return undefined;
  }
  let [good, bad] = [0, LARGEST];
  while (bad - good > 1) {
    const middle = good === 0 && bad === LARGEST ? 50 : Math.floor((good + bad) / 2);
    const answer = await ask(middle);
    if (isGood(answer)) good = middle;
    else if (isRefused(answer)) bad = middle;
    else break;
  }
  if (bad - good > 1 || good === 0) survey.unknown(check, `limit=${bad} is refused`, {row: ROW.limit});
  else
    survey.differs(check, `limit=${good} is accepted, limit=${bad} is refused`, {
      ...{row: ROW.limit, write: {paging: {max: good}}, sure: true},
    });
  return undefined;
}

/** Whether the service sends fewer records than requested although the list has more. */
async function checkCap(survey: ServiceSurvey, id: OperationId, reply: ServiceReply): Promise<void> {
  const check = 'paging.max';
  const {paging} = survey.draft.file;
  const page: SentPage | undefined = readPage(reply.json, reply.headers);
  const limit = sizeOnWire(LARGEST, paging);
  const items = itemsOf(id, reply);
  if (page === undefined || items.length >= limit)
    return survey.holds(check, `limit=${limit} returned ${items.length} records`, {row: ROW.limit});
  const readBefore = {count: 0, total: undefined};
  const {nextCursor: cursor, lacksEnd} = continued(page, {cursor: undefined, limit, readBefore}, paging);
  const next = cursor === undefined ? [] : itemsOf(id, await survey.askList(id, {limit: LARGEST, cursor}));
  const isMore = next.some((record) => !items.some((one) => isSameRecord(one, record)));
  const evidence = `limit=${limit} returned ${items.length} records`;
  if (isMore)
    survey.differs(check, `${evidence}, and the next page has more`, {
      ...{row: ROW.limit, write: {paging: {max: items.length}}, sure: true},
    });
  else if (lacksEnd === true || (cursor === undefined && !statesEnd(page, paging)))
    survey.unknown(check, `${evidence}; the list may have more`, {row: ROW.limit});
  else survey.holds(check, `${evidence}, all of the list`, {row: ROW.limit});
}

/** Whether the answer or the service file states that the page is the last one. That it is short proves nothing. */
const statesEnd = ({items, end, pages, total}: SentPage, paging: Paging | undefined): boolean =>
  end !== undefined || pages !== undefined || total === items.length || paging?.by === 'none';

/** Checks the parameter of the page size, and what leads to the next page. */
async function checkPages(survey: ServiceSurvey, id: OperationId): Promise<void> {
  const check = 'paging.limit';
  const {paging} = survey.draft.file;
  const smallest = sizeOnWire(1, paging);
  if (paging?.by === 'none') {
    for (const one of [check, 'paging.by'])
      survey.holds(one, 'lists have one page, as the service file states', {row: ROW.envelope});
    return;
  }
  const reply = await survey.askList(id, {limit: 1});
  const size = itemsOf(id, reply).length;
  if (size === smallest) {
    survey.holds(check, `limit=${size} returned ${recordsOf(size)}`, {row: ROW.limit});
    if (!(await checkNext(survey, {id, reply}))) nextIsLost(survey);
    return;
  }
  if (smallest > 1 && size > 0 && size < smallest) {
    const evidence = `limit=${smallest}, the smallest page, returned ${recordsOf(size)}`;
    survey.unknown(check, evidence, {row: ROW.limit});
    return survey.unknown('envelopes.next', `no list has more than ${smallest} records`, {row: ROW.envelope});
  }
  for (const limit of LIMIT_NAMES) {
    const write: ServiceFile = {paging: {limit}};
    const named = await survey.askList(id, {limit: 1}, joined(survey.draft.file, write));
    if (itemsOf(id, named).length !== 1) continue;
    const evidence = `limit has no effect; ${limit}=1 returned one record`;
    survey.differs(check, evidence, {row: ROW.limit, write, sure: true});
    if (!(await checkNext(survey, {id, reply: named}))) nextIsLost(survey);
    return;
  }
  await checkWholePages(survey, id, reply);
}

/** The service ignores the page size: its pages have one size, or the list has one page. */
async function checkWholePages(survey: ServiceSurvey, id: OperationId, reply: ServiceReply): Promise<void> {
  const size = itemsOf(id, reply).length;
  if (size === 0) {
    const fix = toAdd({paging: {limit: 'page_size'}});
    survey.differs('paging.limit', failedReplyText(reply, 'records'), {row: ROW.limit, fix});
    return survey.unknown('envelopes.next', 'pages of one record are not possible', {row: ROW.envelope});
  }
  const evidence = `limit has no effect: limit=1 returned ${recordsOf(size)}`;
  if (await checkNext(survey, {id, reply})) {
    const write: ServiceFile = {paging: {min: size, max: size}};
    return survey.differs('paging.limit', evidence, {row: ROW.limit, write, sure: true});
  }
  const page = readPage(reply.json, reply.headers);
  const isWhole = page !== undefined && (page.end !== undefined || page.total === size);
  survey.differs('paging.by', `${evidence}, and nothing leads to another page`, {
    ...{row: ROW.envelope, write: {paging: {by: 'none'}}, sure: isWhole},
    ...{when: 'if the service always sends the whole list', fix: toAdd({paging: {by: 'page'}})},
  });
}

const recordsOf = (count: number): string => (count === 1 ? 'one record' : `${count} records`);
