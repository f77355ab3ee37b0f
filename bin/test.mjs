// `npm test`: every test file except the sweeps, on every core; the slow files start first, so that no core is left with
// one at the end. A sweep (`*.sweep.test.ts`) draws its cases at random, or leads every command, text or moment through
// one claim; `npm test -- --all`, which CI calls, runs them too.
// `npm run test:fast`: only the files that take less than a quarter of a second and need no build, which those of
// test/smoke do. The slow ones are in test/repo/slow-tests.json, the slowest first; `npm test -- --times` runs all files
// one after the other and writes that list again.
// Other arguments go to mocha: `npm test -- --grep 'paid twice'`.
import {spawnSync} from 'node:child_process';
import {mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {availableParallelism, tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {compileAll} from './typescript-hooks.mjs';

const SLOW_MS = 250;
const root = fileURLToPath(new URL('..', import.meta.url));
const list = join(root, 'test', 'repo', 'slow-tests.json');

const sourcesUnder = (folder) =>
  readdirSync(join(root, folder), {recursive: true})
    .filter((path) => path.endsWith('.ts'))
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`);
const all = sourcesUnder('test')
  .filter((path) => path.endsWith('.test.ts'))
  .sort();
const slow = JSON.parse(readFileSync(list, 'utf8')).filter((path) => all.includes(path));
const inOrder = [...slow, ...all.filter((path) => !slow.includes(path))];
const isSweep = (path) => path.endsWith('.sweep.test.ts');
const fast = all.filter((path) => !slow.includes(path) && !isSweep(path) && !path.startsWith('test/smoke/'));

// Processes of the built tool that tests start in parallel compile each command once.
const cache = mkdtempSync(join(tmpdir(), 'remit-test-cache-'));
process.env.REMIT_TEST_CACHE = cache;
process.once('exit', () => rmSync(cache, {recursive: true, force: true}));

// Node 20 reads these certificates at every start, which costs more than the rest of it; tests start hundreds of processes.
delete process.env.NODE_EXTRA_CA_CERTS;

/** @returns mocha's exit code */
function mocha(args, env = process.env) {
  const program = join(root, 'node_modules', 'mocha', 'bin', 'mocha.js');
  return spawnSync(process.execPath, [program, ...args], {cwd: root, env, stdio: 'inherit'}).status ?? 1;
}

// A file with an error is left to the test that loads it.
await compileAll([...sourcesUnder('src'), ...sourcesUnder('test')].map((path) => join(root, path))).catch(
  () => undefined,
);

// Many of the slow tests wait for other processes or for the network: with one worker more, no core does.
const parallel = (more) => ['--parallel', '--jobs', String(availableParallelism() + more)];
const [what, ...rest] = process.argv.slice(2);
if (what === '--fast') process.exitCode = mocha([...parallel(0), '--reporter', 'dot', ...rest, ...fast]);
else if (what === '--times') process.exitCode = measure(rest);
else if (what === '--all') process.exitCode = mocha([...parallel(1), ...rest, ...inOrder]);
else {
  const files = inOrder.filter((path) => !isSweep(path));
  process.exitCode = mocha([...parallel(1), ...process.argv.slice(2), ...files]);
}

function measure(args) {
  const folder = mkdtempSync(join(tmpdir(), 'remit-times-'));
  try {
    const record = join(folder, 'times.json');
    const status = mocha([...args, ...all], {...process.env, REMIT_TEST_TIMES: record});
    const times = Object.entries(JSON.parse(readFileSync(record, 'utf8')));
    const found = times.filter(([, ms]) => ms >= SLOW_MS).sort(([, a], [, b]) => b - a);
    writeFileSync(
      list,
      `${JSON.stringify(
        found.map(([path]) => path),
        null,
        2,
      )}\n`,
    );
    return status;
  } finally {
    rmSync(folder, {recursive: true, force: true});
  }
}
