import {posix} from 'node:path';
import ts from 'typescript';
import type {SourceFile} from './tree.ts';

export interface Import {
  path: string;
  line: number;
  specifier: string;
  /** The imported file of ours, relative to the root; undefined for a package or a part of Node. */
  target: string | undefined;
  /** `static` runs when the module loads, `dynamic` at first use, `type` never. */
  kind: 'static' | 'dynamic' | 'type';
  /** `import * as name`. */
  namespace: boolean;
}

export const parse = ({path, text}: SourceFile): ts.SourceFile =>
  ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);

export const lineOf = (node: ts.Node): number => {
  const file = node.getSourceFile();
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
};

/** An `import()`, `require()` or `import('…')` type, which may be anywhere in a file. */
const LOAD = /\b(?:import|require)\s*\(/;
/** The end of an import or export-from. */
const FROM = /(?:\bfrom|^import)\s*['"].*/gm;

/** A file as far as it imports anything. Most import at the top only, and to parse the rest of them takes a second. */
function importingPart({path, text}: SourceFile): SourceFile {
  if (LOAD.test(text)) return {path, text};
  const last = [...text.matchAll(FROM)].at(-1);
  return {path, text: last === undefined ? '' : text.slice(0, last.index + last[0].length)};
}

/** Every import, export-from, `import()`, `require()` and `import('…')` type of a file. */
export function importsOf(source: SourceFile): Import[] {
  const found: Import[] = [];
  const add = (
    node: ts.Node,
    specifier: ts.Node | undefined,
    kind: Import['kind'],
    namespace = false,
  ): void => {
    if (!specifier || !ts.isStringLiteralLike(specifier)) return;
    found.push({
      path: source.path,
      line: lineOf(node),
      specifier: specifier.text,
      target: specifier.text.startsWith('.')
        ? posix.join(posix.dirname(source.path), specifier.text)
        : undefined,
      kind,
      namespace,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      const clause = node.importClause;
      const bindings = clause?.namedBindings;
      add(
        node,
        node.moduleSpecifier,
        isTypeOnly(clause) ? 'type' : 'static',
        bindings && ts.isNamespaceImport(bindings),
      );
    } else if (ts.isExportDeclaration(node))
      add(node, node.moduleSpecifier, node.isTypeOnly ? 'type' : 'static');
    else if (ts.isImportTypeNode(node))
      add(node, ts.isLiteralTypeNode(node.argument) ? node.argument.literal : undefined, 'type');
    else if (ts.isCallExpression(node) && isLoad(node.expression)) add(node, node.arguments[0], 'dynamic');
    ts.forEachChild(node, visit);
  };
  visit(parse(importingPart(source)));
  return found;
}

/** `import type …`, or braces that hold nothing but `type` names. */
function isTypeOnly(clause: ts.ImportClause | undefined): boolean {
  if (!clause) return false;
  if (clause.phaseModifier === ts.SyntaxKind.TypeKeyword) return true;
  const bindings = clause.namedBindings;
  return (
    !clause.name &&
    !!bindings &&
    ts.isNamedImports(bindings) &&
    bindings.elements.every((one) => one.isTypeOnly)
  );
}

const isLoad = (called: ts.Expression): boolean =>
  called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === 'require');

/** `@scope/name/deep/path` -> `@scope/name`. */
export const packageOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The first chain of files that leads back to its start, by imports of any kind; undefined when none does. */
export function findCycle(imports: readonly Import[]): string[] | undefined {
  const edges = new Map<string, string[]>();
  for (const {path, target} of imports)
    if (target !== undefined) edges.set(path, [...(edges.get(path) ?? []), target]);
  const done = new Set<string>();
  const walk = (at: string, trail: string[]): string[] | undefined => {
    if (trail.includes(at)) return [...trail.slice(trail.indexOf(at)), at];
    if (done.has(at)) return undefined;
    for (const next of edges.get(at) ?? []) {
      const cycle = walk(next, [...trail, at]);
      if (cycle) return cycle;
    }
    done.add(at);
    return undefined;
  };
  for (const start of edges.keys()) {
    const cycle = walk(start, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Packages that loading `entry` loads at once, each with the chain of files that brings it in. */
export function packagesLoadedBy(entry: string, imports: readonly Import[]): Map<string, string[]> {
  const loaded = new Map<string, string[]>();
  const seen = new Set<string>();
  const walk = (at: string, trail: string[]): void => {
    if (seen.has(at)) return;
    seen.add(at);
    for (const one of imports) {
      if (one.path !== at || one.kind !== 'static') continue;
      const chain = [...trail, `${one.path}:${one.line}`];
      if (one.target !== undefined) walk(one.target, chain);
      else if (!loaded.has(packageOf(one.specifier))) loaded.set(packageOf(one.specifier), chain);
    }
  };
  walk(entry, []);
  return loaded;
}
