// How long a command takes from start to end, against Node itself and against the Stripe CLI:
//   npm run bench:start                     15 rounds on Node 20 and 24
//   npm run bench:start -- --rounds 30 --node 24
// Before anything is measured, every command runs once, and those of the cases until their caches are complete.
// Cases run interleaved, one of each a round, so that noise falls on all of them alike; what counts is the median of
// the ratios within a round. NODE_EXTRA_CA_CERTS is unset: Node 20 would read those certificates at every start.
import {fork, spawnSync} from 'node:child_process';
import {existsSync, mkdtempSync, readFileSync, writeFileSync} from 'node:fs';
import {createServer} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';
import {fetched, measureOn, median} from './measure.mjs';

const SELF = fileURLToPath(import.meta.url);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const BIN = join(ROOT, 'bin', 'run.cjs');
const ID = '0192a000-0000-7000-8000-000000000001';
/** The server answers every path alike, so that the same record is read. */
const SERVICE_FILE = {
  routes: {'payouts.get': 'GET /v1/payouts/{id}'},
  fields: {payouts: {country_code: 'country'}},
  statuses: {payouts: {NEW: 'created'}},
  headers: {send: {'x-tenant': 'bench'}},
};
/** The same request without the tool. */
const BARE = `
const url = process.env.REMIT_BASE_URL + '/api/payouts/${ID}';
require('node:http').get(url, {headers: {authorization: 'Bearer ' + process.env.REMIT_API_KEY}}, (response) => {
  let text = '';
  response.setEncoding('utf8').on('data', (part) => (text += part));
  response.on('end', () => process.stdout.write(JSON.stringify(JSON.parse(text)) + '\\n'));
});`;
/** A ratio without a goal is only printed. */
const GOALS = [
  {ratio: ['payouts get', 'stripe get'], most: 0.55},
  {ratio: ['payouts get', 'bare request'], most: 1.5},
  {ratio: ['with a service file', 'payouts get']},
  {ratio: ['--version', 'node -e 0'], most: 1.2},
  {ratio: ['--help', 'node -e 0'], most: 1.2},
  {ratio: ['payouts get --help', 'node -e 0'], most: 2.0},
  {ratio: ['batch run --help', 'node -e 0'], most: 2.0},
  {ratio: ['help, 100 columns', 'node -e 0, terminal'], most: 2.0},
  {ratio: ['help, NO_COLOR', 'node -e 0, terminal'], most: 2.0},
  {ratio: ['completion', 'node -e 0'], most: 1.3},
];

/** These do not end by themselves, or start something that stays. */
const RUNS_ON = new Set([
  'demo',
  'sandbox:start',
  'sandbox:open',
  'webhooks:listen',
  'webhooks:events:inspect',
  'webhooks:events:tail',
]);

if (process.argv[2] === '--serve') serve();
else if (process.argv[2] === '--in-terminal')
  measureInTerminal(JSON.parse(readFileSync(process.argv[3], 'utf8')));
else await measure();

/** Answers everything with one small object, as the service answers a read. */
function serve() {
  const body = JSON.stringify({
    id: ID,
    object: 'payout',
    payee_id: ID,
    status: 'created',
    amount_in_minor_units: 12_500,
    currency_code: 'USD',
    rail: 'standard_ach',
    client_metadata: {},
    created_at: '2024-01-01T00:00:00.000Z',
  });
  const server = createServer((_, response) => {
    response.writeHead(200, {'content-type': 'application/json', 'content-length': body.length});
    response.end(body);
  });
  server.listen(0, '127.0.0.1', () => process.send(server.address().port));
}

async function measure() {
  const {values} = parseArgs({
    options: {
      rounds: {type: 'string', default: '15'},
      node: {type: 'string', multiple: true, default: ['20', '24']},
    },
  });
  const rounds = Number(values.rounds);
  const server = fork(SELF, ['--serve']);
  const port = await new Promise((resolve) => server.once('message', resolve));
  const stripe = stripeBinary();
  if (stripe === undefined) console.log('The Stripe CLI could not be had from npm: its case is left out.');
  await measureOn(values.node, (node, title) => {
    const cases = casesFor({node, port, stripe});
    runEveryCommand(node, cases);
    for (const one of Object.values(cases)) for (let warm = 0; warm < 3; warm += 1) time(one);
    const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
    for (let round = 0; round < rounds; round += 1)
      for (const [name, one] of Object.entries(cases)) times[name].push(time(one));
    Object.assign(times, timesInTerminal(rounds, cases));
    return report(title, times);
  });
  server.kill();
}

function casesFor({node, port, stripe}) {
  const home = mkdtempSync(join(tmpdir(), 'remit-bench-'));
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    REMIT_API_KEY: 'test_0123456789abcdef',
    REMIT_BASE_URL: `http://127.0.0.1:${port}`,
  };
  const file = join(home, 'service.json');
  writeFileSync(file, JSON.stringify(SERVICE_FILE), {mode: 0o600});
  const remit = (...argv) => ({command: node, args: [BIN, ...argv], env});
  return {
    'node -e 0': {command: node, args: ['-e', '0'], env},
    '--version': remit('--version'),
    '--help': remit('--help'),
    'payouts get --help': remit('payouts', 'get', '--help'),
    'batch run --help': remit('payouts', 'batch', 'run', '--help'),
    completion: remit('__complete', '=', 'payouts', 'get'),
    'bare request': {command: node, args: ['-e', BARE], env},
    'payouts get': remit('payouts', 'get', ID),
    'with a service file': {...remit('payouts', 'get', ID), env: {...env, REMIT_SERVICE_FILE: file}},
    ...(stripe && {
      'stripe get': {
        command: stripe,
        args: [
          'get',
          `/v1/payouts/${ID}`,
          '--api-base',
          `http://127.0.0.1:${port}`,
          '--api-key',
          'sk_test_0123456789',
        ],
        env: {...env, STRIPE_CLI_TELEMETRY_OPTOUT: '1'}, // it would wait for its own service
      },
    }),
  };
}

/**
 * As in a home where the tool has been used for everything: what one command leaves must not slow another. Without
 * arguments most commands end with an error, after they were loaded.
 */
function runEveryCommand(node, {'payouts get': {env}}) {
  const ids = readFileSync(join(ROOT, 'dist', 'commands.txt'), 'latin1')
    .trim()
    .split('\n');
  const lines = ids.filter((id) => !RUNS_ON.has(id)).map((id) => id.split(':'));
  for (const words of [...lines, ['help', 'exit-codes'], ['-q', 'payouts', '--help']])
    spawnSync(node, [BIN, ...words], {cwd: env.HOME, env, timeout: 5_000, stdio: 'ignore'}); // some write files
}

/** Help on a terminal of 100 columns, which `script` of util-linux makes; the same rounds, in one session. */
function timesInTerminal(rounds, {'node -e 0': bare, 'payouts get --help': help}) {
  const cases = {
    'node -e 0, terminal': bare,
    'help, 100 columns': help,
    'help, NO_COLOR': {...help, env: {...help.env, NO_COLOR: '1'}},
  };
  const file = join(bare.env.HOME, 'terminal.json');
  writeFileSync(file, JSON.stringify({file, rounds, cases}));
  const line = `stty cols 100; exec "${process.execPath}" "${SELF}" --in-terminal "${file}"`;
  const {status} = spawnSync('script', ['-qec', line, '/dev/null'], {stdio: 'ignore'});
  if (status === 0) return JSON.parse(readFileSync(file, 'utf8'));
  console.log('script of util-linux is not installed: help on a terminal is left out.');
  return {};
}

function measureInTerminal({file, rounds, cases}) {
  const times = Object.fromEntries(Object.keys(cases).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const [name, one] of Object.entries(cases))
      times[name].push(time({...one, env: {...one.env, TERM: 'xterm-256color'}, stdio: 'inherit'}));
  writeFileSync(file, JSON.stringify(times));
}

/** Milliseconds from start to end of one process. */
function time({command, args, env, stdio = 'pipe'}) {
  const began = performance.now();
  const {status, stderr} = spawnSync(command, args, {env, stdio, encoding: 'utf8'});
  const elapsed = performance.now() - began;
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${status}: ${stderr}`);
  return elapsed;
}

/** Prints medians and ratios; how many goals were missed. */
function report(title, times) {
  console.log(`\n${title}, ${times['node -e 0'].length} rounds, median ms`);
  for (const [name, list] of Object.entries(times))
    console.log(`  ${name.padEnd(20)} ${median(list).toFixed(1).padStart(6)}`);
  let missed = 0;
  for (const {
    ratio: [of, to],
    most,
  } of GOALS) {
    if (times[of] === undefined || times[to] === undefined) continue;
    const found = median(times[of].map((ms, round) => ms / times[to][round]));
    if (most === undefined) {
      console.log(`  ${of} / ${to}: ${found.toFixed(2)}`);
      continue;
    }
    const kept = found <= most;
    if (!kept) missed += 1;
    console.log(
      `  ${of} / ${to}: ${found.toFixed(2)} (goal ${most.toFixed(2)}, ${kept ? 'kept' : 'MISSED'})`,
    );
  }
  return missed;
}

/** Stripe's own binary, not the script that starts it: that would be unfair to it by a whole Node. */
function stripeBinary() {
  const path = join(
    fetched('stripe', '@stripe/cli'),
    '@stripe',
    `cli-${process.platform}-${process.arch}`,
    'bin',
    'stripe',
  );
  return existsSync(path) ? path : undefined;
}
