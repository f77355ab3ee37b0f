import type {Paging} from '../../service/service-file.ts';
import {cursorNameOf} from '../../service/paging.ts';
import {isObject} from '../../narrow.ts';
import type {Page} from './page.ts';

/** What a page was requested with. */
export interface PageAsked {
  cursor: string | undefined;
  /** As sent; undefined if no page size was sent. */
  limit: number | undefined;
  /** Records of the list that were read before this page. */
  readBefore: number;
}

/**
 * The page with the cursor of the next one, as the service file describes the paging. Without an explicit end, a page is
 * the last one if it is shorter than requested, and no service would have that page size (assumption 39).
 */
export function continued<T>(page: Page<T>, asked: PageAsked, paging: Paging = {}): Page<T> {
  const {by = 'cursor'} = paging;
  const {items, moreBy, nextCursor, pages, total} = page;
  if (by === 'cursor' && nextCursor !== undefined) return page;
  if (by === 'none') return moreBy === undefined && nextCursor === undefined ? end(items) : page;
  const isNumbered = by === 'page' && pages !== undefined;
  if (isNumbered && isLastPage(page, paging)) return end(items);
  const next = by === 'cursor' ? undefined : nextOf(page, asked, paging);
  if (moreBy !== undefined || nextCursor !== undefined || isNumbered)
    return next === undefined
      ? {...page, nextCursor: undefined, moreBy: moreBy ?? ['next_cursor']}
      : {items, nextCursor: next};
  if (page.lacksEnd !== true) return page;
  const read = asked.readBefore + items.length;
  if (total === read) return end(items);
  const isMore = total !== undefined && total > read;
  const isShort = !isMore && items.length < (asked.limit ?? Infinity);
  if (isShort && !USUAL_SIZES.has(items.length)) return end(items);
  if (next !== undefined) return {items, nextCursor: next};
  return isMore ? {...page, moreBy: [`${total} records in all`]} : page;
}

/** Page sizes that services cap a page at. */
const USUAL_SIZES: ReadonlySet<number> = new Set([10, 20, 25, 50, 100, 200, 250, 500, 1000]);

const end = <T>(items: readonly T[]): Page<T> => ({items, nextCursor: undefined});

const isLastPage = ({pages}: Page<unknown>, {first = 1}: Paging): boolean =>
  pages !== undefined && pages.current >= pages.last - (1 - first);

function nextOf(page: Page<unknown>, {cursor}: PageAsked, paging: Paging): string | undefined {
  const {by, first = 1} = paging;
  const {items, nextLink} = page;
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

const numberText = (value: number): string | undefined =>
  Number.isSafeInteger(value) ? String(value) : undefined;
