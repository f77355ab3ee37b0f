import fs, {chmodSync, mkdtempSync, rmSync} from 'node:fs';
import {syncBuiltinESMExports} from 'node:module';
import {join} from 'node:path';
import {MEMORY, memoryFolder} from './memory-folder.ts';

// Every folder that a test makes below tmpdir(), also in a process that it starts, goes with this one. Of parallel tests
// only the workers make one.
//
// A test of syncing to disk must not use this folder: it is in memory where there is enough (memory-folder.ts), and a sync
// does nothing there. Such a test replaces the functions of node:fs and checks their calls, as
// test/store/crash/disk-tap.ts does, or is a script that mocha does not start, as test/store/crash/sweep.ts is.
if (!process.argv.includes('--parallel')) useOwnFolder();

function useOwnFolder(): void {
  const parent = memoryFolder();
  const folder = mkdtempSync(join(parent, 'remit-test-'));
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  chmodSync(folder, 0o711); // PostgreSQL does not run as root: its account must reach what is below
  process.once('exit', () => rmSync(folder, {recursive: true, force: true}));
  if (parent.startsWith(MEMORY)) syncOnly(folder);
}

/**
 * A store syncs its folder and all folders above it, up to `/`. Above a folder in memory, this would wait for a disk that
 * none of the files are on, thousands of times.
 */
function syncOnly(folder: string): void {
  const {dev} = fs.statSync(folder);
  const {fsyncSync, fstatSync} = fs;
  fs.fsyncSync = (descriptor) => {
    if (fstatSync(descriptor).dev === dev) fsyncSync(descriptor);
  };
  syncBuiltinESMExports();
}
