import assert from 'node:assert/strict';
import {readFileSync} from 'node:fs';
import {MUTANTS as SIMULATED} from '../../sim/mutants.ts';
import {MUTANTS as KILLED} from './mutants.ts';
import {SMALL_STEPS} from './patches.ts';

/** `npm test` hunts a few wrong engines only: the others must not find out a year later that their text is gone. */
describe('the texts that wrong engines replace', () => {
  const patches = [...SMALL_STEPS, ...[...SIMULATED, ...KILLED].flatMap((mutant) => mutant.patches)];

  it('stand in the engine, each once', () => {
    const read = new Map<string, string>();
    for (const {file, text} of patches) {
      if (!read.has(file)) read.set(file, readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8'));
      assert.equal(read.get(file)!.split(text).length - 1, 1, `${file}: ${text}`);
    }
    assert.ok(read.size > 10);
  });
});
