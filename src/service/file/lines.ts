import {must, ownJson} from '../../narrow.ts';

/** Finds the lines of keys in a JSON text. */
export interface KeyLines {
  /** The line of the last key of a path that exists in the text; 1 for the whole text. */
  lineOf(path: readonly string[]): number;
  /** The first duplicate key of an object: parsers keep the second and drop the first. */
  readonly repeated: {readonly path: readonly string[]; readonly line: number} | undefined;
}

/** A key, with the keys below it. The elements of a list have their keys in common. */
interface KeyNode {
  line: number;
  readonly below: Map<string, KeyNode>;
}

/** An object or a list that is open, and its current key. */
interface Level {
  readonly isList: boolean;
  /** Where the keys of this level are. */
  readonly parent: KeyNode;
  key: string;
  node: KeyNode;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|\n|[^\s"{}[\],:]+/g;

/** Scans a text that is known to be JSON, in time that grows with its length. */
export function keyLines(text: string): KeyLines {
  const root: KeyNode = {line: 1, below: new Map()};
  let repeated: KeyLines['repeated'];
  const stack: Level[] = [];
  let lists = 0;
  let line = 1;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '\n') line++;
    else if (token === '{' || token === '[') {
      const parent = stack.at(-1)?.node ?? root;
      stack.push({isList: token === '[', parent, key: '', node: parent});
      if (token === '[') lists++;
    } else if (token === '}' || token === ']') {
      if (stack.pop()?.isList === true) lists--;
    } else if (token === ':') {
      const level = must(stack.at(-1), 'object around a key'); // the text is JSON
      level.key = ownJson(last);
      const known = level.parent.below.get(level.key);
      if (known !== undefined && lists === 0) repeated ??= {path: pathOf(stack), line};
      level.node = known ?? {line, below: new Map()};
      level.node.line = line;
      level.parent.below.set(level.key, level.node);
    } else if (token !== ',') last = token;
  }
  return {
    repeated,
    lineOf: (path) => {
      let node = root;
      for (const key of path) {
        const next = node.below.get(key);
        if (next === undefined) break;
        node = next;
      }
      return node.line;
    },
  };
}

const pathOf = (stack: readonly Level[]): string[] => stack.filter(({isList}) => !isList).map(({key}) => key);
