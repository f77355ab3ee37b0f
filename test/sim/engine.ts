import {bareCommands} from '../batch/bare-commands.ts';
import {createHash} from 'node:crypto';
import {FollowRun} from '../../src/batch/follow/follow-run.ts';
import {FollowPace} from '../../src/batch/follow/pace.ts';
import {synchroniseBatch} from '../../src/batch/registry/synchronise.ts';
import {readSummary} from '../../src/batch/standing/read-summary.ts';
import {claimBatch} from '../../src/batch/registry/batch-claims.ts';
import {BatchRun} from '../../src/batch/run/batch-run.ts';
import type {Mode} from '../../src/contract/mode.ts';
import type {Kind} from '../../src/batch/model/kinds.ts';
import type {Journal} from '../../src/batch/journal/journal.ts';
import {openBatch} from '../../src/batch/journal/open-batch.ts';
import {planBatch, type PlannedBatch} from '../../src/batch/plan/plan.ts';
import {resolveRows, type Resolving} from '../../src/batch/repair/resolve.ts';
import {checkResultPlace} from '../../src/batch/report/results.ts';
import {prepareRetry, type RetryFacts} from '../../src/batch/repair/retry.ts';
import type {RunSettings} from '../../src/batch/send/run-settings.ts';
import {AdaptiveSpeed} from '../../src/batch/speed/adaptive.ts';
import type {Speed} from '../../src/batch/speed/speed.ts';
import type {Summary} from '../../src/batch/standing/summary.ts';
import {surveyRetried} from '../../src/batch/registry/survey.ts';
import {beginCancel} from '../../src/batch/standing/remaining.ts';
import {Wire} from '../../src/batch/answers/wire.ts';
import type {FileRecord} from '../../src/batch/journal/rows/report-rows.ts';
import {type Acceptances, confirmSeen, PROFILE} from './namespaces.ts';
import type {SimNetwork} from './network.ts';
import type {SimProcess} from './process.ts';
import type {RunPath} from '../../src/batch/model/run-path.ts';

/** The same for every process of a world. */
export interface Setting {
  kind: Kind;
  mode: Mode;
  namespace: string;
  baseUrl: string;
  apiKey: string;
  /** Of the first window; small ones make several of a file. */
  windowRows: number | undefined;
}

export interface EngineRun {
  batchId: string;
  path: RunPath | 'as-before';
  settings: Omit<RunSettings, 'kind'>;
  maxInFlight: number;
  /** Raise failed rows first. */
  retry?: {named: readonly string[]; onRaised: (facts: RetryFacts) => void} | undefined;
  breakLock?: boolean;
  /** What the operator has acknowledged; absent in worlds with one namespace, where everything is. */
  accepts?: Acceptances | undefined;
}

export interface EngineReport {
  summary: Summary;
  /** State of each row in file order, as the journal has it. */
  states: {reference: string; state: string; code: string | null}[];
  /** Counts per bucket as the journal has them. */
  counts: Record<string, number>;
  isWhole: boolean;
}

/** Shorter than the tool's own: a world in which nobody answers would only be longer, not different. */
const TIMEOUTS = {connectMs: 500, headersMs: 2_000, totalMs: 3_000};

/** `payouts batch plan FILE --batch-id NAME`. */
export function planFile(
  process: SimProcess,
  setting: Setting,
  options: {batchId: string; file: string},
): Promise<PlannedBatch> {
  return planBatch({
    ...options,
    kind: setting.kind,
    stateDir: process.place.stateDir,
    namespace: setting.namespace,
    clock: process.clock,
  });
}

/** `payouts batch run NAME`, `resume`, `release`, `retry`: what the command does, with everything confirmed. */
export async function runEngine(
  process: SimProcess,
  setting: Setting,
  network: SimNetwork,
  request: EngineRun,
  random: () => number,
): Promise<EngineReport> {
  const {clock, place} = process;
  const {kind, mode, namespace, baseUrl, apiKey, windowRows} = setting;
  const breakLock = request.breakLock ?? false;
  const common = {stateDir: place.stateDir, breakLock, clock};
  const batch = await openBatch({...common, kind, batchId: request.batchId, purpose: 'a simulated run'});
  try {
    const claims = await claimBatch({...common, batch, mode, baseUrl, profile: PROFILE});
    try {
      const {journal, plan} = batch;
      const {accepts} = request;
      const confirm = (survey: typeof claims.survey) => {
        if (accepts === undefined || request.path === 'cancel') return;
        const sent = network.attempts.length;
        confirmSeen({survey, registry: claims.registry}, batch, {process, accepts, sent});
      };
      if (request.retry === undefined) confirm(claims.survey);
      const path =
        request.path === 'as-before' ? (journal.fact('path') ?? 'stage-and-release') : request.path;
      if (path === 'cancel') {
        place.cancelTried.add(request.batchId);
        beginCancel(journal, clock.now());
        process.isCanceling = true;
        place.canceling.add(request.batchId);
      } else if (path !== 'release') journal.setFact('path', path);
      else if (hasReleases(journal)) journal.setFact('path', 'stage-and-release');
      process.isDirect = path === 'direct';
      process.acceptsDifferences = request.settings.acceptDifferences;
      process.retriesUnapproved = request.settings.retryUnapproved || request.retry !== undefined;
      process.approvesById = request.settings.approveById ?? false;
      claims.recordDecisions();
      const transport = network.transportFor(process);
      let stop: RetryFacts['stop'];
      if (request.retry !== undefined) {
        const wire = new Wire({kind, mode, namespace, key: apiKey, timeouts: TIMEOUTS});
        const {named, onRaised} = request.retry;
        process.beginRun(); // what it prepares is finished by any later run
        const facts = await prepareRetry({
          journal,
          plan,
          wire,
          transport,
          clock,
          named,
          registry: claims.registry,
          ...(accepts === undefined ? {} : {allowedElsewhere: accepts.elsewhere}),
          confirm: async (rows) => {
            const sentAgain = rows.map(({row}) => row);
            const {registry, survey} = claims;
            const now = clock.now();
            confirm(surveyRetried(survey, sentAgain, {journal, plan, registry, now}));
          },
          maxWaitMs: request.settings.maxWaitMs,
          horizonMs: request.settings.approveById === true ? undefined : request.settings.horizonMs,
          stop: process.abort.signal,
        });
        ({stop} = facts);
        onRaised(facts);
      }
      const postsBefore = process.posts;
      checkResultPlace(place.inbox, plan);
      process.beginRun();
      process.onOpened();
      const summary = await new BatchRun({
        ...{plan, journal, place: batch.place, transport, clock, path, claims: claims.registry, random, stop},
        ...{baseUrl, mode, key: apiKey, timeouts: TIMEOUTS},
        keyFingerprint: createHash('sha256').update(apiKey).digest('hex').slice(0, 16),
        speed: watched(new AdaptiveSpeed({maxInFlight: request.maxInFlight}), process),
        settings: {kind, ...request.settings, windowRows},
        out: place.inbox,
        commands: bareCommands(null),
        assertHeld: () => {
          batch.lock.assertHeld();
          claims.registry.assertHeld();
        },
        drain: process.drain.signal,
        abort: process.abort.signal,
        onProgress: () => undefined,
      }).run();
      process.endRun();
      summary.posts += postsBefore;
      const counts = Object.entries(journal.tally()).map(([bucket, {count}]) => [bucket, count]);
      return {
        summary,
        states: [...journal.report.everything()].map(stateOf),
        counts: Object.fromEntries(counts) as Record<string, number>,
        isWhole: true,
      };
    } finally {
      await claims.registry.close();
    }
  } finally {
    await batch.close();
  }
}

/** A release that finds nothing to do changes nothing. */
function hasReleases(journal: Journal): boolean {
  const {staged, in_doubt: doubts} = journal.tally();
  return staged.count + doubts.count > 0;
}

/** `payouts batch resolve NAME --from FILE`, by an operator who has looked at the dashboard. */
export async function resolveByHand(
  process: SimProcess,
  setting: Setting,
  request: {batchId: string; rows: readonly Resolving[]},
): Promise<unknown> {
  const {clock, place} = process;
  const {batchId, rows} = request;
  const common = {stateDir: place.stateDir, clock};
  const batch = await openBatch({...common, kind: setting.kind, batchId, purpose: 'a simulated resolve'});
  try {
    return await resolveRows({...common, batch, rows});
  } finally {
    await batch.close();
  }
}

/** `payouts batch status NAME --refresh`: each record that is not final is read, and nothing is sent. */
export async function refreshStates(
  process: SimProcess,
  setting: Setting,
  network: SimNetwork,
  batchId: string,
  random: () => number,
): Promise<Pick<EngineReport, 'summary' | 'states'>> {
  const {clock, place} = process;
  const {kind, mode, namespace, apiKey} = setting;
  const {stateDir} = place;
  const batch = await openBatch({stateDir, kind, batchId, purpose: 'a simulated refresh', clock});
  try {
    process.limit = () => 16;
    const {summary} = await new FollowRun({
      ...{batch, before: readSummary(batch, clock.now()), clock, random},
      wire: new Wire({kind, mode, namespace, key: apiKey, timeouts: TIMEOUTS}),
      transport: network.transportFor(process),
      pace: new FollowPace(),
      maxWaitMs: 8_000,
      abort: process.abort.signal,
      out: undefined,
      commands: bareCommands(null),
      beforeResults: () => synchroniseBatch(batch, {stateDir, clock}),
      onProgress: () => undefined,
      onUnknown: () => undefined,
    }).run();
    return {summary, states: [...batch.journal.report.everything()].map(stateOf)};
  } finally {
    await batch.close();
  }
}

/** `payouts batch status NAME` and `report NAME`: how the batch stands, and what is said of each row now. */
export async function readStanding(
  {place, clock}: SimProcess,
  setting: Setting,
  batchId: string,
): Promise<Pick<EngineReport, 'summary' | 'states'>> {
  const {stateDir} = place;
  const batch = await openBatch({
    ...{stateDir, kind: setting.kind, batchId, purpose: 'a simulated report', clock},
  });
  try {
    return {
      summary: readSummary(batch, clock.now(), () => bareCommands()),
      states: [...batch.journal.report.everything()].map(stateOf),
    };
  } finally {
    await batch.close();
  }
}

const stateOf = (row: FileRecord): EngineReport['states'][number] => ({
  reference: String(row.reference),
  state: row.reference === null ? 'invalid' : row.state,
  code: row.reference === null ? null : row.code,
});

/** Remembers what the dispatcher was last told. */
function watched(speed: Speed, process: SimProcess): Speed {
  let limit = 1;
  process.limit = () => limit;
  return new Proxy(speed, {
    get(target, name) {
      const value = Reflect.get(target, name) as unknown;
      if (name === 'limit') return () => (limit = Math.max(1, target.limit()));
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    },
  });
}
