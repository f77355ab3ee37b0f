import {closeSync, openSync, readFileSync, renameSync, rmSync, writeSync} from 'node:fs';
import {hostname} from 'node:os';
import {join} from 'node:path';

const PATIENCE_MS = 10 * 60_000;

/**
 * Runs `work` while no other set-up of this clone runs: `npm test` and `npm run lint`, started at once on a fresh clone,
 * would otherwise install into one node_modules at the same time. Waits for the other, ten minutes at most, and says so once.
 */
export async function underLock(root, work, say = (text) => process.stderr.write(`${text}\n`)) {
  const path = join(root, '.setup.lock');
  const deadline = performance.now() + PATIENCE_MS;
  for (let told = false; !take(path);) {
    const holder = readHolder(path);
    if (holder !== undefined && isGone(holder)) breakLock(path, holder);
    else if (performance.now() > deadline) {
      process.stderr.write(
        `setup: another set-up has held ${path} for ten minutes (${holder}). If none runs, delete that file.\n`,
      );
      process.exit(1);
    } else {
      if (!told) say('Waiting for another set-up of this clone…');
      told = true;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
  }
  const release = () => rmSync(path, {force: true});
  process.once('exit', release);
  try {
    await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

function take(path) {
  try {
    const file = openSync(path, 'wx');
    writeSync(file, `${process.pid} ${hostname()}`);
    closeSync(file);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function readHolder(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined; // released in between
  }
}

/** Only a holder of this machine can be known to be gone; an empty file is one that is just being written. */
function isGone(holder) {
  const [, pid, host] = /^(\d+) (.+)$/.exec(holder) ?? [];
  if (pid === undefined || host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return error.code === 'ESRCH';
  }
}

/** Of several that find a dead holder, one moves its lock away; a fresh lock that was caught by mistake is put back. */
function breakLock(path, holder) {
  const aside = `${path}.${process.pid}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // another was faster
  }
  if (readHolder(aside) === holder) rmSync(aside, {force: true});
  else renameSync(aside, path);
}
