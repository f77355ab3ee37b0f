import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {Agent, request} from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {RecordReader} from '../../src/webhooks/record/reader.ts';
import {signatureHeaders} from '../../src/webhooks/verify/signature.ts';
import {BIN, cleanEnv} from './spawn-cli.ts';

const SECRET = 'whsec_0123456789abcdef';
const SENDERS = 16;

/**
 * Kills a listener under load at a random moment, and compares what it answered with 2XX with what is in its record.
 * @returns how many deliveries it had answered
 */
export async function killUnderLoad(afterMs: number): Promise<number> {
  const state = mkdtempSync(join(tmpdir(), 'remit-kill-'));
  const env = cleanEnv({REMIT_STATE_DIR: state, REMIT_WEBHOOK_SECRET: SECRET});
  const child = spawn(process.execPath, [BIN, 'webhooks', 'listen', '--port', '0', '-o', 'ndjson'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [first] = (await once(child.stdout, 'data')) as [Buffer];
  const {port} = JSON.parse(first.toString().split('\n')[0]!) as {port: number};
  child.stdout.resume();
  const answered: string[] = [];
  const agent = new Agent({keepAlive: true, maxSockets: SENDERS});
  let alive = true;
  let number = 0;
  const senders = Array.from({length: SENDERS}, async () => {
    while (alive) {
      const id = `e${(number += 1)}`;
      const status = await post(agent, port, Buffer.from(`{"id":"${id}","type":"payout.settled","data":{}}`));
      if (status === 200) answered.push(id);
      else alive = false;
    }
  });
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  const ended = once(child, 'close');
  child.kill('SIGKILL');
  await ended;
  alive = false;
  await Promise.all(senders);
  agent.destroy();
  const reader = new RecordReader(join(state, 'webhooks', 'record'));
  const recorded = new Set(
    [...reader.more()].flatMap((entry) => (entry.kind === 'delivery' ? [entry.delivery.eventId] : [])),
  );
  assert.equal(reader.damaged, 0, 'nothing is torn');
  assert.deepEqual(
    answered.filter((id) => !recorded.has(id)),
    [],
    'answered with 2XX, and not in the record',
  );
  rmSync(state, {recursive: true, force: true});
  return answered.length;
}

function post(agent: Agent, port: number, body: Buffer): Promise<number | undefined> {
  return new Promise((resolve) => {
    const headers = signatureHeaders(SECRET, body, Date.now());
    const sent = request({agent, port, host: '127.0.0.1', method: 'POST', path: '/', headers}, (answer) => {
      answer.resume().on('close', () => resolve(answer.statusCode));
    });
    sent.on('error', () => resolve(undefined));
    sent.end(body);
  });
}
