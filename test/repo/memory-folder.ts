import {accessSync, constants, mkdtempSync, rmSync, statfsSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

export const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 2 * 1024 ** 3;

/**
 * Where tests and benchmarks write: in memory where there is plenty, and programs can be started from there; else
 * tmpdir(). A process that is killed loses nothing in memory either, and a sync costs nothing.
 */
export function memoryFolder(): string {
  if (tmpdir().startsWith(MEMORY)) return tmpdir();
  try {
    const {bavail, bsize} = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES && canStartPrograms(MEMORY) ? MEMORY : tmpdir();
  } catch {
    return tmpdir(); // another system
  }
}

/** In containers it is often mounted `noexec`. */
function canStartPrograms(place: string): boolean {
  const folder = mkdtempSync(join(place, 'remit-exec-'));
  try {
    const program = join(folder, 'program');
    writeFileSync(program, '', {mode: 0o755});
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, {recursive: true});
  }
}
