import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {WITH_TYPESCRIPT} from '../../repo/tree.ts';

const MEMORY = new URL('../../../src/cli/runtime/memory.ts', import.meta.url).href;
const MEGABYTES = 1_048_576;

/** V8's flags hold for a whole process, so it takes one of its own. */
const PROGRAM = `
  import {getHeapSpaceStatistics} from 'node:v8';
  import {enlargeYoungSpace, keepHeapSmall} from ${JSON.stringify(MEMORY)};
  const young = () => getHeapSpaceStatistics().find(({space_name: name}) => name === 'new_space').space_size;
  keepHeapSmall();
  enlargeYoungSpace();
  const before = young();
  let kept = [];
  for (let round = 0; round < 3000; round += 1) {
    kept.push(new Array(2000).fill(round));
    if (kept.length > 1500) kept = kept.slice(-1000);
  }
  console.log(JSON.stringify([before, young()]));
`;

describe('the memory of a listener', () => {
  it('has a young space of two halves of 4 MB, which a flood does not enlarge further', () => {
    const {stdout, stderr} = spawnSync(
      process.execPath,
      [...WITH_TYPESCRIPT, '--input-type=module', '-e', PROGRAM],
      {encoding: 'utf8'},
    );
    const [before, after] = JSON.parse(stdout || stderr) as [number, number];
    assert.ok(before >= 8 * MEGABYTES, `${before} bytes`);
    assert.ok(after <= 12 * MEGABYTES, `${after} bytes`);
  });
});
