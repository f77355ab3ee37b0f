import {readFileSync} from 'node:fs';
import {homeFolder} from '../../profiles/folders.ts';
import {type StoredTree, unpacked} from './packed-tree.ts';
import type {FlagWord, Node} from './tree.ts';
import {FILE, FOLDER, NO_VALUE} from './source-words.ts';
import {linesFor, type Surroundings} from './values.ts';

/*
 * What a shell asks for at each press of the completion key. The build makes a bundle of its own from this file, and the
 * launcher loads it in place of the tool: a key press must not wait for the whole of remit. Nothing is sent and no key
 * is read.
 */

/** A line as it is typed: the words before the cursor, without `remit`, and the part of the word that it is in. */
export interface TypedLine {
  words: readonly string[];
  cursor: string;
}

/**
 * What the launcher prints for `__complete =PART WORD…`: a candidate a line, with a tab before its description. `PART` is
 * what is typed of the word at the cursor; its `=` keeps it an argument where a shell drops empty ones. A line that
 * begins with a tab says that files or folders of this machine may follow.
 * @param treeFile the tree of commands, which the build has written
 */
export function complete([part = '', ...words]: readonly string[], treeFile: string): string {
  const {env} = process;
  const place = {env, home: homeFolder(env), cwd: process.cwd(), nowMs: Date.now()};
  return candidates(unpacked(readFileSync(treeFile, 'utf8')), {words, cursor: part.slice(1)}, place);
}

/** The lines for what may stand at the cursor. */
export function candidates(tree: StoredTree, {words, cursor}: TypedLine, place: Surroundings): string {
  const line = readLine(tree, words);
  const flags = [...line.node.flags, ...tree.globals];
  const valuesOf = (source: string, typed: string, before = '') =>
    valueLines(source, {words, cursor: typed}, place, before);
  // bash takes the sign in --flag=value for a word of its own.
  if (line.pending !== undefined) return valuesOf(line.pending, cursor === '=' ? '' : cursor);
  const isFlag = !line.hasEnded && cursor.startsWith('-');
  const [, name, value] = /^(--[^=]+=)(.*)$/s.exec(cursor) ?? [];
  if (isFlag && name !== undefined) return valuesOf(sourceOf(flags, name.slice(0, -1)), value ?? '', name);
  if (!isFlag) {
    const {node, count} = line;
    const next = count === 0 ? node.words.map(({word, summary}) => lineOf(word, summary)) : [];
    const source = node.args[count] ?? (node.repeats ? node.args.at(-1) : undefined);
    const offered =
      next.filter((one) => one.startsWith(cursor)).join('') +
      (source === undefined ? '' : valuesOf(source, cursor));
    const isKnown = node.words.length + node.args.length > 0;
    if (cursor !== '' || line.hasEnded || isKnown) return offered;
  }
  return flags
    .map(({names, summary}) => lineOf(names[0] ?? '', summary))
    .filter((one) => one.startsWith(cursor))
    .join('');
}

interface ReadLine {
  /** The command or topic that the words lead to. */
  node: Node;
  /** Arguments after it. */
  count: number;
  /** Where the values come from of the flag that the last word is. */
  pending: string | undefined;
  /** `--` has ended the flags. */
  hasEnded: boolean;
}

function readLine(tree: StoredTree, words: readonly string[]): ReadLine {
  const nodeAt = (path: string): Node =>
    tree.nodeAt(path) ?? {path, words: [], flags: [], args: [], repeats: false};
  const line: ReadLine = {node: nodeAt(''), count: 0, pending: undefined, hasEnded: false};
  for (const word of words) {
    const {node, pending, hasEnded, count} = line;
    if (word === '=') continue;
    if (pending !== undefined) line.pending = undefined;
    else if (!hasEnded && word === '--') line.hasEnded = true;
    else if (!hasEnded && /^-./s.test(word)) {
      const source = word.includes('=') ? NO_VALUE : sourceOf([...node.flags, ...tree.globals], word);
      if (source !== NO_VALUE) line.pending = source;
    } else if (count === 0 && node.words.some((one) => one.word === word))
      line.node = nodeAt(node.path === '' ? word : `${node.path} ${word}`);
    else line.count += 1;
  }
  return line;
}

const sourceOf = (flags: readonly FlagWord[], name: string): string =>
  flags.find(({names}) => names.includes(name))?.source ?? NO_VALUE;

/** @param before what stands before each value in the same word: `--flag=` */
function valueLines(source: string, {words, cursor}: TypedLine, place: Surroundings, before: string): string {
  if (source === FILE) return '\tfile\n';
  if (source === FOLDER) return '\tfolder\n';
  return linesOf(source, words, place)
    .filter((one) => one.startsWith(cursor))
    .map((one) => before + one)
    .join('');
}

function linesOf(source: string, words: readonly string[], place: Surroundings): readonly string[] {
  const rest = source.slice(1);
  if (source.startsWith('=')) return rest.split('|').map((value) => lineOf(value, ''));
  const found = source.startsWith('@') ? linesFor(rest, words, place) : '';
  return found.split(/(?<=\n)/).filter((line) => line !== '');
}

const lineOf = (value: string, summary: string): string => `${value}\t${summary}\n`;
