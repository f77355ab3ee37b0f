import {NEXT_KEY, MORE_KEY, readPage} from '../../../client/reading/page.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {cursorNameOf} from '../../../service/paging.ts';
import {operationOf} from '../../../service/routes.ts';
import type {Paging, ServiceFile} from '../../../service/service-file.ts';
import type {Reply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {findings, toAdd} from '../survey/finding.ts';
import {isPath, itemsIn, type Json, leavesOf} from '../survey/shapes.ts';
import {isGood, resourceOf, type Survey} from '../survey/survey.ts';
import {CURSOR_NAMES, LIMIT_NAMES, ORDER_NAMES, ORDER_WORDS} from '../survey/words.ts';

const {holds, differs, unknown} = findings('service');
const ROW = {envelope: 39, order: 40, limit: 41};
const LARGEST = 100;

/** Checks paging with the list that has the most records. */
export async function checkPaging(survey: Survey): Promise<void> {
  const [id, sample] = largest(survey) ?? [];
  if (id === undefined || sample === undefined || sample.length === 0) {
    for (const check of ['paging.max', ...PAGED])
      survey.found.push(unknown(check, 'no list has records', {row: ROW.limit}));
    return;
  }
  await checkMax(survey, id);
  const [first, second] = sample;
  if (first === undefined || second === undefined) {
    for (const check of PAGED)
      survey.found.push(unknown(check, 'no list has two records', {row: ROW.envelope}));
    return;
  }
  if (await checkLimit(survey, id)) await checkNext(survey, id, [first, second]);
  await checkOrder(survey, id);
}

const PAGED = ['paging.limit', 'envelopes.next', 'paging.order'];

function largest({samples}: Survey): [OperationId, readonly Json[]] | undefined {
  const all = Array.from(samples, ([id, {wire}]): [OperationId, readonly Json[]] => [id, wire]);
  const lists = all.filter(([id]) => operationOf(id).pages === 'cursor');
  return lists.sort(([, a], [, b]) => b.length - a.length)[0];
}

const isRefused = ({status}: Reply): boolean => status === 400 || status === 422;
const itemsOf = (id: OperationId, reply: Reply): readonly Json[] =>
  (isGood(reply) ? itemsIn(reply.wire, resourceOf(id))?.items : undefined) ?? [];

async function checkMax(survey: Survey, id: OperationId): Promise<void> {
  const check = 'paging.max';
  const ask = async (limit: number) => survey.askList(id, {limit});
  const reply = await ask(LARGEST);
  if (isGood(reply)) {
    survey.found.push(holds(check, `limit=${LARGEST} is accepted`, {row: ROW.limit}));
    return;
  }
  if (!isRefused(reply)) {
    survey.found.push(unknown(check, `limit=${LARGEST} returned ${reply.status}`, {row: ROW.limit}));
    return;
  }
  let [good, bad] = [0, LARGEST];
  while (bad - good > 1) {
    const middle = good === 0 && bad === LARGEST ? 50 : Math.floor((good + bad) / 2);
    const answer = await ask(middle);
    if (isGood(answer)) good = middle;
    else if (isRefused(answer)) bad = middle;
    else break;
  }
  if (bad - good > 1 || good === 0)
    survey.found.push(unknown(check, `limit=${bad} is refused`, {row: ROW.limit}));
  else
    survey.differs(
      differs(check, `limit=${good} is accepted, limit=${bad} is refused`, {
        ...{row: ROW.limit, write: {paging: {max: good}}, sure: true},
      }),
    );
}

/** Checks the parameter of the page size. Returns whether pages of one record are possible; later checks need them. */
async function checkLimit(survey: Survey, id: OperationId): Promise<boolean> {
  const check = 'paging.limit';
  const plain = await survey.askList(id, {limit: 1});
  if (itemsOf(id, plain).length === 1) {
    survey.found.push(holds(check, 'limit=1 returned one record', {row: ROW.limit}));
    return true;
  }
  for (const limit of LIMIT_NAMES) {
    const write: ServiceFile = {paging: {limit}};
    const reply = await survey.askList(id, {limit: 1}, joined(survey.draft.file, write));
    if (itemsOf(id, reply).length !== 1) continue;
    const evidence = `limit has no effect; ${limit}=1 returned one record`;
    survey.differs(differs(check, evidence, {row: ROW.limit, write, sure: true}));
    return true;
  }
  survey.found.push(
    differs(check, 'limit has no effect', {
      ...{row: ROW.limit, fix: toAdd({paging: {limit: 'page_size'}})},
    }),
  );
  survey.found.push(unknown('envelopes.next', 'pages of one record are not possible', {row: ROW.envelope}));
  return false;
}

/** Finds the cursor and the parameter to send it in. The second page must have another record. */
async function checkNext(
  survey: Survey,
  id: OperationId,
  [first, second]: readonly [Json, Json],
): Promise<void> {
  const check = 'envelopes.next';
  const page = await survey.askList(id, {limit: 1});
  const own = readPage(page.json)?.nextCursor;
  const leads = async (file: ServiceFile, cursor: string) => {
    const reply = await survey.askList(id, {limit: 1, cursor}, file);
    const [item] = itemsOf(id, reply);
    return item !== undefined && JSON.stringify(item) !== JSON.stringify(first);
  };
  for (const {path, more, cursor} of cursorsIn(page, own)) {
    for (const name of [undefined, ...namesIn(page, path), ...CURSOR_NAMES]) {
      const write: ServiceFile = {
        ...(path === undefined ? {} : {envelopes: {next: path, ...(more === undefined ? {} : {more})}}),
        ...(name === undefined ? {} : {paging: {cursor: name}}),
      };
      if (!(await leads(joined(survey.draft.file, write), cursor))) continue;
      if (path === undefined && name === undefined)
        survey.found.push(holds(check, 'next_cursor leads to the next page', {row: ROW.envelope}));
      else {
        const evidence = `the next page is requested with ${name ?? 'cursor'}, from ${path ?? 'next_cursor'}`;
        survey.differs(differs(check, evidence, {row: ROW.envelope, write, sure: true}));
      }
      return;
    }
  }
  if (await checkBy(survey, id, {page, first, second})) return;
  survey.found.push(
    differs(check, 'the next page could not be requested', {
      ...{
        row: ROW.envelope,
        fix: toAdd({envelopes: {next: 'path.to.cursor'}, paging: {cursor: 'parameter'}}),
      },
    }),
  );
}

/** Finds out whether pages are requested by number, offset, the id of the last record, or the `Link` header. */
async function checkBy(
  survey: Survey,
  id: OperationId,
  {page, first, second}: {page: Reply; first: Json; second: Json},
): Promise<boolean> {
  const check = 'paging.by';
  const own = survey.draft.file.paging;
  if (own?.by === 'none') {
    survey.found.push(holds(check, 'none, as the service file states', {row: ROW.envelope}));
    return true;
  }
  for (const {paging, cursor} of waysOn(page, first)) {
    const write: ServiceFile = {paging};
    const reply = await survey.askList(id, {limit: 1, cursor}, joined(survey.draft.file, write));
    if (JSON.stringify(itemsOf(id, reply)) !== JSON.stringify([second])) continue;
    const evidence = `no cursor leads to the next page; ${cursorNameOf(paging)}=${cursor} does`;
    if (own?.by === paging.by) survey.found.push(holds(check, evidence, {row: ROW.envelope}));
    else survey.differs(differs(check, evidence, {row: ROW.envelope, write, sure: true}));
    return true;
  }
  return false;
}

/** What may lead to the second page of one record. */
function waysOn(page: Reply, first: Json): {paging: Paging; cursor: string}[] {
  const link = readPage(page.json, page.headers['link'])?.nextLink ?? '';
  const params = [...new URLSearchParams(link.split('?')[1] ?? '')].filter(([name]) => name !== 'limit');
  const ids = typeof first['id'] === 'string' ? [first['id']] : [];
  return [
    ...params.map(([cursor, value]) => ({paging: {by: 'link' as const, cursor}, cursor: value})),
    ...['page', 'page_number'].flatMap((cursor) => [
      {paging: {by: 'page' as const, cursor}, cursor: '2'},
      {paging: {by: 'page' as const, cursor, first: 0}, cursor: '1'},
    ]),
    ...['offset', 'skip', 'start'].map((cursor) => ({paging: {by: 'offset' as const, cursor}, cursor: '1'})),
    ...['starting_after', 'after', 'after_id', 'last_id'].flatMap((cursor) =>
      ids.map((last) => ({paging: {by: 'id' as const, cursor}, cursor: last})),
    ),
  ];
}

interface Lead {
  readonly path: string | undefined;
  readonly more: string | undefined;
  readonly cursor: string;
}

function cursorsIn({wire}: Reply, own: string | undefined): Lead[] {
  if (own !== undefined) return [{path: undefined, more: undefined, cursor: own}];
  const leaves = leavesOf(wire).filter(({path}) => isPath(path));
  const more = leaves.find(({name, value}) => MORE_KEY.test(name) && typeof value === 'boolean')?.path;
  return leaves.flatMap(({path, name, value}) => {
    const isCursor =
      NEXT_KEY.test(name) && ((typeof value === 'string' && value !== '') || typeof value === 'number');
    if (!isCursor) return [];
    return [{path, more, cursor: inAddress(String(value)) ?? String(value)}];
  });
}

const query = (value: string): URLSearchParams | undefined =>
  /^(https?:\/\/|\/|\?)/.test(value) ? new URLSearchParams(value.split('?')[1]?.split('#')[0]) : undefined;

/** The cursor in the address of the next page. */
function inAddress(value: string): string | undefined {
  const params = query(value);
  const name = ['cursor', ...CURSOR_NAMES].find((one) => params?.has(one));
  return name === undefined ? undefined : (params?.get(name) ?? undefined);
}

function namesIn({wire}: Reply, path: string | undefined): string[] {
  const value = leavesOf(wire).find((leaf) => leaf.path === path)?.value;
  return CURSOR_NAMES.filter((name) => query(typeof value === 'string' ? value : '')?.has(name) === true);
}

async function checkOrder(survey: Survey, id: OperationId): Promise<void> {
  const check = 'paging.order';
  const row = ROW.order;
  const tried = await bothOrders(survey, id, survey.draft.file);
  if (tried.differ) {
    survey.found.push(holds(check, 'order=asc and order=desc start with different records', {row}));
    return;
  }
  const names = tried.refused ? [undefined, ...ORDER_NAMES] : ORDER_NAMES;
  for (const name of names) {
    for (const words of name === undefined ? ORDER_WORDS : [undefined, ...ORDER_WORDS]) {
      const [asc, desc] = words ?? [];
      const write: ServiceFile = {
        paging: {
          order: {
            ...(name === undefined ? {} : {name}),
            ...(asc === undefined || desc === undefined ? {} : {asc, desc}),
          },
        },
      };
      const {differ} = await bothOrders(survey, id, joined(survey.draft.file, write));
      if (!differ) continue;
      const evidence = `${name ?? 'order'}=${asc ?? 'asc'} and ${name ?? 'order'}=${desc ?? 'desc'} start with different records`;
      survey.differs(differs(check, evidence, {row, write, sure: true}));
      return;
    }
  }
  const seen = tried.refused ? 'order=asc and order=desc are refused' : 'order has no effect';
  survey.found.push(
    differs(check, seen, {row, fix: toAdd({paging: {order: {name: 'sort', asc: 'oldest', desc: 'newest'}}})}),
  );
}

async function bothOrders(survey: Survey, id: OperationId, file: ServiceFile) {
  const asc = await survey.askList(id, {order: 'asc'}, file);
  if (!isGood(asc)) return {refused: isRefused(asc), differ: false};
  const desc = await survey.askList(id, {order: 'desc'}, file);
  const [a, b] = [itemsOf(id, asc)[0], itemsOf(id, desc)[0]];
  const differ = a !== undefined && b !== undefined && JSON.stringify(a) !== JSON.stringify(b);
  return {refused: isRefused(desc), differ};
}
