/**
 * One `run FILE` of a small batch in a process that may be killed, or whose disk may fail: plan, claims, run, by the
 * engine's own code. One argument: the options as JSON. What happens is told line by line on stdout, by synchronous
 * writes, so that the order of the lines is the order of the events, also for strace.
 */
import {bareCommands} from '../bare-commands.ts';
import {createHash} from 'node:crypto';
import {writeSync} from 'node:fs';
import {join} from 'node:path';
import {claimBatch} from '../../../src/batch/registry/batch-claims.ts';
import {BatchRun} from '../../../src/batch/run/batch-run.ts';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {planBatch} from '../../../src/batch/plan/plan.ts';
import {exitCodeOf, type Summary} from '../../../src/batch/standing/summary.ts';
import {HttpTransport} from '../../../src/client/transport/http-transport.ts';
import {DEFAULT_TIMEOUTS, type Transport} from '../../../src/client/transport/transport.ts';
import {systemClock as clock} from '../../../src/clock.ts';
import {RemitError} from '../../../src/errors.ts';
import type {SqliteDriver} from '../../../src/store/sqlite/sqlite.ts';
import {FixedSpeed} from '../../bench/fixed-speed.ts';
import {tapDisk} from '../../store/crash/disk-tap.ts';
import {type DiskTrouble, Trouble} from './disk-trouble.ts';
import type {RunPath} from '../../../src/batch/model/run-path.ts';

export interface VictimTask {
  file: string;
  /** Holds the state folder and the results: the disk that may fail. */
  folder: string;
  baseUrl: string;
  driver: SqliteDriver;
  path: RunPath;
  trouble?: DiskTrouble | undefined;
  /** How long an answer stays away, so that a run lasts a while. */
  answerAfterMs: number;
}

export const BATCH_ID = 'b1';
const KEY = 'test_victim_key';
const IN_FLIGHT = 4;

const task = JSON.parse(process.argv[2] ?? '{}') as VictimTask;
const tell = (what: string, value: unknown = '') => void writeSync(1, `${what} ${JSON.stringify(value)}\n`);

if (task.driver === 'wasm') hideNativeDriver();
const trouble = new Trouble(task.trouble, () => tell('fault'));
tapDisk(task.folder, (call) => trouble.meet(call));

const callsSoFar = (): number => Object.values(trouble.seen).reduce((sum, count) => sum + count, 0);

/** So that a Node that has node:sqlite takes the other driver, as Node 20 does. */
function hideNativeDriver(): void {
  const host = process as {getBuiltinModule?: (id: string) => unknown};
  const original = host.getBuiltinModule;
  if (original === undefined) return;
  host.getBuiltinModule = (id) => (id === 'node:sqlite' ? undefined : original(id));
}

function telling(transport: Transport): Transport {
  return {
    send: async (request) => {
      tell(request.method === 'POST' ? 'post' : 'get', request.headers['idempotency-key']);
      const answer = await transport.send(request);
      await clock.sleep(task.answerAfterMs);
      return answer;
    },
    close: () => transport.close(),
  };
}

async function run(): Promise<Summary> {
  const {file, folder, baseUrl, path} = task;
  const stateDir = join(folder, 'state');
  await planBatch({kind: 'payout', file, stateDir, batchId: BATCH_ID, clock});
  tell('planned', callsSoFar());
  const batch = await openBatch({
    ...{stateDir, kind: 'payout', batchId: BATCH_ID, purpose: `batch ${BATCH_ID}`, clock},
  });
  try {
    const claims = await claimBatch({
      ...{batch, stateDir, mode: 'test', baseUrl, profile: 'acme', breakLock: false, clock},
    });
    try {
      claims.recordDecisions();
      return await runClaimed(batch, claims.registry, path);
    } finally {
      await claims.registry.close();
    }
  } finally {
    await batch.close();
  }
}

async function runClaimed(
  batch: Awaited<ReturnType<typeof openBatch>>,
  registry: Awaited<ReturnType<typeof claimBatch>>['registry'],
  path: RunPath,
): Promise<Summary> {
  const transport = telling(new HttpTransport({baseUrl: task.baseUrl}));
  const lost = AbortSignal.any([batch.lock.lost, registry.lost]);
  try {
    return await new BatchRun({
      ...{plan: batch.plan, journal: batch.journal, claims: registry, place: batch.place},
      ...{transport, baseUrl: task.baseUrl, mode: 'test', key: KEY},
      keyFingerprint: createHash('sha256').update(KEY).digest('hex').slice(0, 16),
      timeouts: DEFAULT_TIMEOUTS,
      speed: new FixedSpeed(IN_FLIGHT),
      clock,
      random: Math.random,
      path,
      settings: {
        ...{kind: 'payout', horizonMs: 24 * 3_600_000, maxWaitMs: 60_000, acceptDifferences: false},
        ...{releaseRest: false, trustRefusals: false, retryUnapproved: false},
      },
      out: task.folder,
      commands: bareCommands(null),
      assertHeld: () => {
        batch.lock.assertHeld();
        registry.assertHeld();
      },
      drain: lost,
      abort: lost,
      onProgress: (phase) => tell('phase', phase),
    }).run();
  } finally {
    await transport.close();
  }
}

try {
  const summary = await run();
  tell('calls', callsSoFar());
  tell('summary', summary);
  process.exit(exitCodeOf(summary));
} catch (error) {
  tell('calls', callsSoFar());
  const known = error instanceof RemitError ? error : undefined;
  tell('error', {
    code: known?.code ?? 'BUG',
    message: (error as Error).message,
    stack: known ? '' : (error as Error).stack,
  });
  process.exit(known?.exitCode ?? 1);
}
