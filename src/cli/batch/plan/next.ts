import {withLoopback} from '../../../network/local.ts';
import {readAcknowledged} from '../../../batch/journal/confirmations.ts';
import {accepting} from '../../../batch/model/accept.ts';
import {typingFor} from '../../../batch/standing/next-command.ts';
import type {Journal} from '../../../batch/journal/journal.ts';
import {type OpenBatch, openBatch} from '../../../batch/journal/open-batch.ts';
import type {SeenAlike} from '../../../batch/registry/seen-alike.ts';
import {type SeenBefore, seenBefore, UNSEEN} from '../../../batch/registry/seen-before.ts';
import {normaliseBaseUrl} from '../../../client/transport/base-url.ts';
import {RemitError} from '../../../errors.ts';
import {modeOf} from '../../../profiles/key.ts';
import type {Mode} from '../../../contract/mode.ts';
import type {ProjectFile} from '../../../profiles/project-file.ts';
import {chooseProfile} from '../../../profiles/resolve.ts';
import {type LocalContext, localCommands} from '../../core/context.ts';
import {commandsFor} from '../place.ts';
import type {PlanOutlook} from './view.ts';
import {awaitsRun} from '../../../batch/overview/status.ts';
import {leftText} from '../../../batch/standing/end-words.ts';
import {readSummary} from '../../../batch/standing/read-summary.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';

interface Wanted {
  local: LocalContext;
  project: ProjectFile | undefined;
  stateDir: string;
  plan: Plan;
  /** The plan is new, or a new revision, so a run has to confirm it. */
  fresh: boolean;
  /** The page of a plan shows what a run would do with each row. */
  wantsRows?: boolean;
}

/** Compares a plan with the other batches of the state folder. Offline. */
export async function outlookOf(wanted: Wanted): Promise<PlanOutlook> {
  const {local, stateDir, plan} = wanted;
  const {kind, batchId} = plan;
  const {clock} = local;
  const alone = {alike: [], next: runCommand(wanted, {before: [], alike: []})};
  try {
    const purpose = `plan of batch ${batchId}`;
    const batch = await openBatch({stateDir, kind, batchId, purpose, brief: true, clock});
    try {
      const {profile} = local.flags;
      if (profile !== undefined && batch.journal.fact('confirmed') === undefined)
        batch.journal.setFact('typedProfile', profile);
      return await outlookOfOpen(wanted, batch);
    } finally {
      await batch.close();
    }
  } catch (error) {
    if (error instanceof RemitError) return {...alone, before: error};
    throw error;
  }
}

/**
 * The command that runs a planned batch, with what has to be accepted. While another command uses the registry, the
 * look-alikes in it are unknown and left out.
 */
export async function nextOfPlan(
  wanted: Omit<Wanted, 'plan' | 'fresh'>,
  batch: OpenBatch,
): Promise<string | null> {
  const {plan, journal} = batch;
  try {
    return (await outlookOfOpen({...wanted, plan, fresh: false}, batch)).next;
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    return runCommand({...wanted, plan, fresh: false}, {before: [], alike: [], journal});
  }
}

async function outlookOfOpen(wanted: Wanted, batch: OpenBatch): Promise<PlanOutlook> {
  const {local, stateDir, plan, fresh} = wanted;
  const {clock} = local;
  const summary =
    fresh || batch.journal.fact('binding') === undefined
      ? undefined
      : readSummary(batch, clock.now(), () => commandsFor(local, batch));
  const hasRun = summary !== undefined && !awaitsRun(batch, summary);
  const acknowledged = readAcknowledged(batch.journal, plan) !== undefined;
  const typed = local.flags.profile ?? batch.journal.fact('typedProfile') ?? undefined;
  const at = wanted.wantsRows === true ? serviceInForce(wanted, typed) : undefined;
  const {before, alike, held} = await seenBefore(batch, {
    at,
    ...{stateDir, memoryDir: local.stateDir, clock, countsAlike: !hasRun && !acknowledged},
    retype: (words) => runCommand(wanted, UNSEEN, words),
    tell: (text) => local.out.warn(text),
  });
  if (hasRun) return {before, alike, next: summary.next, left: leftText(summary) ?? 'no row is left to send'};
  return {before, alike, held, next: runCommand(wanted, {before, alike, journal: batch.journal})};
}

/** The command that runs a plan, with the acknowledgements needed at the active service. */
function runCommand(
  wanted: Wanted,
  seen: {before: readonly SeenBefore[]; alike: readonly SeenAlike[]; journal?: Journal},
  stated: readonly string[] = [],
): string {
  const {local, plan} = wanted;
  const {softDuplicates, similarReferences} = plan.figures;
  const {journal} = seen;
  const profile = local.flags.profile ?? journal?.fact('typedProfile') ?? undefined;
  const service = serviceInForce(wanted, profile);
  const there = alikeAt(service, seen.alike);
  const isAcknowledged = journal !== undefined && readAcknowledged(journal, plan) !== undefined;
  const [inFile, similarInFile] = isAcknowledged ? [0, 0] : [softDuplicates.count, similarReferences.count];
  const duplicates = inFile + (there?.alike ?? 0);
  const similar = similarInFile + (there?.similar ?? 0);
  const accept = [
    ...(duplicates > 0 ? accepting('duplicates', duplicates) : []),
    ...(similar > 0 ? accepting('similar', similar) : []),
    ...paidElsewhere(plan, service, seen.before).flatMap((name) => accepting('paid-elsewhere', name)),
    ...stated,
  ];
  // A batch that was only staged is staged again: another person may have to release it.
  const staging = journal?.fact('path') === 'stage-only' ? ['--stage-only'] : [];
  const commands = localCommands(local.flags).forBatch({
    ...{batchId: plan.batchId, namespace: plan.namespace, profile},
    ...{mode: service?.mode ?? 'test', out: journal?.fact('typedOut') ?? undefined},
  });
  return typingFor(commands, plan)('run', ...staging, ...accept);
}

interface Service {
  mode: Mode;
  baseUrl: string;
}

/** Where a run would send, as far as this is known without reading a key: a plan never runs a key command. */
function serviceInForce({local, project}: Wanted, flag: string | undefined): Service | undefined {
  const {runtime, configDir} = local;
  try {
    const question = {flag, env: runtime.env, project, configDir, normaliseBaseUrl};
    const {profile, envKey, baseUrl} = chooseProfile(question);
    const key = runtime.env['REMIT_API_KEY'] ?? '';
    const mode = envKey ? modeOf(key, 'the key from REMIT_API_KEY') : profile?.mode;
    return mode === undefined ? undefined : {mode, baseUrl: withLoopback(baseUrl)};
  } catch (error) {
    if (error instanceof RemitError) return undefined; // the run reports what is wrong with it
    throw error;
  }
}

const alikeAt = (service: Service | undefined, alike: readonly SeenAlike[]): SeenAlike | undefined =>
  service === undefined
    ? undefined
    : alike.find(({mode, base_url: url}) => mode === service.mode && url === service.baseUrl);

/** Namespaces and addresses that must be acknowledged before references used there are sent. */
function paidElsewhere(
  {namespace}: Plan,
  service: Service | undefined,
  before: readonly SeenBefore[],
): string[] {
  const names = before.flatMap(({mode, base_url: url, namespace: other}) => {
    if (service === undefined || mode !== service.mode) return [];
    if (url !== service.baseUrl) return mode === 'live' ? [other === namespace ? url : other] : [];
    return other === namespace ? [] : [other];
  });
  return [...new Set(names)];
}
