/**
 * The results of `find`, one page at a time, so that memory does not grow with the batch. A page is fetched once the
 * previous one was used.
 *
 * @param find at most `limit` rows after a row number, in order
 */
export function* pagesOf<Row extends {readonly n: number}>(
  find: (after: number, limit: number) => Row[],
  limit: number,
): Generator<Row[], void, undefined> {
  for (let after = 0; ;) {
    const page = find(after, limit);
    const last = page.at(-1);
    if (last === undefined) return;
    yield page;
    if (page.length < limit) return;
    after = last.n;
  }
}
