// How long `sandbox start` takes to its first answer, against `node -e 0`, and how much memory it then has while idle,
// against a bare node:http server:
//   npm run bench:sandbox-start             11 rounds on Node 20 and 24
//   npm run bench:sandbox-start -- --rounds 5 --node 24
// One of each a round, so that the machine's noise falls on all alike; what counts is the median of the ratios within a
// round. The first answer is a page of payees. The default sandbox of a state folder starts again each time, at its
// usual port; `--fresh` creates a store as well. NODE_EXTRA_CA_CERTS is unset: Node 20 would read those certificates
// at every start.
import {spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, readdirSync, readFileSync, rmSync} from 'node:fs';
import {get} from 'node:http';
import {createServer} from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {measureOn, median} from './measure.mjs';

const BIN = fileURLToPath(new URL('../../bin/run.cjs', import.meta.url));
const IDLE_MS = 2000;
/** Times `node -e 0`, and times the memory of the bare server. */
const MOST = {start: 6, memory: 2};
/** Says where it listens in the same form as the sandbox. */
const BARE = `
const server = require('node:http').createServer((_, response) => {
  response.writeHead(200, {'content-type': 'application/json'});
  response.end('{}');
});
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({base_url: 'http://127.0.0.1:' + server.address().port})));`;

const {values} = parseArgs({
  options: {
    rounds: {type: 'string', default: '11'},
    node: {type: 'string', multiple: true, default: ['20', '24']},
  },
});
await measureOn(values.node, (node, title) => measure(node, title, Number(values.rounds)));

/** How many goals were missed. */
async function measure(node, title, rounds) {
  const home = mkdtempSync(join(tmpdir(), 'remit-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    REMIT_STATE_DIR: join(home, 'state'),
    REMIT_CONFIG_DIR: join(home, 'config'),
  };
  const port = String(await freePort());
  const start = (...words) => ({command: [BIN, 'sandbox', 'start', ...words, '-o', 'ndjson'], node, env});
  const cases = {
    'bare server': {command: ['-e', BARE], node, env},
    'sandbox start': start('--port', port),
    'with --fresh': start('--port', '0', '--fresh'),
  };
  for (const one of Object.values(cases)) for (let warm = 0; warm < 2; warm += 1) await serve(one, 0);
  const found = {'node -e 0': [], ...Object.fromEntries(Object.keys(cases).map((name) => [name, []]))};
  for (let round = 0; round < rounds; round += 1) {
    found['node -e 0'].push(nothing(node, env));
    for (const [name, one] of Object.entries(cases)) found[name].push(await serve(one, IDLE_MS));
  }
  rmSync(home, {recursive: true, force: true});
  return report(title, found);
}

function nothing(node, env) {
  const began = performance.now();
  spawnSync(node, ['-e', '0'], {env});
  return {ms: performance.now() - began};
}

/** Starts a server; its first answer, and its memory after so long without requests. */
async function serve({node, command, env}, idleMs) {
  const began = performance.now();
  const child = spawn(node, command, {env, stdio: ['ignore', 'pipe', 'ignore']});
  const ended = once(child, 'exit');
  const ready = await firstLine(child);
  const status = await statusOf(`${ready.base_url}/api/payees`, {'x-api-key': ready.test_key ?? 'none'});
  const ms = performance.now() - began;
  const cpuMs = cpuOf(child.pid);
  if (status !== 200) throw new Error(`the first answer was ${status}`);
  await new Promise((resolve) => setTimeout(resolve, idleMs));
  const residentMb = residentOf(child.pid);
  child.kill('SIGTERM');
  await ended;
  return {ms, cpuMs, residentMb};
}

async function firstLine(child) {
  for await (const line of createInterface({input: child.stdout})) return JSON.parse(line);
  throw new Error('a server ended before it was ready');
}

function statusOf(url, headers) {
  return new Promise((resolve, reject) => {
    get(url, {headers, agent: false}, (response) => {
      response.resume().on('end', () => resolve(response.statusCode));
    }).on('error', reject);
  });
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const {port} = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** Processor time of all threads, in milliseconds; only Linux says so. */
function cpuOf(pid) {
  try {
    const threads = readdirSync(`/proc/${pid}/task`);
    const times = threads.map(
      (id) => readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'utf8').split(' ')[0],
    );
    return times.reduce((sum, nanoseconds) => sum + Number(nanoseconds) / 1e6, 0);
  } catch {
    return Number.NaN;
  }
}

function residentOf(pid) {
  const {stdout} = spawnSync('ps', ['-o', 'rss=', '-p', String(pid)], {encoding: 'utf8'});
  return Number(stdout) / 1024;
}

/** Prints medians and ratios; how many goals were missed. */
function report(title, found) {
  console.log(`\n${title}, ${found['node -e 0'].length} rounds, medians`);
  const middle = (name, what) => median(found[name].map((one) => one[what]));
  for (const name of Object.keys(found)) {
    const memory =
      name === 'node -e 0'
        ? ''
        : `, ${middle(name, 'cpuMs').toFixed(0).padStart(4)} ms of processor time, ${middle(name, 'residentMb').toFixed(0).padStart(3)} MB idle`;
    console.log(`  ${name.padEnd(14)} ${middle(name, 'ms').toFixed(0).padStart(4)} ms${memory}`);
  }
  const ratio = (name, what, to) =>
    median(found[name].map((one, round) => one[what] / found[to][round][what]));
  let missed = 0;
  for (const [name, what, to, most] of [
    ['sandbox start', 'ms', 'node -e 0', MOST.start],
    ['with --fresh', 'ms', 'node -e 0', undefined],
    ['sandbox start', 'residentMb', 'bare server', MOST.memory],
    ['with --fresh', 'residentMb', 'bare server', undefined],
  ]) {
    const value = ratio(name, what, to);
    const kept = most === undefined || value <= most;
    if (!kept) missed += 1;
    const goal = most === undefined ? '' : ` (goal ${most}, ${kept ? 'kept' : 'MISSED'})`;
    console.log(
      `  ${name}, ${what === 'ms' ? 'first answer' : 'idle memory'} / ${to}: ${value.toFixed(2)}${goal}`,
    );
  }
  return missed;
}
