import {MORE_KEY, NEXT_KEY, readPage} from '../../../client/reading/page.ts';
import type {OperationId} from '../../../contract/operations/operations.ts';
import {cursorNameOf} from '../../../service/paging.ts';
import type {Paging, ServiceFile} from '../../../service/service-file.ts';
import type {ServiceReply} from '../survey/asker.ts';
import {joined} from '../survey/draft.ts';
import {toAdd} from '../survey/finding.ts';
import {isPath, shapeLeavesOf} from '../survey/shapes.ts';
import type {ServiceSurvey} from '../survey/survey.ts';
import {CURSOR_NAMES} from '../survey/words.ts';
import {isSameRecord, itemsOf} from './page-asked.ts';

const row = 39;

/** The first page of a list: of one record, unless the service ignores the page size. */
export interface FirstPage {
  readonly id: OperationId;
  readonly reply: ServiceReply;
}

/** Finds what leads to the next page, and reports it. Returns false if nothing does. */
export async function checkNext(survey: ServiceSurvey, page: FirstPage): Promise<boolean> {
  return (await checkCursor(survey, page)) || (await checkBy(survey, page));
}

/** The next page could not be requested, although there must be one. */
export const nextIsLost = (survey: ServiceSurvey): void =>
  survey.differs('envelopes.next', 'the next page could not be requested', {
    ...{row, fix: toAdd({envelopes: {next: 'path.to.cursor'}, paging: {cursor: 'parameter'}})},
  });

/**
 * Whether a request leads to another page. The first page is read again: at a list that grows all the time, a record that
 * it did not have before proves nothing.
 */
async function leads(
  survey: ServiceSurvey,
  {id, reply}: FirstPage,
  {file, cursor, first}: {file: ServiceFile; cursor: string; first?: number | undefined},
): Promise<boolean> {
  const ask = async (query: {cursor?: string} = {}) =>
    itemsOf(id, await survey.askList(id, {limit: 1, ...query}, file));
  const before = itemsOf(id, reply);
  const next = await ask({cursor});
  if (next.length === 0 || before.some((record) => isSameRecord(record, next.at(-1)))) return false;
  const again = await ask();
  if (isSameRecord(next[0], again[0])) return false;
  if (first === undefined) return true;
  // A page with the wrong number would be skipped.
  const [numbered] = await ask({cursor: String(first)});
  return isSameRecord(numbered, before[0]) || isSameRecord(numbered, again[0]);
}

async function checkCursor(survey: ServiceSurvey, page: FirstPage): Promise<boolean> {
  const check = 'envelopes.next';
  for (const {path, more, cursor} of cursorsIn(page.reply)) {
    for (const name of [undefined, ...namesIn(page.reply, path), ...CURSOR_NAMES]) {
      const write: ServiceFile = {
        ...(path === undefined ? {} : {envelopes: {next: path, ...(more === undefined ? {} : {more})}}),
        ...(name === undefined ? {} : {paging: {cursor: name}}),
      };
      if (!(await leads(survey, page, {file: joined(survey.draft.file, write), cursor}))) continue;
      if (path === undefined && name === undefined)
        survey.holds(check, 'next_cursor leads to the next page', {row});
      else {
        const evidence = `the next page is requested with ${name ?? 'cursor'}, from ${path ?? 'next_cursor'}`;
        survey.differs(check, evidence, {row, write, sure: true});
      }
      return true;
    }
  }
  return false;
}

/** Finds out whether pages are requested by number, offset, the id of the last record, or the `Link` header. */
async function checkBy(survey: ServiceSurvey, page: FirstPage): Promise<boolean> {
  const check = 'paging.by';
  const own = survey.draft.file.paging;
  for (const {paging, cursor} of nextPageForms(page)) {
    const write: ServiceFile = {paging};
    const first = paging.by === 'page' ? (paging.first ?? 1) : undefined;
    if (!(await leads(survey, page, {file: joined(survey.draft.file, write), cursor, first}))) continue;
    const evidence = `no cursor leads to the next page; ${cursorNameOf(paging)}=${cursor} does`;
    if (own?.by === paging.by) survey.holds(check, evidence, {row});
    else survey.differs(check, evidence, {row, write, sure: true});
    return true;
  }
  return false;
}

/** What may lead to the second page. */
function nextPageForms({id, reply}: FirstPage): {paging: Paging; cursor: string}[] {
  const link = readPage(reply.json, reply.headers)?.nextLink ?? '';
  const params = [...new URLSearchParams(link.split('?')[1] ?? '')].filter(([name]) => name !== 'limit');
  const items = itemsOf(id, reply);
  const last = items.at(-1)?.['id'];
  const ids = typeof last === 'string' ? [last] : [];
  return [
    ...params.map(([cursor, value]) => ({paging: {by: 'link' as const, cursor}, cursor: value})),
    ...['page', 'page_number'].flatMap((cursor) => [
      {paging: {by: 'page' as const, cursor}, cursor: '2'},
      {paging: {by: 'page' as const, cursor, first: 0}, cursor: '1'},
    ]),
    ...['offset', 'skip', 'start'].map((cursor) => ({
      ...{paging: {by: 'offset' as const, cursor}, cursor: String(items.length)},
    })),
    ...['starting_after', 'after', 'after_id', 'last_id'].flatMap((cursor) =>
      ids.map((value) => ({paging: {by: 'id' as const, cursor}, cursor: value})),
    ),
  ];
}

interface Lead {
  readonly path: string | undefined;
  readonly more: string | undefined;
  readonly cursor: string;
}

function cursorsIn({wire, json}: ServiceReply): Lead[] {
  const own = readPage(json)?.nextCursor;
  if (own !== undefined) return [{path: undefined, more: undefined, cursor: own}];
  const leaves = shapeLeavesOf(wire).filter(({path}) => isPath(path));
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

function namesIn({wire}: ServiceReply, path: string | undefined): string[] {
  const value = shapeLeavesOf(wire).find((leaf) => leaf.path === path)?.value;
  return CURSOR_NAMES.filter((name) => query(typeof value === 'string' ? value : '')?.has(name) === true);
}
