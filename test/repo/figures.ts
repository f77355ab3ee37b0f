/**
 * `npm run figures [FOLDER]`: the size and shape of the sources of this project, or of another checkout of it, one
 * figure a line, so that two checkouts can be compared.
 */
import {readdirSync, readFileSync} from 'node:fs';
import {dirname, join, relative, sep} from 'node:path';
import ts from 'typescript';
import {importsOf, parse} from './imports.ts';
import {ROOT, type SourceFile} from './tree.ts';
import {statusComparisonsIn} from './status-comparisons.ts';
import {typeEscapesIn} from './type-escapes.ts';

const root = process.argv[2] ?? ROOT;
const sources: SourceFile[] = readdirSync(join(root, 'src'), {recursive: true, withFileTypes: true})
  .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
  .map((entry) => join(entry.parentPath, entry.name))
  .map((path) => ({path: relative(root, path).split(sep).join('/'), text: readFileSync(path, 'utf8')}));

const show = (name: string, value: number | string): void =>
  void process.stdout.write(`${name.padEnd(44)}${value}\n`);

/** The value below which this part of the numbers lies. */
function quantile(numbers: readonly number[], part: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0;
}

/** Lines of each function. */
function functionsIn(source: SourceFile): number[] {
  const file = parse(source);
  const lineAt = (position: number): number => file.getLineAndCharacterOfPosition(position).line;
  const lines: number[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node) && 'body' in node && node.body !== undefined)
      lines.push(lineAt(node.getEnd()) - lineAt(node.getStart(file)) + 1);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return lines;
}

/** What a room of `src` holds: its lines, and the nodes of its syntax, which no formatting changes. */
interface RoomSize {
  lines: number;
  nodes: number;
}

/** Functions that look into a value without a type. */
const UNTYPED = ['valueAt', 'selectedValue', 'isObject', 'plainValue'] as const;
/** How often they are called in all files, and `unknown` is a type. */
const untyped = {unknown: 0, ...Object.fromEntries(UNTYPED.map((name) => [name, 0]))} as Record<
  'unknown' | (typeof UNTYPED)[number],
  number
>;

/** The folder of `src` in which a file is, or its own name. */
const roomOf = (path: string): string => path.split('/')[1] ?? path;

/** The nodes of a file. What in it has no type is added to `untyped`. */
function countNodes(source: SourceFile): number {
  let nodes = 0;
  const visit = (node: ts.Node): void => {
    nodes++;
    if (node.kind === ts.SyntaxKind.UnknownKeyword) untyped.unknown++;
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const called = node.expression.text;
      const name = UNTYPED.find((one) => one === called);
      if (name !== undefined) untyped[name]++;
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(source));
  return nodes;
}

function roomSizes(): Map<string, RoomSize> {
  const rooms = new Map<string, RoomSize>();
  for (const source of sources) {
    const {lines, nodes} = rooms.get(roomOf(source.path)) ?? {lines: 0, nodes: 0};
    rooms.set(roomOf(source.path), {
      lines: lines + source.text.split('\n').length - 1,
      nodes: nodes + countNodes(source),
    });
  }
  return rooms;
}

/** Files from which a chain of imports, types included, leads back to themselves. */
function inCircles(arrows: ReadonlyMap<string, readonly string[]>): number {
  const leadsBack = (start: string): boolean => {
    const seen = new Set<string>();
    const waiting = [...(arrows.get(start) ?? [])];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      if (path === start) return true;
      if (seen.has(path)) continue;
      seen.add(path);
      waiting.push(...(arrows.get(path) ?? []));
    }
    return false;
  };
  return [...arrows.keys()].filter(leadsBack).length;
}

const functions = sources.flatMap(functionsIn);
const escapes = typeEscapesIn(sources);
const lengths = sources.map(({text}) => text.split('\n').length - 1);
const perFolder = new Map<string, number>();
for (const {path} of sources) perFolder.set(dirname(path), (perFolder.get(dirname(path)) ?? 0) + 1);
const largest = [...perFolder].sort(([, a], [, b]) => b - a)[0];
const arrows = new Map(
  sources.map((source) => [source.path, importsOf(source).flatMap(({target}) => target ?? [])]),
);
const betweenRooms = new Set(
  [...arrows].flatMap(([path, targets]) =>
    targets
      .filter((target) => dirname(target) !== dirname(path))
      .map((to) => `${dirname(path)} ${dirname(to)}`),
  ),
);

const rooms = roomSizes();

show('files', sources.length);
show(
  'lines',
  lengths.reduce((sum, length) => sum + length, 0),
);
show(
  'nodes of syntax',
  [...rooms.values()].reduce((sum, {nodes}) => sum + nodes, 0),
);
show('folders', perFolder.size);
show('files in the largest folder', largest === undefined ? 0 : `${largest[1]} (${largest[0]})`);
show('lines a file, median and 90th percentile', `${quantile(lengths, 0.5)}, ${quantile(lengths, 0.9)}`);
show('files over 300 lines', lengths.filter((length) => length > 300).length);
show(
  'lines a function, median and 90th percentile',
  `${quantile(functions, 0.5)}, ${quantile(functions, 0.9)}`,
);
show('functions over 50 lines', functions.filter((length) => length > 50).length);
show('imports between files', [...arrows.values()].flat().length);
show('arrows between folders', betweenRooms.size);
show('files in an import circle', inCircles(arrows));
show('casts', escapes.casts);
show('non-null assertions', escapes.nonNulls);
show('statuses compared by name', statusComparisonsIn(sources).length);
show('`unknown` as a type', untyped.unknown);
for (const name of UNTYPED) show(`calls of ${name}`, untyped[name]);
process.stdout.write('\nroom: lines, nodes of syntax\n');
for (const [room, {lines, nodes}] of [...rooms].sort(([, a], [, b]) => b.lines - a.lines))
  show(room, `${lines}, ${nodes}`);
