import {chmodSync, mkdtempSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {memoryFolder} from './memory-folder.ts';

// Every folder that a test makes below tmpdir(), also in a process that it starts, goes with this one. Of parallel tests
// only the workers make one.
if (!process.argv.includes('--parallel')) useOwnFolder();

function useOwnFolder(): void {
  const folder = mkdtempSync(join(memoryFolder(), 'remit-test-'));
  for (const name of ['TMPDIR', 'TMP', 'TEMP']) process.env[name] = folder;
  chmodSync(folder, 0o711); // PostgreSQL does not run as root: its account must reach what is below
  process.once('exit', () => rmSync(folder, {recursive: true, force: true}));
}
