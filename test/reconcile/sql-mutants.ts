// `npm run mutants:reconcile -- --each 40 --seed 1`: draws small wrong changes of the SQL of the rules, which
// `npm run mutants` leaves alone, and runs their tests over each. Prints every change that no test noticed, and exits 1
// if fewer than 95% were noticed, or if one of the changes that must be noticed was not.
import {parseArgs} from 'node:util';
import ts from 'typescript';
import type {Mutation} from '../mutation/sites.ts';
import {draw} from '../mutation/sample.ts';
import {Workshop} from '../mutation/workshop.ts';
import {readText, sourcesUnder} from '../repo/tree.ts';

const {values} = parseArgs({
  options: {each: {type: 'string', default: '40'}, seed: {type: 'string', default: '1'}},
});
const NEEDED = 0.95;
const IS_SQL = /\b(?:select|where|from|exists|sum\()/;
const TESTS = [
  ...['match/brute-force', 'match/rules', 'book/totals', 'book/decisions', 'book/statements', 'book/book'],
  ...['book/period', 'match/worlds'], // the slow ones last: most are noticed before
].map((name) => `test/reconcile/${name}.test.ts`);
const SWAPS: readonly (readonly [RegExp, string])[] = [
  [/ = /g, ' <> '],
  [/ <> /g, ' = '],
  [/ <= /g, ' < '],
  [/ >= /g, ' > '],
  [/ > (?=\d|p\.|o\.|t\.)/g, ' >= '],
  [/ < (?=\d|g\.)/g, ' <= '],
  [/\bnot exists\b/g, 'exists'],
  [/\bnot in\b/g, 'in'],
  [/ and /g, ' or '],
  [/\bmin\(/g, 'max('],
  [/\bcount\(\*\) = 1\b/g, 'count(*) >= 1'],
];

/** Changes of which each would confirm what is not true. */
const NAMED: readonly (readonly [file: string, before: string, after: string])[] = [
  ['proofs.ts', 'having count(*) = 1)', 'having count(*) >= 1)'], // unique for the payment
  ['proofs.ts', 'having count(*) > 1`);', 'having count(*) > 9`);'], // unique for the line
  ['proofs.ts', 'kind < 3', 'kind < 9'], // only the statement names it
  ['offers.ts', 'text === String(members)', 'text !== String(members)'], // the number of a group
  ['offers.ts', 'd where d.o = c.o and d.l <> c.l', 'd where d.o = c.o and d.l <> c.l and 0'],
  ['offers.ts', 'd where d.l = c.l and d.o <> c.o', 'd where d.l = c.l and d.o <> c.o and 0'],
  [
    'proofs.ts',
    "takeSets(work, {state: 'amount_differs', line: 'amount_differs'});",
    "work.db.exec('delete from w_sets');",
  ],
  ['proofs.ts', 'x.amount = iif(', '1.0 * x.amount = 1.0 * iif('], // floats
  ['balances.ts', '(BigInt(high) << 32n) + BigInt(low)', 'BigInt(Number(high) * 2 ** 32 + Number(low))'],
  ['work.ts', 'sum: `', 'sum: `cast(total(${amount}) as integer)`, exact: `'],
];

/** Changes that change nothing, by a part of their line before and after, with the reason: they are not drawn. */
const EQUIVALENT: readonly (readonly [before: string, after: string, reason: string])[] = [
  ['(q.amount < 0)', '(q.amount <= 0)', 'no payment has an amount of 0'],
  ['account, amount < 0', 'account, amount <= 0', 'no payment has an amount of 0'],
  ['(amount < 0) = ?', '(amount <= 0) = ?', 'no payment has an amount of 0'],
  ['IS_UNSURE}, (x.amount < 0)', 'IS_UNSURE}, (x.amount <= 0)', 'a line of 0 is no hit'],
  ['x.amount = iif((x.amount < 0)', 'x.amount = iif((x.amount <= 0)', 'a line of 0 is no hit'],
  ['o.token > t.token', 'o.token >= t.token', 'a token of two owners is in w_shared'],
  ['min(l) as m', 'max(l) as m', 'any line of a match can be its number'],
];
const isEquivalent = (one: Mutation): boolean =>
  EQUIVALENT.some(([before, after]) => one.before.includes(before) && one.after.includes(after));

function sqlSites(file: string, text: string): Mutation[] {
  const found: Mutation[] = [];
  for (const {sql, index} of templatesOf(file, text).filter((each) => IS_SQL.test(each.sql)))
    for (const [pattern, becomes] of SWAPS)
      for (const {0: old, index: at} of sql.matchAll(pattern))
        found.push(mutation({file, text, start: index + at, old, becomes}));
  return found;
}

/** The template literals of a source, with those in them, and no comment. */
function templatesOf(file: string, text: string): {sql: string; index: number}[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  const found: {sql: string; index: number}[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTemplateExpression(node) || ts.isNoSubstitutionTemplateLiteral(node))
      found.push({sql: node.getText(source), index: node.getStart(source)});
    else ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function mutation(of: {file: string; text: string; start: number; old: string; becomes: string}): Mutation {
  const {file, text, start, old, becomes} = of;
  const end = start + old.length;
  const line = text.slice(0, start).split('\n').length;
  const [from, to] = [text.lastIndexOf('\n', start) + 1, text.indexOf('\n', end)];
  const before = text.slice(from, to).trim();
  const after = (text.slice(from, start) + becomes + text.slice(end, to)).trim();
  return {file, line, start, end, becomes, symbol: '', before, after};
}

const named = NAMED.map(([name, old, becomes]) => {
  const file = `src/reconcile/match/${name}`;
  const text = readText(file);
  const start = text.indexOf(old);
  if (start < 0) throw new Error(`${file} no longer has: ${old}`);
  return mutation({file, text, start, old, becomes});
});
const drawn = draw(
  sourcesUnder('src/reconcile/match').flatMap(({path, text}) =>
    sqlSites(path, text).filter((one) => !isEquivalent(one)),
  ),
  {seed: Number(values.seed), count: Number(values.each)},
);

const workshop = new Workshop();
let failed = false;
try {
  for (const [name, mutations] of [
    ['named', named],
    ['drawn', drawn],
  ] as const) {
    let noticed = 0;
    for (const each of mutations) {
      const run = await workshop.tryOut(each, TESTS, 600_000);
      if (run.noticed) noticed += 1;
      else
        process.stdout.write(`survived ${each.file}:${each.line}\n  - ${each.before}\n  + ${each.after}\n`);
    }
    process.stdout.write(`${name}: ${noticed} of ${mutations.length} noticed\n`);
    failed ||= noticed < (name === 'named' ? 1 : NEEDED) * mutations.length;
  }
} finally {
  workshop.remove();
}
if (failed) process.exitCode = 1;
