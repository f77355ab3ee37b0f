import assert from 'node:assert/strict';
import {spawn, type ChildProcess} from 'node:child_process';
import {once} from 'node:events';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {createSandbox} from '../../src/sandbox/sandbox.ts';

const SERVER = fileURLToPath(new URL('server-process.ts', import.meta.url));
const KILLS = Number(process.env['REMIT_TEST_KILLS'] ?? 2);

interface Place {
  baseUrl: string;
  testKey: string;
  payees: string[];
}

/** What a client was told, by idempotency key. */
type Told = Map<string, {id: string; status: string}>;

async function start(file: string): Promise<{child: ChildProcess; place: Place}> {
  const child = spawn(process.execPath, ['--import', 'tsx', SERVER, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {child, place: JSON.parse(line.toString()) as Place};
}

/** Creates under keys of its own until the server dies; every second one is approved as well. */
async function createUntilDeath(place: Place, worker: string, told: Told): Promise<void> {
  for (let n = 0; ; n += 1) {
    const key = `${worker}-${n}`;
    const body = {payee_id: place.payees[n % 20], amount_in_minor_units: 100, auto_approve: n % 2 === 0};
    try {
      const response = await fetch(`${place.baseUrl}/api/payouts`, {
        method: 'POST',
        headers: {'x-api-key': place.testKey, 'content-type': 'application/json', 'idempotency-key': key},
        body: JSON.stringify(body),
      });
      const {id, status} = (await response.json()) as {id: string; status: string};
      assert.equal(response.status, 201);
      told.set(key, {id, status});
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return; // killed
    }
  }
}

describe('sandbox store under SIGKILL', function () {
  this.timeout(KILLS * 30_000);

  it('has nothing half done, and everything that was answered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'remit-crash-'));
    const file = join(folder, 'sandbox.db');
    const told: Told = new Map();
    for (let round = 0; round < KILLS; round += 1) {
      const {child, place} = await start(file);
      const exited = once(child, 'exit');
      const workers = Array.from({length: 8}, (_, n) => createUntilDeath(place, `${round}-${n}`, told));
      const enough = told.size + 20 + Math.random() * 100;
      const killer = setInterval(
        () => void (told.size >= enough && child.kill('SIGKILL')),
        1 + Math.random() * 10,
      );
      await Promise.all([...workers, exited]);
      clearInterval(killer);
    }
    assert.ok(told.size >= 20 * KILLS);

    const sandbox = await createSandbox({store: file, checkAnswers: true});
    const post = async (key: string) => {
      const response = await sandbox.fetch(
        new Request('http://localhost/api/payouts', {
          method: 'POST',
          headers: {'x-api-key': sandbox.testKey, 'content-type': 'application/json', 'idempotency-key': key},
          body: JSON.stringify({payee_id: '018f0000-0000-7000-8000-000000000000', amount_in_minor_units: 1}),
        }),
      );
      return {status: response.status, body: (await response.json()) as {id: string}};
    };
    assert.deepEqual((await sandbox.audit()).problems, []);
    // A known key answers 200 with its record; had it been lost, this payee would be looked for and not be found.
    for (const [key, {id}] of told) assert.deepEqual([(await post(key)).body.id, key], [id, key]);
    await sandbox.close();
    rmSync(folder, {recursive: true, force: true});
  });
});
