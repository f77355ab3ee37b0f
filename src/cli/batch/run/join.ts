import {Wire} from '../../../batch/answers/wire.ts';
import {openBatch, runPurpose} from '../../../batch/journal/open-batch.ts';
import {claimBatch} from '../../../batch/registry/batch-claims.ts';
import {RemitError} from '../../../errors.ts';
import {counted} from '../../../phrases.ts';
import {must} from '../../../narrow.ts';
import {checkBound} from '../place.ts';
import {timeoutsOf} from '../timeouts.ts';
import {confirmOnce} from './confirm-once.ts';
import {PERMITS} from './granted.ts';
import {asStarted, commandsOfRun, type RunRequest, statusCommand} from './request.ts';
import {speedOf} from './sending.ts';
import {openGate} from './under-policy.ts';

const IDLE_MS = 1000;

/**
 * Sends rows for the process that has the batch, until it has ended or is lost. What a run checks and confirms is checked
 * and confirmed here too, on a copy of the batch.
 */
export async function joinRun(typed: RunRequest): Promise<void> {
  const {context, kind, stateDir, batchId, flags, accepted} = typed;
  const {clock, profile, out, codec} = context;
  const team = must(context.team, 'shared state');
  const batch = await openBatch({stateDir, kind, batchId, purpose: runPurpose(batchId, typed.doing), clock});
  try {
    const {plan, journal} = batch;
    context.ofBatch.commands = commandsOfRun(typed, plan);
    const {runner} = await team.runnerOf(kind, batchId);
    const who = runner === undefined ? 'Another process' : `Process ${runner.pid} on ${runner.host}`;
    if (openGate(typed, batch) !== undefined)
      throw new RemitError('LOCKED', `${who} has batch ${batchId}; under a policy, it sends alone`, {
        hint: statusCommand(typed, plan),
      });
    const request = {...asStarted(typed, batch), joins: true};
    checkBound(context, stateDir, request.typed, batch, {out: flags.out});
    const claims = await claimBatch({
      ...{batch, stateDir, mode: profile.mode, baseUrl: profile.baseUrl, profile: profile.name, clock},
      ...{breakLock: false, memoryDir: context.stateDir, lostJournals: accepted.lostJournals},
      retype: (words, without) => context.commands.again(typed.typed, {add: words, without}),
      tell: () => undefined,
    });
    let isAgreed = false;
    try {
      isAgreed = await confirmOnce(request, batch, claims);
    } finally {
      await claims.registry.close();
    }
    const {first: drain, second: abort} = context.stop.drain();
    while (!isAgreed) {
      if ((await team.runnerOf(kind, batchId)).runner?.lease !== 'held') return; // it is only left to report
      await clock.sleep(IDLE_MS, drain);
    }
    out.note(`${who} has batch ${batchId}: this process sends rows for it.`);
    const {mode, key} = profile;
    const wire = new Wire({
      ...{kind, mode, namespace: plan.namespace, key, timeouts: timeoutsOf(context), permits: PERMITS},
    });
    const pool = await context.transportFor('pool');
    let sent = 0;
    try {
      await team.sendFor(kind, batchId, request.doing, {
        ...{transport: pool, speed: speedOf(flags), baseUrl: profile.baseUrl, drain, abort},
        build: ({reference, approve}) => {
          const row = journal.rows.of(reference);
          return row === undefined ? undefined : codec.encode(wire.create(row, approve));
        },
        onProgress: (count) => {
          sent = count;
          out.progress(`${counted(sent, 'request')} sent for ${who}`);
        },
      });
    } finally {
      out.endProgress();
      await pool.close();
    }
    out.note(`${counted(sent, 'request')} sent for ${who}.`);
    const {reason} = context.stop;
    if (reason !== undefined)
      throw new RemitError(reason.code, `${reason.message}; ${who} has the batch`, {
        hint: statusCommand(typed, plan),
      });
  } finally {
    await batch.close();
  }
}
