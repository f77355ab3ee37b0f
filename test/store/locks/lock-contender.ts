/**
 * A process that contends for a lock: `acquired` or `refused <code>` on stdout, then waits to be told to end.
 * With `count <file> <times>` it takes and gives back the lock that often, and adds one to the number in the file each
 * time without any protection but the lock.
 */
import {readFileSync, writeFileSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {RemitError} from '../../../src/errors.ts';
import {acquireLock} from '../../../src/store/locks/lock.ts';

const [path = '', mode = 'hold', file = '', times = '0'] = process.argv.slice(2);

async function countUp(): Promise<void> {
  for (let done = 0; done < Number(times);) {
    try {
      const lock = await acquireLock(path, {purpose: 'A counter'});
      const value = Number(readFileSync(file, 'utf8'));
      if (done % 5 === 0) await sleep(1); // lets the others meet a lock that is held
      writeFileSync(file, String(value + 1));
      await lock.release();
      done += 1;
    } catch (error) {
      if (!(error instanceof RemitError) || error.code !== 'LOCKED') throw error;
      await sleep(1);
    }
  }
}

async function hold(): Promise<void> {
  try {
    const lock = await acquireLock(path, {purpose: 'A contender'});
    process.stdout.write('acquired\n');
    if (mode === 'lost') {
      lock.lost.addEventListener('abort', () => process.stdout.write('lost\n', () => process.exit(0)));
    }
    setInterval(() => {}, 60_000); // lives until it is killed
  } catch (error) {
    process.stdout.write(`refused ${error instanceof RemitError ? error.code : String(error)}\n`);
  }
}

await (mode === 'count' ? countUp() : hold());
