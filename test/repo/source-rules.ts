import {posix} from 'node:path';
import ts from 'typescript';
import {lineOf, parse} from './imports.ts';
import type {SourceFile} from './tree.ts';

/** A rule reads one file and says, as `path:line what`, where the file breaks it. */
export type Rule = (source: SourceFile) => string[];

function* nodesOf(node: ts.Node): Generator<ts.Node> {
  yield node;
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => void children.push(child));
  for (const child of children) yield* nodesOf(child);
}

const isNamed = (node: ts.Node, name: string): boolean => ts.isIdentifier(node) && node.text === name;

/** @param hint what any file that breaks the rule contains; the others need not be parsed */
function findings(source: SourceFile, hint: RegExp, wrong: (node: ts.Node) => string | undefined): string[] {
  if (!hint.test(source.text)) return [];
  return [...nodesOf(parse(source))].flatMap((node) => {
    const what = wrong(node);
    return what === undefined ? [] : [`${source.path}:${lineOf(node)} ${what}`];
  });
}

/** What may be done with a stream without writing to it. */
const HARMLESS = new Set(['isTTY', 'columns', 'rows', 'fd', 'removeAllListeners']);

/** Only output/ writes to stdout and stderr; oclif's own ways of writing count as well. */
export const writesToTerminal: Rule = (source) =>
  findings(source, /\bconsole\b|\bstd(?:out|err)\b|\bthis\b\s*\.(?:log|warn)/, (node) => {
    if (!ts.isPropertyAccessExpression(node)) return undefined;
    const {expression: object, name} = node;
    if (isNamed(object, 'console')) return `console.${name.text}: only output/ writes`;
    if (
      object.kind === ts.SyntaxKind.ThisKeyword &&
      ['log', 'logToStderr', 'logJson', 'warn'].includes(name.text)
    )
      return ts.isCallExpression(node.parent)
        ? `this.${name.text}() is oclif's: only output/ writes`
        : undefined;
    if (!isNamed(object, 'process') || !['stdout', 'stderr'].includes(name.text)) return undefined;
    const use = node.parent;
    if (ts.isPropertyAccessExpression(use) && use.expression === node) {
      if (HARMLESS.has(use.name.text)) return undefined;
    } else if (source.path.startsWith('src/cli/')) return undefined; // cli hands the streams to output/
    return `process.${name.text}: only output/ writes`;
  });

/** oclif wants a default export of a command; nothing else has one. */
export const exportsDefault: Rule = (source) =>
  findings(source, /\bdefault\b|\bexport\s*=/, (node) => {
    const isDefault =
      node.kind === ts.SyntaxKind.DefaultKeyword && !ts.isDefaultClause(node.parent) // `export default class`
        ? true
        : ts.isExportAssignment(node) || (ts.isExportSpecifier(node) && node.name.text === 'default');
    return isDefault ? 'a default export: only commands have one' : undefined;
  }).filter((finding, index, all) => all.indexOf(finding) === index);

const EMPTY_NAMES = /^(utils?|helpers?|common|types|misc|shared)$/;
/** The entries of the library are the only index files; elsewhere one would be a barrel. */
const LIBRARY_ENTRIES = [
  'src/automation/index.ts',
  'src/library/index.ts',
  'src/sandbox/index.ts',
  'src/webhooks/index.ts',
];

export const badFileName: Rule = ({path}) => {
  const name = posix.basename(path).replace(/(\.test)?\.[cm]?[jt]s$/, '');
  if (EMPTY_NAMES.test(name)) return [`${path}:1 the name says nothing about what is in it`];
  if (name === 'index' && !LIBRARY_ENTRIES.includes(path))
    return [`${path}:1 a barrel: import from the file itself`];
  return /^[a-z0-9]+([-.][a-z0-9]+)*$/.test(name) ? [] : [`${path}:1 file names are kebab-case`];
};

/** A test that is switched off, or that switches the others off. */
export const switchesTestsOff: Rule = (source) =>
  findings(source, /\bx(?:it|describe)\b|\b(?:only|skip)\b/, (node) => {
    if (isNamed(node, 'xit') || isNamed(node, 'xdescribe')) return 'a test that is switched off';
    if (!ts.isPropertyAccessExpression(node) || !['only', 'skip'].includes(node.name.text)) return undefined;
    const onMocha = ['it', 'describe', 'context', 'specify', 'test', 'suite'].some((name) =>
      isNamed(node.expression, name),
    );
    const onThis = node.expression.kind === ts.SyntaxKind.ThisKeyword;
    return onMocha || onThis ? `.${node.name.text}: every test runs` : undefined;
  });

/** Commands that use a profile: a hint that names one must carry `-p NAME`. */
const WITH_PROFILE =
  /\bremit (?:payouts|payins|moves|transfers|treasury|payment-methods|payees|payers|subaccounts|whoami|api|webhooks (?:endpoints|event-types)|profiles test)\b|\bremit $/;

/** Hints get their commands from `Commands` (cli/line/command-line.ts), which adds the profile in force and quotes. */
export const writesCommand: Rule = (source) =>
  findings(source, /\bremit /, (node) => {
    const isText =
      ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node);
    const found = isText ? WITH_PROFILE.exec(node.text) : null;
    return found === null
      ? undefined
      : `"${found[0]}": let Commands build this command, so that it carries the profile`;
  });

const SQL = /^\s*(?:select|insert into|update|delete from|create (?:table|index|trigger)|drop table)\s/i;
const SQL_OR_PREPARE = /\b(?:select|insert|update|delete|create|drop|prepare)\b/i;

/** SQL text, or a statement that is prepared: only the rooms that own a table have them. */
export const runsSql: Rule = (source) =>
  findings(source, SQL_OR_PREPARE, (node) => {
    const isText = ts.isStringLiteralLike(node) || ts.isTemplateHead(node);
    if (isText && SQL.test(node.text)) return 'SQL: make it a named query of the room that has the table';
    return ts.isPropertyAccessExpression(node) && node.name.text === 'prepare'
      ? 'a prepared statement: make it a named query of the room that has the table'
      : undefined;
  });
