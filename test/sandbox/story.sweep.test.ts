import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as wait} from 'node:timers/promises';
import {startSandbox} from '../../src/sandbox/server.ts';
import {TIMING_PROFILES, type TimingProfile} from '../../src/sandbox/time/timing.ts';
import {scratch} from '../cli/run-cli.ts';
import {BIN} from '../smoke/spawn-cli.ts';
import {skippedWithoutPostgres} from '../store/postgres/postgres-server.ts';
import {STORY_BEGINS, tellStory, type Ask} from './story.ts';
import {fileStore, postgresStore, type TestStore} from './test-store.ts';

interface Reached {
  baseUrl: string;
  testKey: string;
  controlToken: string;
}

/** Over a real socket, one request after the other. */
const over =
  ({baseUrl, testKey, controlToken}: Reached): Ask =>
  async ({method, path, body, idempotencyKey}) => {
    const response = await fetch(baseUrl + path, {
      method,
      headers: {
        ...(path.startsWith('/sandbox/') ? {'x-sandbox-token': controlToken} : {'x-api-key': testKey}),
        ...(body === undefined ? {} : {'content-type': 'application/json'}),
        ...(idempotencyKey === undefined ? {} : {'idempotency-key': idempotencyKey}),
      },
      ...(body === undefined ? {} : {body: JSON.stringify(body)}),
    });
    const requestId = response.headers.get('x-request-id');
    return {status: response.status, requestId, text: await response.text()};
  };

const atOnce = async () => undefined;
/** Up to 12 ms of the machine's time: what becomes due in that time may happen, or not. */
const atRandom = () => wait(Math.random() * 12);

/** The story of a server on a new store. */
async function told(timing: TimingProfile, store: TestStore, pause: () => Promise<void>): Promise<string[]> {
  const bugs: unknown[] = [];
  const server = await startSandbox({
    store: store.place,
    seed: 'story',
    timing,
    frozenAtMs: Date.parse(STORY_BEGINS),
    onBug: (error) => bugs.push(error),
  });
  try {
    return await tellStory(over(server), pause);
  } finally {
    await server.close();
    await store.drop();
    assert.deepEqual(bugs, []);
  }
}

/** Lines of `b` that differ from `a`, beside each other, so that a failure says where the stories part. */
function differences(a: readonly string[], b: readonly string[]): string {
  return a.flatMap((line, n) => (line === b[n] ? [] : [`- ${line}`, `+ ${b[n]}`])).join('\n');
}

describe('a server with a seed and a frozen clock', function () {
  this.timeout(120_000);
  for (const timing of TIMING_PROFILES)
    it(`answers the same calls with the same bytes under the timing ${timing}, however fast they come`, async () => {
      const first = await told(timing, await fileStore(), atOnce);
      assert.ok(first.length > 60, `${first.length} lines`);
      assert.equal(differences(first, await told(timing, await fileStore(), atRandom)), '');
    });

  it('answers the same when started twice with `remit sandbox start`', async () => {
    const home = scratch();
    const words = `sandbox start --fresh --port 0 --timing instant --seed story --freeze-at ${STORY_BEGINS} -o ndjson`;
    const tell = async (pause: () => Promise<void>) => {
      const child = spawn(process.execPath, [BIN, ...words.split(' ')], {
        env: {
          ...process.env,
          HOME: home,
          REMIT_STATE_DIR: join(home, 's'),
          REMIT_CONFIG_DIR: join(home, 'c'),
        },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      try {
        const [line] = (await once(createInterface({input: child.stdout}), 'line')) as [string];
        const ready = JSON.parse(line) as Record<'base_url' | 'test_key' | 'control_token', string>;
        const reached = {baseUrl: ready.base_url, testKey: ready.test_key, controlToken: ready.control_token};
        return [ready.test_key, ...(await tellStory(over(reached), pause))];
      } finally {
        child.kill('SIGTERM');
        await once(child, 'exit');
      }
    };
    assert.equal(differences(await tell(atOnce), await tell(atRandom)), '');
  });
});

describe('a server with a seed and a frozen clock on PostgreSQL', function () {
  this.timeout(120_000);
  if (skippedWithoutPostgres()) return;

  it('answers the same as on a file', async () => {
    for (const timing of ['instant', 'real'] as const) {
      const first = await told(timing, await fileStore(), atOnce);
      assert.equal(differences(first, await told(timing, await postgresStore(), atRandom)), '', timing);
    }
  });
});
