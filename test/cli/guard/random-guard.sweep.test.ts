import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {checkFile, checkLine, counts} from './random-guard.ts';

/** `npm run long:guard` tries more of them. */
const [FILES, LINES] = [1_500, 150];

describe('with a live key, whatever the service file and the command line', () => {
  it('a write is sent only where it was allowed, and names its own record', async () => {
    for (let seed = 1; seed <= FILES; seed++) await checkFile(seed);
    assert.ok(counts.accepted > FILES / 50, `only ${counts.accepted} of ${FILES} files were accepted`);
  }).timeout(60_000);

  it('a command line sends no unguarded request other than a GET', async () => {
    for (let seed = 1; seed <= LINES; seed++) await checkLine(seed);
    assert.ok(counts.writes > 0, 'no line has written anything');
    assert.ok(counts.reads > 0, 'no line has read anything');
  }).timeout(120_000);
});
