import {readLinkHeader} from './link-header.ts';

/** What the headers of a page state about the rest of the list. */
export interface ListHeaders {
  /** Names of the headers that announce another page. */
  readonly moreBy: readonly string[];
  /** A header states that no page follows. */
  readonly isEnd?: true;
  /** Address of the next page in the `Link` header. */
  readonly nextLink?: string;
  /** The answer has a `Link` header. */
  readonly isLinked?: true;
  /** Number of records in the whole list. */
  readonly total?: number;
  /** Number of all pages, and the header that has it. */
  readonly pageCount?: {readonly last: number; readonly key: string};
}

const NEXT = ['x-next-page', 'x-next-cursor', 'x-next-page-token', 'x-continuation-token'];
const TOTALS = ['x-total-count', 'x-total', 'total-count', 'x-pagination-total-count', 'x-total-records'];
/** `items 0-29/250`; `*` states nothing. */
const RANGE = /\/(\d{1,15})\s{0,9}$/;

/** Reads what many services send beside a bare list. */
export function readListHeaders(headers: Readonly<Record<string, string>>): ListHeaders {
  const {link = '', 'content-range': range = '', 'x-total-pages': pages = ''} = headers;
  const {next, isEnd} = readLinkHeader(link);
  const sent = NEXT.filter((name) => headers[name] !== undefined);
  const named = sent.filter((name) => headers[name]?.trim() !== '');
  const flag = headers['x-has-more']?.trim().toLowerCase();
  const moreBy = [
    ...(next === undefined ? [] : ['the Link header']),
    ...named.map((name) => `the ${name} header`),
    ...(flag === 'true' || flag === '1' || flag === 'yes' ? ['the x-has-more header'] : []),
  ];
  const total = [RANGE.exec(range)?.[1], ...TOTALS.map((name) => headers[name])].flatMap(numberIn)[0];
  const [last] = numberIn(pages);
  return {
    moreBy,
    ...(isEnd === true || (sent.length > 0 && moreBy.length === 0) ? {isEnd: true} : {}),
    ...(next === undefined ? {} : {nextLink: next}),
    ...(link === '' ? {} : {isLinked: true}),
    ...(total === undefined ? {} : {total}),
    ...(last === undefined ? {} : {pageCount: {last, key: 'the x-total-pages header'}}),
  };
}

const numberIn = (text: string | undefined): number[] =>
  text !== undefined && /^\d{1,15}$/.test(text.trim()) ? [Number(text)] : [];
