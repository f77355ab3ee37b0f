// Which commands exist: every file under src/commands, its path being its id. Used by the build, bin/dev.js and the tests.
import {readdirSync} from 'node:fs';
import {join, sep} from 'node:path';
import {fileURLToPath} from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/** `[id, path below the root]` of each, sorted: `['payouts:batch:run', 'src/commands/payouts/batch/run.ts']`. */
export function commandFiles() {
  const folder = join(root, 'src', 'commands');
  return readdirSync(folder, {recursive: true})
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .sort()
    .map((file) => [file.replace(/\.ts$/, '').replaceAll('/', ':'), `src/commands/${file}`]);
}
