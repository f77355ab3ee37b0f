/** What of the records a page shows; it is all in the address, so that a reload shows the same. */
export interface PageView {
  /** The row that is open. */
  shown?: RowName | undefined;
  /** A row that was closed: it keeps the focus. */
  at?: RowName | undefined;
  /** The record of each list after which it continues with older ones. */
  before: Partial<Record<PagedList, string>>;
}

export type RowKind = 'payout' | 'payin' | 'delivery';
export interface RowName {
  kind: RowKind;
  id: string;
}

const PAGED_LISTS = ['payouts', 'payins', 'deliveries'] as const;
export type PagedList = (typeof PAGED_LISTS)[number];

const ROW = /^(payout|payin|delivery)\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Anything that no link of the page has is ignored. */
export function readView(query: URLSearchParams): PageView {
  const before: PageView['before'] = {};
  for (const list of PAGED_LISTS) {
    const id = query.get(list);
    if (id !== null && ID.test(id)) before[list] = id;
  }
  return {shown: readPageRow(query.get('show')), at: readPageRow(query.get('at')), before};
}

export function readPageRow(text: string | null): RowName | undefined {
  const [, kind, id] = ROW.exec(text ?? '') ?? [];
  if (id === undefined) return undefined;
  return {kind: kind === 'payout' || kind === 'payin' ? kind : 'delivery', id};
}

export const rowText = ({kind, id}: RowName): string => `${kind}.${id}`;

/** The address of a view. */
export function addressOf({shown, at, before}: PageView): string {
  const query = new URLSearchParams();
  if (shown !== undefined) query.set('show', rowText(shown));
  else if (at !== undefined) query.set('at', rowText(at));
  for (const list of PAGED_LISTS) {
    const id = before[list];
    if (id !== undefined) query.set(list, id);
  }
  return query.size === 0 ? '/' : `/?${query.toString()}`;
}
