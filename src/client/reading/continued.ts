import type {PagedBy, Paging} from '../../service/service-file.ts';
import {cursorNameOf} from '../../service/paging.ts';
import {isObject} from '../../narrow.ts';
import type {Page, SentPage} from './page.ts';
import type {ReadBefore} from './page-reader.ts';

/** What a page was requested with. */
export interface PageAsked {
  cursor: string | undefined;
  /** The page size as sent; undefined if none was sent. */
  limit: number | undefined;
  /** Undefined if the list was not read from its beginning. */
  readBefore: ReadBefore | undefined;
  /** The service filters the list: the number of all records may include others. */
  isFiltered?: boolean;
}

/**
 * The page with the cursor of the next one, as the service file describes the paging. Page numbers, offsets and ids lead
 * on without the help of the answer, so that such a list is read until its last number, a flag or an empty page; nothing
 * else in the answer is trusted to end it. A list never ends before the number of all records that it states.
 */
export function continued(page: SentPage, asked: PageAsked, paging: Paging = {}): Page {
  const {by = 'cursor'} = paging;
  const {items, total, moreBy = []} = page;
  const counted = total === undefined ? {} : {total};
  const next = by === 'cursor' ? page.nextCursor : nextOf(page, asked, paging);
  const missing = missingIn(page, asked, by);
  const announced = [...moreBy, ...(by === 'cursor' ? pagesAfter(page, asked) : cursorBeside(page))];
  const isLast = announced.length === 0 && missing === undefined && ENDS[by](page, asked, paging);
  if (next !== undefined && (by === 'cursor' || !isLast)) {
    const isOpen = announced.length > 0 || missing !== undefined || page.pages !== undefined;
    const isSeeming = page.end !== undefined || countsAll(page, asked) || isShort(page, asked);
    return {
      ...{items, ...counted, nextCursor: next},
      ...(isSeeming && !isOpen ? {seemsLast: true} : {}),
      ...(page.end === 'flag' && !isOpen ? {saysLast: true} : {}),
      ...(isSecondPage(next, asked, paging) && page.pages === undefined ? {ifFromZero: '1'} : {}),
    };
  }
  const end = {items, ...counted, nextCursor: undefined};
  if (isLast) return end;
  if (missing === undefined && announced.length === 0) return {...end, lacksEnd: true};
  const [cursorKey = page.cursorKey] = by === 'cursor' ? [] : cursorBeside(page);
  return {
    ...{...end, moreBy: announced, ...(cursorKey === undefined ? {} : {cursorKey})},
    ...(missing === undefined ? {} : {missing}),
  };
}

type Ends = (page: SentPage, asked: PageAsked, paging: Paging) => boolean;

const isCounted: Ends = ({items, end}) => items.length === 0 || end === 'flag';

/** Whether a page is the last one, by the way in which the next one is requested. */
const ENDS: Readonly<Record<PagedBy, Ends>> = {
  cursor: (page, asked) =>
    page.items.length === 0 ||
    page.end !== undefined ||
    page.pages !== undefined ||
    countsAll(page, asked) ||
    (isShort(page, asked) && !USUAL_SIZES.has(page.items.length)),
  page: (page, asked, {first = 1}) =>
    page.pages === undefined
      ? isCounted(page, asked, {})
      : page.pages.current >= page.pages.last - (1 - first),
  offset: isCounted,
  id: isCounted,
  // The header is where the service file says: without one, no page follows.
  link: ({items, end, isLinked}) => items.length === 0 || end !== undefined || isLinked !== true,
  none: () => true,
};

/** Page sizes that services cap a page at. */
const USUAL_SIZES: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200, 250, 500, 1000]);

const isShort = ({items}: SentPage, {limit = Infinity}: PageAsked): boolean => items.length < limit;

/** All records were read. After one full page the number may be that of its own records. */
function countsAll(page: SentPage, asked: PageAsked): boolean {
  const {readBefore} = asked;
  if (readBefore === undefined) return false;
  const {count, total = page.total} = readBefore;
  return total === count + page.items.length && (count > 0 || isShort(page, asked));
}

function missingIn(page: SentPage, {readBefore, isFiltered}: PageAsked, by: PagedBy): Page['missing'] {
  if (readBefore === undefined || isFiltered === true) return undefined;
  const read = readBefore.count + page.items.length;
  const {total = page.total ?? 0} = readBefore;
  return total > read ? {read, total, key: by === 'cursor' ? 'paging.by' : 'envelopes.total'} : undefined;
}

function pagesAfter({pages, pageCount}: SentPage, {cursor, readBefore}: PageAsked): string[] {
  if (pages !== undefined) return pages.current < pages.last ? [pages.key] : [];
  const isFirst = cursor === undefined && readBefore !== undefined;
  return isFirst && pageCount !== undefined && pageCount.last > 1 ? [pageCount.key] : [];
}

const cursorBeside = ({nextCursor}: SentPage): string[] => (nextCursor === undefined ? [] : ['next_cursor']);

function nextOf(page: SentPage, {cursor}: PageAsked, paging: Paging): string | undefined {
  const {by, first = 1} = paging;
  const {items, nextLink} = page;
  if (by === 'none') return undefined;
  if (by === 'link')
    return nextLink === undefined
      ? undefined
      : (new URLSearchParams(nextLink.split('?')[1]?.split('#')[0]).get(cursorNameOf(paging)) ?? undefined);
  if (items.length === 0) return undefined;
  if (by === 'id') {
    const last = items.at(-1);
    const id = isObject(last) ? last['id'] : undefined;
    return typeof id === 'string' ? id : undefined;
  }
  if (by === 'offset') return numberText((cursor === undefined ? 0 : Number(cursor)) + items.length);
  return numberText((page.pages?.current ?? (cursor === undefined ? first : Number(cursor))) + 1);
}

/** Whether a page is requested as number 2 only because most services count pages from 1. */
const isSecondPage = (next: string, {cursor}: PageAsked, {by, first}: Paging): boolean =>
  by === 'page' && first === undefined && cursor === undefined && next === '2';

const numberText = (value: number): string | undefined =>
  Number.isSafeInteger(value) ? String(value) : undefined;
