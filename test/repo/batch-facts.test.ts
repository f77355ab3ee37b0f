import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import ts from 'typescript';
import {SURVIVES_REVISION} from '../../src/batch/journal/facts.ts';
import {lineOf, parse} from './imports.ts';
import {readText, type SourceFile, sourcesUnder} from './tree.ts';

const DECLARED = 'src/batch/journal/facts.ts';
/** It carries facts over by the names of the table. */
const BY_NAME = 'src/batch/plan/revision.ts';

/** Names of the facts that a file reads or sets, as `fact(…)` and `setFact(…)` have them. */
function factsIn(source: SourceFile): {method: string; name: string | undefined; at: string}[] {
  const found: {method: string; name: string | undefined; at: string}[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const method = node.expression.name.text;
      const [first] = node.arguments;
      if (method === 'fact' || method === 'setFact')
        found.push({
          method,
          name: first !== undefined && ts.isStringLiteral(first) ? first.text : undefined,
          at: `${source.path}:${lineOf(node)}`,
        });
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(source));
  return found;
}

function declaredFacts(source: SourceFile): string[] {
  const facts = parse(source).statements.find(
    (node) => ts.isInterfaceDeclaration(node) && node.name.text === 'BatchFacts',
  ) as ts.InterfaceDeclaration;
  return facts.members.map((member) => (member.name as ts.Identifier).text).sort();
}

describe('batch facts', () => {
  const declared = declaredFacts({path: DECLARED, text: readText(DECLARED)});
  const uses = sourcesUnder('src')
    .filter(({text}) => /\b(?:fact|setFact)\b/.test(text)) // most files need not be parsed
    .flatMap(factsIn);
  const named = (method: string) => [
    ...new Set(uses.filter((use) => use.method === method).map(({name}) => name ?? '')),
  ];

  it('are each read and set by name in src', () => {
    const missing = (method: string) => declared.filter((name) => !named(method).includes(name));
    assert.deepEqual(missing('fact'), [], `read nowhere: delete them from ${DECLARED}`);
    assert.deepEqual(missing('setFact'), [], `set nowhere: delete them from ${DECLARED}`);
  });

  it('are used by literal names, all of them declared', () => {
    const wrong = uses.filter(({name, at}) =>
      name === undefined ? !at.startsWith(`${BY_NAME}:`) : !declared.includes(name),
    );
    assert.deepEqual(
      wrong.map(({at}) => at),
      [],
      `declare the fact in ${DECLARED}`,
    );
    const text = `journal.fact('plan'); journal.setFact('stop', null); journal.fact(name); fact('other');`;
    assert.deepEqual(
      factsIn({path: 'src/a.ts', text}).map(({method, name}) => [method, name]),
      [
        ['fact', 'plan'],
        ['setFact', 'stop'],
        ['fact', undefined],
      ],
    );
  });

  it('are listed in docs/internals/batch-format.md', () => {
    const [, table] = readText('docs/internals/batch-format.md').split(/^Names in `meta`.*$/m);
    const rows = table!.trim().split('\n\n')[0]!.split('\n').slice(2);
    const listed = rows.flatMap((row) =>
      [...row.split('|')[1]!.matchAll(/`(\w+)`/g)].map(([, name]) => name!),
    );
    assert.deepEqual(listed.sort(), declared);
  });

  it('say each whether a revision keeps them', () => {
    assert.deepEqual(Object.keys(SURVIVES_REVISION).sort(), declared);
  });
});
