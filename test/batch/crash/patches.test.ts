import assert from 'node:assert/strict';
import {MUTANTS as SIMULATED} from '../../sim/mutants.ts';
import {MUTANTS as KILLED} from './mutants.ts';
import {fileWith, SMALL_STEPS} from './patches.ts';

/** `npm test` hunts a few wrong engines only: the others must not find out a year later that their text is gone. */
describe('the texts that wrong engines replace', () => {
  const patches = [...SMALL_STEPS, ...[...SIMULATED, ...KILLED].flatMap((mutant) => mutant.patches)];

  it('occur in the engine, each exactly once', () => {
    const files = new Set(patches.map(({text}) => fileWith(text)));
    assert.ok(files.size > 10);
    assert.throws(() => fileWith('this text is in no source'), /must occur once in src, not 0 times/);
    assert.throws(() => fileWith("from 'node:path'"), /must occur once in src, not \d+ times/);
  });
});
