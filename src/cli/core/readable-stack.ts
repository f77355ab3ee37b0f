import {readFileSync} from 'node:fs';
import {join} from 'node:path';
import {brotliDecompressSync} from 'node:zlib';
import {ownJson, stackOf} from '../../narrow.ts';

/** Where a file begins in a part of the bundle, and the names of its functions by those that the bundle has. */
type Start = readonly [line: number, column: number, path: string, names?: Readonly<Record<string, string>>];

const FRAME =
  /^\s+at (?:(?<call>[^(]+)\()?(?<folder>[^()]*[\\/])(?<part>(?:remit|more|rest)\.cjs):(?<line>\d+):(?<column>\d+)\)?$/;
/** `async `, `new `, then a function, or a class or object with a method. */
const FIRST_NAME = /^(?<before>(?:async |new )*)(?<name>[\w$]+)/;
const PRIVATE_NAME = /#[\w$]+/;
const LONGEST_LINE = 300;

/**
 * The stack of an error, with the files and functions of the source in place of those of the bundle, and without what
 * an error may show of the code itself. Undefined if it has none.
 */
export function readableStack(thrown: unknown): string | undefined {
  const stack = stackOf(thrown);
  if (stack === undefined) return undefined;
  const [head = '', ...lines] = stack.split('\n');
  const frames = lines.filter((line) => /^\s+at /.test(line)).map(readableFrame);
  return [head, ...frames].map((line) => line.slice(0, LONGEST_LINE)).join('\n');
}

function readableFrame(frame: string): string {
  const {call = '', folder, part, line, column} = FRAME.exec(frame)?.groups ?? {};
  if (folder === undefined || part === undefined) return frame;
  const starts = startsIn(folder, part);
  // The launcher has put one line before the code of the build.
  const at = Number(line) - 1;
  const found = starts.findLast(([first, from]) => first < at || (first === at && from <= Number(column)));
  const path = found?.[2];
  const names = found?.[3] ?? {};
  const original = call
    .replace(FIRST_NAME, (text, before: string, name: string) =>
      Object.hasOwn(names, name) ? `${before}${names[name]}` : text,
    )
    .replace(PRIVATE_NAME, (name) => names[name] ?? name);
  const place = `${part}:${line}:${column}`;
  return `    at ${original}(${path === undefined ? place : `${path}, ${place}`})`;
}

function startsIn(folder: string, part: string): readonly Start[] {
  try {
    const text = brotliDecompressSync(readFileSync(join(folder, 'frames.json.br'))).toString();
    return ownJson<Record<string, readonly Start[]>>(text)[part] ?? [];
  } catch {
    return []; // the frame stays as it is
  }
}
