import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {Bench, seeded} from '../batch/harness.ts';
import {type Fault, TruthService} from '../batch/truth-service.ts';
import {sharedCache} from './spawn-cli.ts';

const BIN = fileURLToPath(new URL('../../bin/run.cjs', import.meta.url));
const FAULTS: readonly Fault[] = ['lost-before', 'lost-after', 'cut', 'not-json', '503-after', '500-after'];

export interface CrashRun {
  summary: Summary;
  service: TruthService;
  kills: number;
  /** Processes started until the batch was done, the killed ones included. */
  starts: number;
  /** POSTs that the service saw after the batch was complete and run once more. */
  postsAfter: number;
  results: string[];
  plannedTotal: string;
}

/**
 * Runs a batch of `rows` rows in real processes against a real socket whose answers are lost now and then, kills the
 * process with SIGKILL at `kills` random instants, and runs it again until it is done. The service keeps the truth.
 */
export async function runWithKills(options: {
  rows: number;
  kills: number;
  seed: number;
  direct?: boolean;
}): Promise<CrashRun> {
  const random = seeded(options.seed);
  const bench = new Bench();
  const service = new TruthService();
  service.keepRequests = false;
  service.fault = () => (random() < 0.05 ? FAULTS[Math.floor(random() * FAULTS.length)] : undefined);
  const {baseUrl, close} = await service.listen();
  const file = bench.payouts(options.rows);
  const env = {
    ...process.env,
    NODE_EXTRA_CA_CERTS: '',
    REMIT_API_KEY: 'test_crash_key',
    REMIT_BASE_URL: baseUrl,
    REMIT_STATE_DIR: bench.stateDir,
    REMIT_CONFIG_DIR: join(bench.folder, 'config'),
    XDG_CACHE_HOME: sharedCache,
  };
  // Slow enough that the batch outlives its kills: each process gets some requests done between start and death.
  const rps = Math.max(50, Math.ceil((options.rows * 2) / (options.kills * 0.09)));
  const args = [
    BIN,
    'payouts',
    'batch',
    'run',
    file,
    '--batch-id',
    'crash',
    '--yes',
    '--json',
    '--max-rps',
    String(rps),
  ];
  if (options.direct) args.push('--direct');
  const start = () => spawn(process.execPath, args, {env, stdio: ['ignore', 'pipe', 'pipe']});
  let kills = 0;
  let starts = 0;
  let summary: Summary | undefined;
  try {
    while (summary === undefined) {
      const child = start();
      starts++;
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk) => (stdout += String(chunk)));
      child.stderr.on('data', (chunk) => (stderr += String(chunk)));
      const ended = once(child, 'close');
      const timer =
        kills < options.kills ? setTimeout(() => child.kill('SIGKILL'), 120 + random() * 260) : undefined;
      const [code, signal] = (await ended) as [number | null, NodeJS.Signals | null];
      clearTimeout(timer);
      if (signal === 'SIGKILL') kills++;
      else if (code === 0) summary = JSON.parse(stdout) as Summary;
      else if (code !== 12 && code !== 7) throw new Error(`seed ${options.seed}: exit ${code}: ${stderr}`);
      if (starts > options.kills * 3 + 20)
        throw new Error(`seed ${options.seed}: still not done after ${starts} starts: ${stderr}`);
    }
    const before = service.posts;
    service.fault = () => undefined;
    const again = start();
    await once(again, 'close');
    const resultsFile = join(bench.folder, 'crash.results.csv');
    return {
      summary,
      service,
      kills,
      starts,
      postsAfter: service.posts - before,
      results: existsSync(resultsFile) ? readFileSync(resultsFile, 'utf8').trim().split('\r\n').slice(1) : [],
      plannedTotal: summary.totals['USD']!.planned,
    };
  } finally {
    await close();
    bench.remove();
  }
}
