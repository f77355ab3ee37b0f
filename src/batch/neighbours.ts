/** Runs of items, each of which is like the first of its run, in their order: neighbours that can be written together. */
export function* runsOf<T>(items: readonly T[], isLike: (item: T, first: T) => boolean): Generator<T[]> {
  for (let from = 0; from < items.length;) {
    const first = items[from]!;
    let end = from + 1;
    while (end < items.length && isLike(items[end]!, first)) end++;
    yield items.slice(from, end);
    from = end;
  }
}
