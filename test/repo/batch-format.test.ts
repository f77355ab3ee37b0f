import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {idempotencyKey} from '../../src/batch/identity.ts';
import type {Kind, Mode} from '../../src/batch/kinds.ts';
import {BUCKETS} from '../../src/batch/outcome.ts';
import {tableRows} from './markdown.ts';
import {readText} from './tree.ts';

describe('docs/internals/batch-format.md', () => {
  const rows = tableRows(readText('docs/internals/batch-format.md'));
  const under = (heading: string) => rows.filter((row) => row.heading === heading).map(({cells}) => cells);

  it('shows keys that remit makes as well', () => {
    const vectors = under('Idempotency keys');
    assert.equal(vectors.length, 3);
    for (const [kind, mode, namespace, reference, generation, key] of vectors)
      assert.equal(
        idempotencyKey({
          kind: kind as Kind,
          mode: mode as Mode,
          namespace: namespace!,
          reference: reference!,
          generation: Number(generation),
        }),
        key,
        'a published key has changed: rows that were paid would be paid again',
      );
  });

  it('names every state that a result can have', () => {
    const [, meaning = ''] =
      under('Columns of the results').find(([column]) => column === 'remit_state') ?? [];
    const named = meaning.match(/\b[a-z_]+(?=[,;])/g) ?? [];
    assert.deepEqual(named.sort(), [...BUCKETS, 'held'].sort());
    assert.match(meaning, /; invalid for/);
  });
});
