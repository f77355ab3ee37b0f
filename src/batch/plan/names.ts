import type {Draft} from '../journal/draft.ts';
import {foldReference, referenceOfContent} from '../model/identity.ts';
import {hashName} from '../model/name-hash.ts';
import type {Buckets, Dealt} from './buckets.ts';
import {Duplicates} from './duplicates.ts';
import {RowSet} from '../input/row-set.ts';

/** The number of occurrences of a reference in the file, and its first line. */
interface Copies {
  count: number;
  first: number;
  second: number;
}

export interface CheckedNames {
  /** Rows whose reference differs from an earlier one only in case or spaces. */
  similar: Duplicates;
  /** Rows that were removed from the plan because their reference is repeated. */
  refused: RowSet;
}

/**
 * Names the rows of a file without references by content and occurrence number. Until then, the plan has every row as
 * the first occurrence of its content.
 */
export async function nameByContent(draft: Draft, contents: Buckets, names: Buckets): Promise<void> {
  await contents.drain((bucket) => {
    const seen = new Map<string, number>();
    for (const {n, text: fingerprint} of contents.records(bucket)) {
      const occurrence = (seen.get(fingerprint) ?? 0) + 1;
      seen.set(fingerprint, occurrence);
      const reference = referenceOfContent(fingerprint, occurrence);
      if (occurrence > 1) draft.rename(n, reference);
      names.add(hashName(reference), n, reference);
    }
  });
}

/**
 * Removes rows whose reference is repeated, finds references that are almost equal, and writes the index by which the
 * journal finds the row of a reference. `column` is the header of the references; undefined if the rows were named
 * here.
 */
export async function checkNames(
  draft: Draft,
  names: Buckets,
  column: string | undefined,
): Promise<CheckedNames> {
  const refused = new RowSet();
  const similar = new Duplicates();
  await names.drain((bucket) => {
    const found = copiesIn(names, bucket);
    if (column !== undefined) {
      refuseRepeated(draft, {names, bucket, found, column, refused});
      similar.take(foldsOf(found));
    }
    draft.addNames(hashesOf(found));
  });
  return {similar, refused};
}

function copiesIn(names: Buckets, bucket: number): Map<string, Copies> {
  const found = new Map<string, Copies>();
  for (const {n, text: reference} of names.records(bucket)) {
    const copies = found.get(reference);
    if (copies === undefined) found.set(reference, {count: 1, first: n, second: 0});
    else if (copies.count++ === 1) copies.second = n;
  }
  return found;
}

/**
 * Handles a repeated reference: no copy may be sent, because it is unknown which one is meant. Each copy becomes an
 * issue that names the line of another.
 */
function refuseRepeated(
  draft: Draft,
  place: {
    names: Buckets;
    bucket: number;
    found: Map<string, Copies>;
    column: string;
    refused: RowSet;
  },
): void {
  const {names, bucket, found, column, refused} = place;
  const lines = new Map<string, {first: number; second: number}>();
  for (const [reference, {count, first, second}] of found) {
    if (count === 1) continue;
    lines.set(reference, {first: draft.lineOf(first), second: draft.lineOf(second)});
    found.delete(reference);
  }
  if (lines.size === 0) return;
  for (const {n, text: reference} of names.records(bucket)) {
    const copies = lines.get(reference);
    if (copies === undefined) continue;
    const line = draft.lineOf(n);
    const other = line === copies.first ? copies.second : copies.first;
    draft.addIssue({
      ...{row: n, line, column, code: 'reference-repeated', value: reference},
      message: `the same reference is on line ${other}; a reference is paid once`,
    });
    draft.removeRow(n);
    refused.add(n);
  }
}

function* foldsOf(found: Map<string, Copies>): Generator<Dealt> {
  for (const [reference, {first}] of found) yield {n: first, text: foldReference(reference)};
}

/** The hashes ascend, so that each page of the table is written once. */
function hashesOf(found: Map<string, Copies>): number[] {
  const entries = [...found].map(([reference, {first}]) => ({hash: hashName(reference), n: first}));
  return entries.sort((a, b) => a.hash - b.hash || a.n - b.n).flatMap(({hash, n}) => [hash, n]);
}
