import ts from 'typescript';
import {importsOf, parse} from './imports.ts';
import type {SourceFile} from './tree.ts';

/** What a file exports by name, and which names occur in it. */
export interface Module {
  path: string;
  /** Named exports; `type` for what exists at compile time only. */
  exported: ReadonlyMap<string, 'value' | 'type'>;
  /** How often each identifier occurs. */
  identifiers: ReadonlyMap<string, number>;
  /** Files that it imports, in any way. */
  targets: ReadonlySet<string>;
  /** Files of which it takes all exports at once: `{...all}` after `import * as all`. */
  whole: ReadonlySet<string>;
}

export function moduleOf(source: SourceFile): Module {
  const file = parse(source);
  const exported = new Map<string, 'value' | 'type'>();
  for (const statement of file.statements)
    for (const [name, kind] of namesOf(statement)) exported.set(name, kind);
  const identifiers = new Map<string, number>();
  const spread = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) identifiers.set(node.text, (identifiers.get(node.text) ?? 0) + 1);
    if (ts.isSpreadAssignment(node) && ts.isIdentifier(node.expression)) spread.add(node.expression.text);
    ts.forEachChild(node, visit);
  };
  visit(file);
  const imports = importsOf(source).flatMap(({target}) => (target === undefined ? [] : [target]));
  return {
    path: source.path,
    exported,
    identifiers,
    targets: new Set(imports),
    whole: wholeOf(file, source, spread),
  };
}

function* namesOf(statement: ts.Statement): Generator<[string, 'value' | 'type']> {
  if (ts.isExportDeclaration(statement)) {
    const clause = statement.exportClause;
    if (clause !== undefined && ts.isNamedExports(clause))
      for (const {name} of clause.elements) yield [name.text, 'value'];
    return;
  }
  const kinds = (ts.canHaveModifiers(statement) ? (ts.getModifiers(statement) ?? []) : []).map(
    ({kind}) => kind,
  );
  if (!kinds.includes(ts.SyntaxKind.ExportKeyword) || kinds.includes(ts.SyntaxKind.DefaultKeyword)) return;
  if (ts.isVariableStatement(statement))
    for (const {name} of statement.declarationList.declarations)
      for (const one of boundBy(name)) yield [one, 'value'];
  else if (ts.isInterfaceDeclaration(statement) || ts.isTypeAliasDeclaration(statement))
    yield [statement.name.text, 'type'];
  else if ((ts.isFunctionDeclaration(statement) || ts.isClassDeclaration(statement)) && statement.name)
    yield [statement.name.text, 'value'];
}

const boundBy = (name: ts.BindingName): string[] =>
  ts.isIdentifier(name)
    ? [name.text]
    : name.elements.flatMap((element) => (ts.isBindingElement(element) ? boundBy(element.name) : []));

function wholeOf(file: ts.SourceFile, source: SourceFile, spread: ReadonlySet<string>): Set<string> {
  const specifiers = file.statements.flatMap((statement) => {
    if (!ts.isImportDeclaration(statement) || !ts.isStringLiteral(statement.moduleSpecifier)) return [];
    const bindings = statement.importClause?.namedBindings;
    const isWhole = bindings && ts.isNamespaceImport(bindings) && spread.has(bindings.name.text);
    return isWhole ? [statement.moduleSpecifier.text] : [];
  });
  return new Set(
    importsOf(source).flatMap(({specifier, target}) =>
      target !== undefined && specifiers.includes(specifier) ? [target] : [],
    ),
  );
}

/**
 * Exports of `modules` that nothing needs, as `path name why`. A value must be used by another file of `users`, or by its
 * own file and a test. A type may also be exported because its own file uses it: it is part of a signature then.
 */
export function unusedExports(
  modules: readonly Module[],
  {users, tests}: {users: readonly Module[]; tests: readonly Module[]},
): string[] {
  const importers = (among: readonly Module[]) => {
    const found = new Map<string, Module[]>();
    for (const module of among)
      for (const target of module.targets) found.set(target, [...(found.get(target) ?? []), module]);
    return found;
  };
  const [byUsers, byTests] = [importers(users), importers(tests)];
  const isUsed = (by: Map<string, Module[]>, path: string, name: string): boolean =>
    (by.get(path) ?? []).some(({identifiers, whole}) => identifiers.has(name) || whole.has(path));
  return modules.flatMap(({path, exported, identifiers}) =>
    [...exported].flatMap(([name, kind]) => {
      if (isUsed(byUsers, path, name)) return [];
      const inOwnFile = identifiers.get(name)! > 1;
      const inTests = isUsed(byTests, path, name);
      if (inOwnFile && (inTests || kind === 'type')) return [];
      return [
        `${path} ${name}: ${inOwnFile ? 'no other file uses it' : inTests ? 'only tests use it' : 'nothing uses it'}`,
      ];
    }),
  );
}
