import {must, ownJson} from '../../narrow.ts';

/** Finds the lines of keys in a JSON text. */
export interface KeyLines {
  /** The line of the last key of a path that exists in the text; 1 for the whole text. */
  lineOf(path: readonly string[]): number;
  /** The first duplicate key of an object: parsers keep the second and drop the first. */
  readonly repeated: {readonly path: readonly string[]; readonly line: number} | undefined;
}

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|\n|[^\s"{}[\],:]+/g;

/** Scans a text that is known to be JSON. */
export function keyLines(text: string): KeyLines {
  const lines = new Map<string, number>();
  let repeated: KeyLines['repeated'];
  const stack: {kind: 'object' | 'list'; key: string}[] = [];
  let line = 1;
  let last = '';
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === '\n') line++;
    else if (token === '{' || token === '[') stack.push({kind: token === '{' ? 'object' : 'list', key: ''});
    else if (token === '}' || token === ']') stack.pop();
    else if (token === ':') {
      const level = must(stack.at(-1), 'object around a key'); // the text is JSON
      level.key = ownJson(last);
      const path = stack.filter(({kind}) => kind === 'object').map(({key}) => key);
      const name = JSON.stringify(path);
      if (lines.has(name) && stack.every(({kind}) => kind === 'object')) repeated ??= {path, line};
      lines.set(name, line);
    } else if (token !== ',') last = token;
  }
  return {
    repeated,
    lineOf: (path) => {
      for (let length = path.length; length > 0; length--) {
        const found = lines.get(JSON.stringify(path.slice(0, length)));
        if (found !== undefined) return found;
      }
      return 1;
    },
  };
}
