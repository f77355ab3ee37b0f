import {must, ownJson} from '../../narrow.ts';
import type {FlagWord, Node, Tree, Word} from './tree.ts';

/*
 * The tree of commands as the build stores it: a flag that several commands have is in it once, and names and summaries
 * are text with tabs between them. The package would be a hundredth larger otherwise.
 */
interface Packed {
  flags: readonly string[];
  globals: readonly number[];
  /** Each command has the words that may follow, flags, sources of arguments, and 1 if the last one repeats. */
  nodes: Readonly<
    Record<
      string,
      readonly [words: readonly string[], flags: readonly number[], args: readonly string[], repeats: 0 | 1]
    >
  >;
}

/** Longer summaries are cut where a list of candidates would cut them. */
const SUMMARY_LENGTH = 60;

export function packed({nodes, globals}: Tree): string {
  const flags: string[] = [];
  const placeOf = (flag: FlagWord): number => {
    const text = [flag.names.join(','), flag.source, short(flag.summary)].join('\t');
    const place = flags.indexOf(text);
    return place === -1 ? flags.push(text) - 1 : place;
  };
  const byPath: Record<string, Packed['nodes'][string]> = {};
  for (const {path, words, flags: own, args, repeats} of nodes)
    byPath[path] = [
      words.map(({word, summary}) => `${word}\t${short(summary)}`),
      own.map(placeOf),
      args,
      repeats ? 1 : 0,
    ];
  return JSON.stringify({flags, globals: globals.map(placeOf), nodes: byPath});
}

function short(summary: string): string {
  const line = summary.replaceAll(/[\t\n]+/g, ' ');
  return line.length <= SUMMARY_LENGTH ? line : `${line.slice(0, SUMMARY_LENGTH - 1).trimEnd()}…`;
}

/** The stored tree. Of a key press, only the flags of all commands and the commands that the line names are unpacked. */
export interface StoredTree {
  readonly globals: readonly FlagWord[];
  nodeAt(path: string): Node | undefined;
}

export function unpacked(text: string): StoredTree {
  const {flags, globals, nodes} = ownJson<Packed>(text);
  const flagAt = (place: number): FlagWord => {
    const [names = '', source = '', summary = ''] = must(flags[place], 'flag of the tree').split('\t');
    return {names: names.split(','), source, summary};
  };
  return {
    globals: globals.map(flagAt),
    nodeAt: (path) => {
      const packedNode = Object.hasOwn(nodes, path) ? nodes[path] : undefined;
      if (packedNode === undefined) return undefined;
      const [words, own, args, repeats] = packedNode;
      return {path, words: words.map(wordOf), flags: own.map(flagAt), args, repeats: repeats === 1};
    },
  };
}

function wordOf(text: string): Word {
  const [word = '', summary = ''] = text.split('\t');
  return {word, summary};
}
