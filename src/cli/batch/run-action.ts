import {accessSync, constants, statSync} from 'node:fs';
import {resolve} from 'node:path';
import {BatchRun, type RunPath} from '../../batch/batch-run.ts';
import type {Kind} from '../../batch/kinds.ts';
import {openBatch} from '../../batch/open-batch.ts';
import {SimpleSpeed} from '../../batch/speed.ts';
import {exitCodeOf, type Summary} from '../../batch/summary.ts';
import {DEFAULT_TIMEOUTS} from '../../client/transport.ts';
import {EXIT, RemitError, type ExitCode} from '../../errors.ts';
import type {Context} from '../context.ts';
import {confirmBatch, type ConfirmFlags} from './confirm.ts';
import {batchCommand} from './place.ts';
import {BatchProgress} from './progress.ts';
import {summaryText} from './summary-view.ts';

export interface RunFlags extends ConfirmFlags {
  'key-horizon'?: number | undefined;
  'max-wait'?: number | undefined;
  'max-in-flight'?: number | undefined;
  'max-rps'?: number | undefined;
  'accept-differences'?: boolean | undefined;
  'release-rest'?: boolean | undefined;
  'trust-refusals'?: boolean | undefined;
  'break-lock'?: boolean | undefined;
  out?: string | undefined;
}

export interface RunRequest {
  context: Context;
  kind: Kind;
  stateDir: string;
  batchId: string;
  flags: RunFlags;
  /** `as-before`: the way in which the batch was begun. */
  path: RunPath | 'as-before';
  /** What the confirmation is for: `pay`, `stage`, `release`, `resume`. */
  doing: string;
}

const ATTENTION = 10;
const HORIZON_MS = 24 * 3_600_000;
const MAX_WAIT_MS = 15 * 60_000;
const MAX_IN_FLIGHT = 64;

/** Opens a planned batch, has it confirmed, runs it, tells how it ended. The batch is this process's alone meanwhile. */
export async function runBatch(request: RunRequest): Promise<{summary: Summary; exit: ExitCode}> {
  const {context, kind, stateDir, batchId, flags, doing} = request;
  const {out, clock, profile, runtime} = context;
  const batch = await openBatch({
    stateDir,
    kind,
    batchId,
    purpose: `batch ${batchId} (${doing})`,
    breakLock: flags['break-lock'] ?? false,
    clock,
  });
  const transport = await context.transportFor('pool');
  try {
    const {plan, journal, place, lock} = batch;
    const path =
      request.path === 'as-before' ? (journal.meta<RunPath>('path') ?? 'stage-and-release') : request.path;
    const folder = resultFolder(flags.out ?? plan.file.folder);
    const confirmed = journal.meta<{planHash: string; doing: string}>('confirmed');
    const known = confirmed?.planHash === plan.planHash && (doing === 'resume' || confirmed.doing === doing);
    await confirmBatch({context, plan, flags, doing, known});
    journal.setMeta('confirmed', {
      planHash: plan.planHash,
      doing: doing === 'resume' ? (confirmed?.doing ?? doing) : doing,
      at: clock.now(),
      by: runtime.env['USER'] ?? null,
    });
    journal.setMeta('path', path);
    const {first, second} = context.stop.drain();
    const progress = new BatchProgress(clock);
    const summary = await new BatchRun({
      plan,
      journal,
      place,
      transport,
      baseUrl: profile.baseUrl,
      mode: profile.mode,
      key: profile.key,
      keyFingerprint: profile.keyFingerprint,
      overrides: profile.overrides,
      timeouts: {
        ...DEFAULT_TIMEOUTS,
        ...(context.flags['request-timeout'] === undefined
          ? {}
          : {totalMs: context.flags['request-timeout']}),
      },
      speed: new SimpleSpeed({
        maxInFlight: flags['max-in-flight'] ?? MAX_IN_FLIGHT,
        maxRps: flags['max-rps'],
      }),
      clock,
      random: runtime.random,
      path,
      settings: {
        kind,
        horizonMs: flags['key-horizon'] ?? HORIZON_MS,
        maxWaitMs: flags['max-wait'] ?? MAX_WAIT_MS,
        acceptDifferences: flags['accept-differences'] ?? false,
        releaseRest: flags['release-rest'] ?? false,
        trustRefusals: flags['trust-refusals'] ?? false,
        retryUnapproved: doing === 'release',
      },
      out: folder,
      command: batchCommand(kind),
      assertHeld: () => lock.assertHeld(),
      drain: AbortSignal.any([first, lock.lost]),
      abort: AbortSignal.any([second, lock.lost]),
      onProgress: (phase, now) => out.progress(progress.line(phase, now)),
    }).run();
    out.endProgress();
    if (lock.lost.aborted) throw lock.lost.reason;
    out.text(summaryText(summary, journal.needingAttention(ATTENTION)));
    return {summary, exit: exitCodeOf(summary)};
  } catch (error) {
    out.endProgress();
    throw error;
  } finally {
    await transport.close();
    await batch.close();
  }
}

/** Looked at before anything is sent: a batch whose results cannot be written should not begin. */
function resultFolder(folder: string): string {
  const path = resolve(folder);
  try {
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    accessSync(path, constants.W_OK);
    return path;
  } catch (cause) {
    throw new RemitError('STATE', `the results cannot be written to ${path}: ${(cause as Error).message}`, {
      cause,
      exitCode: EXIT.LOCAL_STATE,
      hint: 'nothing was sent; name a writable folder with --out FOLDER',
    });
  }
}
