import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {sourcesUnder} from './tree.ts';
import {typeEscapesIn} from './type-escapes.ts';

/** What src has. Lower a figure when you remove some; see `npm run figures`. */
const MOST = {casts: 102, nonNulls: 4};

const WHAT_TO_DO = `state the type where the value is made: the columns of a query in \`prepare<Row>\`, a type guard,
  named groups by destructuring, or a function of src/narrow.ts (must, keysOf, byName, ownJson, codeOf, isObject)`;

describe('casts and non-null assertions in src', () => {
  it('become no more', () => {
    const found = typeEscapesIn(sourcesUnder('src'));
    assert.ok(
      found.casts <= MOST.casts,
      `src has ${found.casts} casts (\`as Type\`), at most ${MOST.casts} are allowed: ${WHAT_TO_DO}`,
    );
    assert.ok(
      found.nonNulls <= MOST.nonNulls,
      `src has ${found.nonNulls} non-null assertions (\`value!\`), at most ${MOST.nonNulls} are allowed: ${WHAT_TO_DO}`,
    );
  });

  it('are counted, but not as const', () => {
    const text = 'const a = <A>b; const c = (d as E)!; const f = [1] as const; const g = h satisfies I;';
    assert.deepEqual(typeEscapesIn([{path: 'src/a.ts', text}]), {casts: 2, nonNulls: 1});
  });
});
