import ts from 'typescript';

/** One small change of a source file. */
export interface Mutation {
  file: string;
  /** Counts from 1. */
  line: number;
  start: number;
  end: number;
  becomes: string;
  /** The outermost declaration around it, such as `parseAmount` or `Journal.record`; empty outside of any. */
  symbol: string;
  /** The changed lines before and after. With `symbol` they name the mutation wherever its file is. */
  before: string;
  after: string;
}

const SWAPS: Readonly<Partial<Record<ts.SyntaxKind, string>>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
  [ts.SyntaxKind.AmpersandAmpersandToken]: '||',
  [ts.SyntaxKind.BarBarToken]: '&&',
  [ts.SyntaxKind.PlusToken]: '-',
  [ts.SyntaxKind.MinusToken]: '+',
  [ts.SyntaxKind.AsteriskToken]: '/',
  [ts.SyntaxKind.SlashToken]: '*',
  [ts.SyntaxKind.PercentToken]: '*',
  [ts.SyntaxKind.PlusEqualsToken]: '-=',
  [ts.SyntaxKind.MinusEqualsToken]: '+=',
};

const METHODS: Readonly<Record<string, string>> = {
  some: 'every',
  every: 'some',
  min: 'max',
  max: 'min',
  startsWith: 'endsWith',
  endsWith: 'startsWith',
  toLowerCase: 'toUpperCase',
  toUpperCase: 'toLowerCase',
};

/** Names and enumeration values, such as `settled` or `/api/payouts/{id}`; prose is left alone. */
const IDENTIFIER = /^[\w./{}:-]+$/;

/** Every place in a source file where one operator, condition, value or call can be replaced by a wrong one. */
export function sitesOf(file: string, text: string): Mutation[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: Mutation[] = [];
  const add = (start: number, end: number, becomes: string): void => {
    if (text.slice(start, end) === becomes) return;
    const symbol = symbolAt(source, start);
    found.push({file, start, end, becomes, symbol, ...describe(source, text, {start, end, becomes})});
  };
  const replace = (node: ts.Node, becomes: string) => add(node.getStart(source), node.getEnd(), becomes);

  const visit = (node: ts.Node): void => {
    if (isDeclarationOnly(node)) return;
    for (const [target, becomes] of changesOf(node, source)) replace(target, becomes);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** Types and imports do nothing at run time. */
const isDeclarationOnly = (node: ts.Node): boolean =>
  ts.isTypeNode(node) ||
  ts.isInterfaceDeclaration(node) ||
  ts.isTypeAliasDeclaration(node) ||
  ts.isImportDeclaration(node) ||
  ts.isExportDeclaration(node);

type Change = readonly [target: ts.Node, becomes: string];

function changesOf(node: ts.Node, source: ts.SourceFile): Change[] {
  if (ts.isBinaryExpression(node)) return ofBinary(node, source);
  if (ts.isPrefixUnaryExpression(node) && node.operator === ts.SyntaxKind.ExclamationToken)
    return [[node, node.operand.getText(source)]];
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return [...ofCondition(node.expression)];
  if (ts.isConditionalExpression(node)) return ofCondition(node.condition);
  if (ts.isExpressionStatement(node) && isEffect(node.expression)) return [[node, ';']];
  if (ts.isReturnStatement(node) && node.expression !== undefined && !isFalse(node.expression))
    return [[node.expression, 'undefined as never']];
  if (ts.isPropertyAccessExpression(node) && Object.hasOwn(METHODS, node.name.text))
    return [[node.name, METHODS[node.name.text]!]];
  return ofLiteral(node, source);
}

function ofBinary(node: ts.BinaryExpression, source: ts.SourceFile): Change[] {
  const {operatorToken, left} = node;
  if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) return [[node, left.getText(source)]];
  const swap = SWAPS[operatorToken.kind];
  return swap === undefined ? [] : [[operatorToken, swap]];
}

const ofCondition = (condition: ts.Expression): Change[] => [
  [condition, 'true'],
  [condition, 'false'],
];

/** `undefined` in its place would be the same to every condition; `false` is changed to `true` as a literal. */
const isFalse = (expression: ts.Expression): boolean =>
  (ts.isIdentifier(expression) && expression.text === 'undefined') ||
  expression.kind === ts.SyntaxKind.FalseKeyword;

const isEffect = (expression: ts.Expression): boolean =>
  ts.isCallExpression(expression) ||
  (ts.isAwaitExpression(expression) && ts.isCallExpression(expression.expression)) ||
  (ts.isVoidExpression(expression) && ts.isCallExpression(expression.expression));

function ofLiteral(node: ts.Node, source: ts.SourceFile): Change[] {
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [[node, 'false']];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [[node, 'true']];
  if (ts.isNumericLiteral(node)) {
    const isKey = ts.isPropertyAssignment(node.parent) && node.parent.name === node;
    return isKey ? [] : [[node, `${node.getText(source)} + 1`.replace(/^(.*)$/, '($1)')]]; // it would not compile
  }
  if (ts.isStringLiteral(node) && IDENTIFIER.test(node.text) && !ts.isImportTypeNode(node.parent)) {
    const isSpecifier = ts.isCallExpression(node.parent) && /^\.{0,2}\/|^node:/.test(node.text);
    return isSpecifier || isHeading(node, source) ? [] : [[node, JSON.stringify(`${node.text}~`)]];
  }
  if (ts.isRegularExpressionLiteral(node)) {
    const text = node.getText(source);
    const loose = [text.replace(/^\/\^/, '/'), text.replace(/\$(\/[a-z]*)$/, '$1')];
    return loose.filter((one) => one !== text).map((one) => [node, one] as const);
  }
  return [];
}

/** What makes a line of a card or a column of a table, with its heading first. */
const COLUMN_MAKERS = /^(?:text|time|moment|money|status|yes|yesNo|balance|tallies|counts|list|byCurrency)$/;

/** `text('Created', …)`: prose of one word. A test of it would only repeat the table of columns. */
const isHeading = ({parent, text}: ts.StringLiteral, source: ts.SourceFile): boolean =>
  source.fileName.startsWith('src/output/views/') &&
  ((ts.isCallExpression(parent) &&
    COLUMN_MAKERS.test(parent.expression.getText(source)) &&
    (parent.arguments[0] as ts.StringLiteral).text === text) ||
    (ts.isPropertyAssignment(parent) && parent.name.getText(source) === 'label'));

function describe(
  source: ts.SourceFile,
  text: string,
  {start, end, becomes}: {start: number; end: number; becomes: string},
): {line: number; before: string; after: string} {
  const from = text.lastIndexOf('\n', start - 1) + 1;
  const to = text.indexOf('\n', end);
  const last = to === -1 ? text.length : to;
  const flat = (part: string) => part.replace(/\s+/g, ' ').trim();
  return {
    line: source.getLineAndCharacterOfPosition(start).line + 1,
    before: flat(text.slice(from, last)),
    after: flat(text.slice(from, start) + becomes + text.slice(end, last)),
  };
}

function symbolAt(source: ts.SourceFile, at: number): string {
  const within = (node: ts.Node) => node.pos <= at && at < node.end;
  const statement = source.statements.find(within);
  if (statement === undefined) return '';
  if (ts.isVariableStatement(statement))
    return statement.declarationList.declarations.find(within)?.name.getText(source) ?? '';
  if (ts.isFunctionDeclaration(statement)) return statement.name?.text ?? '';
  if (!ts.isClassDeclaration(statement)) return '';
  const member = statement.members.find(within)?.name?.getText(source) ?? 'constructor';
  return `${statement.name?.text ?? ''}.${member}`;
}
