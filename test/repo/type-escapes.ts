import ts from 'typescript';
import {parse} from './imports.ts';
import type {SourceFile} from './tree.ts';

/** Where the sources state a type that the compiler does not check. */
export interface TypeEscapes {
  /** `value as Type` and `<Type>value`; `as const` only narrows a literal. */
  casts: number;
  /** `value!` */
  nonNulls: number;
}

const COMMENT_LINE = /^\s*(?:\/\/|\/\*\*|\* ).*/gm;
/** What looks like a cast or a non-null assertion. Most files have none, and to parse all of them takes a second. */
const MAY_BE_ESCAPE =
  /[\w)\]}"'`>!]\s+as\s+(?!const\b)|[\w)\]}]!(?!=)|(?:^|[^\w\s])\s*<[^<>=]+>\s*[\w({["'`]/m;

const isCast = (node: ts.Node): boolean =>
  ts.isTypeAssertionExpression(node) || (ts.isAsExpression(node) && node.type.getText() !== 'const');

export function typeEscapesIn(sources: readonly SourceFile[]): TypeEscapes {
  const found: TypeEscapes = {casts: 0, nonNulls: 0};
  const visit = (node: ts.Node): void => {
    if (isCast(node)) found.casts++;
    if (ts.isNonNullExpression(node)) found.nonNulls++;
    ts.forEachChild(node, visit);
  };
  for (const source of sources)
    if (MAY_BE_ESCAPE.test(source.text.replace(COMMENT_LINE, ''))) visit(parse(source));
  return found;
}
