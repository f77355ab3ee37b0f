import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {filesUnder, readText} from './tree.ts';

/** What nobody can promise of a settled payment: a bank can return it days later. */
const PROMISES =
  /the money (?:has )?arrived|money of the pay(?:in|out) arrived|reached the recipient|will not change any more|nothing is left to do\b(?!, and a new reference|: a new reference)|can no longer change/i;

describe('texts about settled payments', () => {
  it('promise neither that the money stays nor that nothing can follow', () => {
    const files = [
      ...filesUnder('src'),
      ...filesUnder('docs/guides'),
      ...filesUnder('docs/reference'),
      'README.md',
    ].filter((path) => /\.(?:ts|md)$/.test(path));
    const found = files.filter((path) => PROMISES.test(readText(path)));
    assert.deepEqual(found, []);
    assert.match('only “settled” means that the money has arrived', PROMISES);
  });

  it('admit the return where a reader looks the status up', () => {
    for (const path of [
      ...[
        'docs/guides/waiting.md',
        'docs/guides/batches.md',
        'docs/guides/webhooks.md',
        'docs/guides/going-live.md',
      ],
      ...['docs/reference/lifecycles.md', 'src/batch/report/html.ts', 'src/cli/help/advice.ts'],
    ])
      assert.match(
        readText(path).replaceAll(/\s+/g, ' '),
        /bank can still return an? (?:settled )?ACH/,
        path,
      );
  });
});
