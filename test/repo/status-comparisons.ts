import ts from 'typescript';
import {LIFECYCLES} from '../../src/contract/lifecycle.ts';
import {parse} from './imports.ts';
import type {SourceFile} from './tree.ts';

const STATUSES = new Set(Object.values(LIFECYCLES).flatMap(({next}) => Object.keys(next)));

/** `status`, `outcome.status`, `recorded.verification`: what holds the status of a record. Other words have a name of their own. */
const STATUS_NAME = /(?:^|\.|\b)(?:\w*[sS]tatus|verification|until)\)?$/;

/** To parse all files takes seconds, and few name a status. */
const MAY_COMPARE = new RegExp(`'(?:${[...STATUSES].join('|')})'`);

const isStatus = (node: ts.Node): node is ts.StringLiteral =>
  ts.isStringLiteral(node) && STATUSES.has(node.text);

const COMPARES = new Set([ts.SyntaxKind.EqualsEqualsEqualsToken, ts.SyntaxKind.ExclamationEqualsEqualsToken]);

/** Whether a status of a record is compared with a literal here. */
function isComparison(node: ts.Node): boolean {
  if (ts.isBinaryExpression(node) && COMPARES.has(node.operatorToken.kind)) {
    const {left, right} = node;
    return (
      (isStatus(right) && STATUS_NAME.test(left.getText())) ||
      (isStatus(left) && STATUS_NAME.test(right.getText()))
    );
  }
  if (ts.isSwitchStatement(node))
    return (
      STATUS_NAME.test(node.expression.getText()) &&
      node.caseBlock.clauses.some((clause) => ts.isCaseClause(clause) && isStatus(clause.expression))
    );
  // `['failed', 'canceled'].includes(…)`, `new Set(['failed', 'canceled'])`
  const isSearched = ts.isNewExpression(node.parent) || ts.isPropertyAccessExpression(node.parent);
  return ts.isArrayLiteralExpression(node) && isSearched && node.elements.filter(isStatus).length > 1;
}

/** Where code decides by the name of a status, as `src/a.ts:12`. */
export function statusComparisonsIn(sources: readonly SourceFile[]): string[] {
  return sources.flatMap((source) => {
    if (!MAY_COMPARE.test(source.text)) return [];
    const file = parse(source);
    const found: string[] = [];
    const visit = (node: ts.Node): void => {
      if (isComparison(node))
        found.push(`${source.path}:${file.getLineAndCharacterOfPosition(node.getStart()).line + 1}`);
      ts.forEachChild(node, visit);
    };
    ts.forEachChild(file, visit);
    return found;
  });
}
