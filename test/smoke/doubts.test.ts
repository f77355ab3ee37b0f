import assert from 'node:assert/strict';
import {existsSync, readdirSync} from 'node:fs';
import {createServer, type Server} from 'node:http';
import type {AddressInfo} from 'node:net';
import {join} from 'node:path';
import {afterEach, beforeEach, describe, it} from 'mocha';
import {commandsIn} from '../commands/doubts-world.ts';
import {payout} from '../commands/fixtures.ts';
import {cleanEnv, spawnCli, startCli} from './spawn-cli.ts';

const PAYEE = '0192a000-0000-7000-8000-0000000000aa';
const WAITING = 'Waiting for its outcome';
const words = (more = '') =>
  `payouts create --payee ${PAYEE} --amount 125.00 --currency USD --json ${more}`.trim().split(' ');

describe('payouts create, in processes of its own', function () {
  let server: Server;
  let env: Record<string, string>;
  /** By idempotency key: the id of its payout. */
  let made: Map<string, string>;
  /** Called when a payout was made, before it is answered; false keeps the answer back. */
  let onMade: () => boolean | Promise<boolean>;

  beforeEach(async () => {
    made = new Map();
    onMade = () => true;
    server = createServer((request, response) => {
      let text = '';
      request
        .setEncoding('utf8')
        .on('data', (piece: string) => (text += piece))
        .on('end', () => void answer());
      const answer = async (): Promise<void> => {
        const {amount_in_minor_units: amount} = JSON.parse(text) as {amount_in_minor_units: number};
        const key = String(request.headers['idempotency-key']);
        const known = made.get(key);
        const id = known ?? `0192a000-0000-7000-8000-00000000000${made.size}`;
        made.set(key, id);
        if (!(await onMade())) return;
        response.writeHead(known === undefined ? 201 : 200, {'content-type': 'application/json'});
        response.end(JSON.stringify(payout({id, amount_in_minor_units: amount, amount_in_cents: amount})));
      };
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const {port} = server.address() as AddressInfo;
    env = cleanEnv({REMIT_API_KEY: 'test_0123456789abcdef', REMIT_BASE_URL: `http://127.0.0.1:${port}`});
  });
  afterEach(() => {
    server.closeAllConnections();
    server.close();
  });

  const remembered = (): string[] => {
    const folder = join(env['HOME']!, '.local', 'state', 'remit', 'in-doubt');
    return existsSync(folder) ? readdirSync(folder) : [];
  };

  it('asks after a kill between the request and its answer, and then pays once', async () => {
    const running = startCli(words(), env);
    onMade = () => {
      running.child.kill('SIGKILL');
      return false;
    };
    assert.equal((await running.ended).signal, 'SIGKILL');
    onMade = () => true;
    assert.deepEqual([made.size, remembered().length], [1, 1]);
    const again = await spawnCli(words(), env);
    assert.equal(again.code, 11, again.stderr);
    const {hint} = (JSON.parse(again.stderr.trim().split('\n').at(-1)!) as {error: {hint: string}}).error;
    const [repeat] = commandsIn(hint);
    const repeated = await spawnCli(repeat!, env);
    assert.equal(repeated.code, 0, repeated.stderr);
    assert.deepEqual([made.size, remembered()], [1, []]);
    const next = await spawnCli(words(), env);
    assert.deepEqual([next.code, made.size], [0, 2], next.stderr);
  });

  it('remembers the payment after a Ctrl-C in flight', async () => {
    const running = startCli(words(), env);
    onMade = () => {
      running.child.kill('SIGINT');
      return false;
    };
    assert.equal((await running.ended).code, 130);
    onMade = () => true;
    assert.equal((await spawnCli(words(), env)).code, 11);
  });

  it('makes the same payment once if it was started three times at once', async () => {
    let inFlight = 0;
    let most = 0;
    let waiting = 0;
    let answer: () => void;
    // A process that starts late has to start before the first is answered: later, its payment is another one.
    const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
    onMade = async () => {
      most = Math.max(most, ++inFlight);
      if (most > 1) answer();
      await mayAnswer;
      inFlight -= 1;
      return true;
    };
    const running = [1, 2, 3].map(() => startCli(words(), env, 'closed', 120_000));
    for (const {child} of running) {
      let text = '';
      child.stderr!.on('data', (piece: string) => {
        const waited = text.includes(WAITING);
        text += piece;
        if (!waited && text.includes(WAITING) && ++waiting === 2) answer();
      });
    }
    const ran = await Promise.all(running.map(({ended}) => ended));
    assert.deepEqual(ran.map(({code}) => code).sort(), [0, 11, 11]);
    assert.deepEqual([made.size, most, remembered()], [1, 1, []]);
  });

  it('lets different payments run at the same time', async () => {
    const amounts = ['1.00', '2.00', '3.00', '4.00'];
    const each = amounts.map((amount) => words().map((word) => (word === '125.00' ? amount : word)));
    const ran = await Promise.all(each.map((argv) => spawnCli(argv, env)));
    for (const {code, stderr} of ran) assert.equal(code, 0, stderr);
    assert.deepEqual([made.size, remembered()], [4, []]);
  });
});
