import type {Clock} from '../../clock.ts';
import {RemitError} from '../../errors.ts';
import type {OpenBatch} from '../journal/open-batch.ts';
import {Registry} from './registry.ts';
import {othersIn, recordPaidElsewhere, recordEnded, withdrawUnpaid} from './synchronise.ts';
import type {JournalCheck} from './rebuild.ts';
import {recordDecisions, surveyBatch, type Survey} from './survey.ts';
import type {Retype} from '../model/accept.ts';
import type {Mode} from '../../contract/mode.ts';

/** A batch's use of the registry, from the survey to the end of the run. */
export interface BatchClaims {
  registry: Registry;
  survey: Survey;
  /**
   * After the confirmation: records the outcomes that the registry decides, and binds a namespace of rows without
   * references.
   */
  recordDecisions(): void;
}

/**
 * Opens the registry for a batch and compares the batch's unsent rows with it. The caller closes the registry.
 * @throws RemitError LOCKED while another batch runs in this state folder; GUARD_CONFIRM if the namespace belongs to
 *   another file
 */
export async function claimBatch(options: {
  batch: OpenBatch;
  stateDir: string;
  /** See `Registry.open`. */
  memoryDir?: string;
  mode: Mode;
  baseUrl: string;
  profile: string | null;
  breakLock: boolean;
  clock: Clock;
  /** Journals that cannot be read; see `JournalCheck`. */
  lostJournals?: JournalCheck['lostJournals'];
  retype?: Retype;
  /** Called with what was read into a registry that lacked it. */
  tell?: (text: string) => void;
}): Promise<BatchClaims> {
  const {batch, stateDir, mode, baseUrl, clock} = options;
  const {plan, journal} = batch;
  const {kind, namespace, batchId, journalId} = plan;
  const profile = options.profile ?? '';
  const registry = await Registry.open({
    ...{stateDir, memoryDir: options.memoryDir ?? stateDir},
    scope: {mode, baseUrl, kind, namespace},
    claimant: {profile, batchId, journalId},
    breakLock: options.breakLock,
    check: {
      own: batch,
      lostJournals: options.lostJournals ?? [],
      retype: options.retype ?? ((words) => words.join(' ')),
      tell: options.tell ?? (() => undefined),
    },
    clock,
  });
  try {
    refuseOtherContent(registry, batch);
    const exists = othersIn(stateDir, plan);
    recordEnded(journal, registry);
    withdrawUnpaid(journal, registry);
    recordPaidElsewhere({journal, plan, registry, exists, now: clock.now()});
    const survey = surveyBatch({journal, plan, registry, profile, exists, now: clock.now()});
    const recordAll = () => {
      // Rows that an edited file left out were never sent, so their references are free for other batches.
      for (const reference of journal.fact('dropped') ?? []) registry.free(reference);
      registry.flush();
      journal.setFact('dropped', []);
      if (!plan.hasReferences) registry.bindContentPlan(plan.planHash);
      recordDecisions({journal, plan, registry, exists, now: clock.now()});
      survey.shifts.clear(); // the journal's own counts include them now; a retry is confirmed later
    };
    return {registry, survey, recordDecisions: recordAll};
  } catch (error) {
    await registry.close();
    throw error;
  }
}

function refuseOtherContent(registry: Registry, {plan}: OpenBatch): void {
  const bound = plan.hasReferences ? undefined : registry.contentPlan();
  if (bound === undefined || bound === plan.planHash) return;
  const {batchId, namespace} = plan;
  throw new RemitError(
    'GUARD_CONFIRM',
    `batch ${batchId} has no references, and another file was run under the namespace ${namespace}; nothing was sent`,
    {
      hint: `without references, only the identical file can run there again. Do not give this file another namespace as it is: rows that were paid under ${namespace} would be paid again. Remove those rows first, or add a reference column with new references to the remaining ones`,
    },
  );
}
