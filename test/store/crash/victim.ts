/**
 * Runs the workload in a process that kills itself. Arguments: folder, driver, durability, generations, the number of
 * the call that changes the disk at which to die (0: never), and how: `before` it, `after` it, or `torn` (a write of which
 * only the first half arrives). Each line on stdout is one acknowledged generation and the number of calls until then.
 */
import {writeSync} from 'node:fs';
import type {Durability} from '../../../src/store/port/port.ts';
import type {SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';
import {databaseFile, tapDisk} from './disk-tap.ts';
import {runWorkload} from './workload.ts';

const [folder = '', driver = '', durability = '', generations = '', killAt = '0', how = 'before'] =
  process.argv.slice(2);
let calls = 0;

const die = () => process.kill(process.pid, 'SIGKILL');

tapDisk(folder, (call) => {
  calls += 1;
  if (calls !== Number(killAt)) return call.perform();
  try {
    if (how === 'torn' && call.bytes !== undefined) call.perform(Math.floor(call.bytes.length / 2));
    else if (how !== 'before') call.perform();
  } finally {
    die(); // also after a call that failed, as the removal of a lock that is not there does
  }
  return undefined;
});

await runWorkload(databaseFile(folder), {
  driver: driver as SqliteDriver,
  durability: durability as Durability,
  generations: Number(generations),
  onCommitted: (generation) => void writeSync(1, `${generation} ${calls}\n`),
});
writeSync(1, `end ${calls}\n`);
