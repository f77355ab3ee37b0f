import {basename} from 'node:path';
import ts from 'typescript';
import type {SourceFile} from '../repo/tree.ts';
import type {Mutation} from './sites.ts';

/** What one test file ran, as recorded by record-hits.ts: functions by `file:start`, and its time. */
export interface Hits {
  functions: readonly string[];
  ms: number;
}

/** By test file; `loading` has what ran before the first test. */
export type Coverage = Readonly<Record<string, Hits>>;
export const LOADING = 'loading';

/** The source with a call at the start of every function, which records that it ran. */
export function instrument({path, text}: SourceFile): string {
  const edits: {at: number; text: string}[] = [];
  const visit = (node: ts.Node): void => {
    const body = bodyOf(node);
    if (body !== undefined) {
      const call = `globalThis.remitHits?.add(${JSON.stringify(`${path}:${node.pos}`)})`;
      if (ts.isBlock(body)) edits.push({at: body.getStart() + 1, text: ` ${call}; `});
      else edits.push({at: body.getStart(), text: `(${call}, (`}, {at: body.end, text: '))'});
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(path, text));
  return edits
    .toSorted((a, b) => b.at - a.at)
    .reduce((code, edit) => code.slice(0, edit.at) + edit.text + code.slice(edit.at), text);
}

/** The innermost function around the mutation, as the coverage names it. Undefined: it is run when the file is loaded. */
function functionAround({path, text}: SourceFile, {start}: Mutation): string | undefined {
  let found: string | undefined;
  const visit = (node: ts.Node): void => {
    const body = bodyOf(node);
    // A default of a parameter is in no body, but runs with it.
    if (body !== undefined && node.getStart() <= start && start < node.end) found = `${path}:${node.pos}`;
    ts.forEachChild(node, visit);
  };
  visit(parse(path, text));
  return found;
}

const parse = (path: string, text: string) => ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

const bodyOf = (node: ts.Node): ts.ConciseBody | undefined =>
  ts.isFunctionLike(node) && 'body' in node ? node.body : undefined;

/** A quick group of tests is run first, the others only if none of it notices: starting a process takes long as well. */
const GROUPS_MS = [4000, Infinity];

/** The test files that run the mutated function: the one with the name of the source first, then the quickest. */
export function testsOf(mutation: Mutation, source: SourceFile, coverage: Coverage): string[][] {
  const wanted = functionAround(source, mutation);
  const onLoad = wanted === undefined || (coverage[LOADING]?.functions.includes(wanted) ?? false);
  const rankOf = (test: string): number => {
    if (basename(test, '.test.ts') === basename(source.path, '.ts')) return 0;
    return coverage[test]!.functions.some((name) => name.startsWith(`${source.path}:`)) ? 1 : 2;
  };
  const due = Object.keys(coverage)
    .filter((test) => test !== LOADING && (onLoad || coverage[test]!.functions.includes(wanted)))
    .sort((a, b) => rankOf(a) - rankOf(b) || coverage[a]!.ms - coverage[b]!.ms);
  return grouped(due, coverage);
}

function grouped(tests: readonly string[], coverage: Coverage): string[][] {
  const groups: string[][] = GROUPS_MS.map(() => []);
  let sum = 0;
  for (const test of tests) {
    sum += coverage[test]!.ms;
    groups[
      GROUPS_MS.findIndex((limit, at) => sum <= limit || (at === 0 && sum === coverage[test]!.ms))
    ]!.push(test);
  }
  return groups.filter((group) => group.length > 0);
}
