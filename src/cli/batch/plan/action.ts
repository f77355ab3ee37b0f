import {counted} from '../../../phrases.ts';
import {planBatch, type PlannedBatch, type PlanRequest} from '../../../batch/plan/plan.ts';
import type {IssueGroup} from '../../../batch/input/issue-groups.ts';
import type {Issue} from '../../../batch/model/issue.ts';
import {accepting, type Retype} from '../../../batch/model/accept.ts';
import {DEFAULT_NAMESPACE, isBatchId, isNamespace} from '../../../batch/model/identity.ts';
import {batchExists} from '../../../batch/journal/folder.ts';
import {openBatch} from '../../../batch/journal/open-batch.ts';
import {type Kind, KINDS} from '../../../batch/model/kinds.ts';
import type {ImportedParty} from '../../../batch/input/rows.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';
import {refuseCanceled} from '../../../batch/standing/remaining.ts';
import type {IdFormat} from '../../../contract/ids.ts';
import {RemitError} from '../../../errors.ts';
import {type LocalContext, localCommands} from '../../core/context.ts';
import {keepHeapSmall} from '../../runtime/memory.ts';
import {openStdin} from '../../runtime/stdin.ts';
import type {Accepted} from '../accept.ts';
import {readPartyIds} from '../../../parties/party-ids.ts';
import {unusedId} from '../place.ts';
import type {FlagValues} from '../../input/flags.ts';
import {type inputFlags, readMapping} from '../flags.ts';
import {issuesText, revisionText} from './view.ts';
import {refuseMoved} from '../../team/moved.ts';

export type InputFlags = FlagValues<typeof inputFlags>;

/** A file, and how it is to be read. */
export interface FileToRead {
  kind: Kind;
  file: string;
  stateDir: string;
  flags: InputFlags;
  accepted: Pick<Accepted, 'cutInput' | 'hiddenRows'>;
  local: LocalContext;
  /** What the ids of the service look like. */
  ids: IdFormat | undefined;
  /** The typed command with these arguments added. */
  retype: Retype;
  beforeKept?: PlanRequest['beforeKept'];
  /** How long to wait for another process that has the batch. */
  waitMs?: number | undefined;
}

/** Plans a file with the given flags, shows its errors, and reports rows that are left out. */
export function planFromFlags(wanted: FileToRead): Promise<PlannedBatch> {
  const {out} = wanted.local;
  return readFromFlags(wanted, async (options) => {
    const planned = await planBatch({
      ...options,
      beforeKept: async (plan) => {
        refuseMoved(wanted.local, wanted.stateDir, plan.kind, plan.batchId);
        await wanted.local.team?.take(plan.kind, plan.batchId, {purpose: 'plan', waitMs: wanted.waitMs});
        await refuseCanceledBatch(wanted, plan);
        await options.beforeKept?.(plan);
      },
    }).catch((error: unknown) => {
      throw withNamespaces(error, wanted);
    });
    for (const warning of planned.plan.warnings) out.warn(warning);
    if (planned.errors.length > 0) {
      out.warn(
        `${counted(planned.plan.invalidRows, 'row')} with errors ${planned.plan.invalidRows === 1 ? 'is' : 'are'} left out`,
      );
      if (planned.fresh) out.notice(issuesText(planned.groups)); // once
    }
    if (planned.revision !== undefined) out.notice(revisionText(planned.plan.revision, planned.revision));
    return planned;
  });
}

/** The batch of this file was run in another namespace: names the commands for that one and for the one typed. */
function withNamespaces(error: unknown, {kind, stateDir, flags, retype}: FileToRead): unknown {
  if (!(error instanceof RemitError) || error.code !== 'GUARD_BINDING') return error;
  const {batch_id: batchId, namespace} = error.details ?? {};
  if (typeof batchId !== 'string' || typeof namespace !== 'string') return error;
  const there = retype(['--namespace', namespace], ['--namespace', '--html']); // a batch that has run has no page
  const here = retype(['--batch-id', unusedId(stateDir, {kind, batchId})], ['--batch-id']);
  return error.reworded(
    error.message,
    `to run it there: ${there}; in the namespace ${flags.namespace ?? DEFAULT_NAMESPACE} its rows are other payments, and need a batch id: ${here}`,
  );
}

/** A revision of a canceled batch could not be run. */
async function refuseCanceledBatch({kind, stateDir, local, retype}: FileToRead, plan: Plan): Promise<void> {
  const {batchId} = plan;
  if (!batchExists(stateDir, kind, batchId)) return;
  const purpose = `plan of batch ${batchId}`;
  const batch = await openBatch({stateDir, kind, batchId, purpose, brief: true, clock: local.clock});
  try {
    if (batch.plan.planHash === plan.planHash) return;
    const again = retype(['--batch-id', unusedId(stateDir, plan)], ['--batch-id']);
    refuseCanceled(batch.journal, batch.plan, 'as-before', again);
  } finally {
    await batch.close();
  }
}

/** Reads a file with the given flags, and shows its errors with commands that fix them. */
export async function readFromFlags<T>(
  wanted: FileToRead,
  read: (options: PlanRequest) => Promise<T>,
): Promise<T> {
  keepHeapSmall();
  const {flags, local, retype} = wanted;
  const {out} = local;
  const {payees} = flags;
  const partyIds =
    payees === undefined ? undefined : await readPartyIds(payees, {kind: wanted.kind, ids: wanted.ids});
  if (partyIds !== undefined) warnPending(wanted, partyIds);
  try {
    return await read({...planOptions(wanted), partyIds});
  } catch (error) {
    if (!(error instanceof RemitError) || error.code !== 'CSV_INVALID') throw error;
    const groups = error.details?.['error_groups'] as IssueGroup[] | undefined; // from planBatch
    if (groups === undefined) throw error;
    if (out.forPeople) out.notice(issuesText(groups));
    throw withCommand(error, groups, {
      ...{retype, leavesOut: flags['valid-only'] ?? false, ids: wanted.ids},
      doctor: localCommands(local.flags).read('doctor'),
    });
  }
}

/** The service refuses payments of such an account, unless it was verified since. */
function warnPending({kind, flags, local}: FileToRead, ids: ReadonlyMap<string, ImportedParty>): void {
  const pending = [...ids].flatMap(([reference, {isPending}]) => (isPending ? [reference] : []));
  if (pending.length === 0) return;
  const party = kind === 'payout' ? 'payee' : 'payer';
  const named = pending.slice(0, 5);
  const more = pending.length > named.length ? ` and ${pending.length - named.length} more` : '';
  local.out.warn(
    `${counted(pending.length, party)} in ${flags.payees} ${pending.length === 1 ? 'was' : 'were'} not verified when it was written: ${named.join(', ')}${more}. The service may refuse their ${KINDS[kind].topic}`,
  );
  local.out.hint(
    `to wait until they are verified: ${localCommands(local.flags).write(`${party}s`, 'import', 'FILE', '--wait')}`,
  );
}

function planOptions(wanted: FileToRead): PlanRequest {
  const {kind, file, stateDir, flags, local, retype} = wanted;
  const batchId = flags['batch-id'];
  if (batchId !== undefined && !isBatchId(batchId))
    throw new RemitError('USAGE', `--batch-id "${batchId}" is not a valid batch id`, {
      hint: 'use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit',
    });
  if (flags.namespace !== undefined && !isNamespace(flags.namespace))
    throw new RemitError('USAGE', `--namespace "${flags.namespace}" is not a valid namespace`, {
      hint: 'use up to 64 of a-z, 0-9 and -',
    });
  return {
    kind,
    file,
    stateDir,
    sheet: flags.sheet,
    readFlags: readFlagsTyped(flags, wanted.accepted),
    batchId,
    namespace: flags.namespace,
    mapping: readMapping(flags.map),
    ignored: flags['ignore-column'] ?? [],
    amountUnit: flags['amount-unit'],
    numberFormat: flags['number-format'],
    currency: flags.currency,
    ids: wanted.ids,
    validOnly: flags['valid-only'] ?? false,
    allowCutInput: wanted.accepted.cutInput,
    allowHiddenRows: wanted.accepted.hiddenRows,
    retype,
    clock: local.clock,
    beforeKept: wanted.beforeKept,
    stdin: file === '-' ? openStdin(local.runtime, 'CSV') : undefined,
  };
}

/** The flags that say how to read the file, as words. */
function readFlagsTyped(flags: InputFlags, accepted: FileToRead['accepted']): string[] {
  const {map = [], 'ignore-column': ignored = [], 'valid-only': validOnly = false} = flags;
  const single = (['sheet', 'payees', 'amount-unit', 'number-format', 'currency'] as const).flatMap(
    (name) => {
      const value = flags[name];
      return value === undefined ? [] : [`--${name}`, value];
    },
  );
  return [
    ...single,
    ...map.flatMap((pair) => ['--map', pair]),
    ...ignored.flatMap((header) => ['--ignore-column', header]),
    ...(validOnly ? ['--valid-only'] : []),
    ...(accepted.hiddenRows === undefined ? [] : accepting('hidden-rows', accepted.hiddenRows)),
    ...(accepted.cutInput ? accepting('cut-input') : []),
  ];
}

const OTHER_IDS = 'if the ids of this service are not UUIDs, set ids.format to any in the service file';

/** Such a value is a UUID that lost a part, or gained one, rather than an id of another form. Digits may be masked. */
const isPartOfUuid = ({value}: Issue): boolean => /^(?:[\da-f]{8}|….{4})-[\da-f]{4}-/i.test(value);

/** The unknown columns, if ignoring them is all that the file needs. */
function unknownColumns(groups: readonly IssueGroup[]): string[] {
  const isAll = groups.every(
    ({code, count: n, examples}) => code === 'unknown-column' && n === examples.length,
  );
  const names = groups.map(({column}) => column);
  return isAll && !names.some((name) => name.includes('…')) ? names : []; // a masked name cannot be typed
}

/** The error of a header says that it hides those of the rows: they are read with the columns that the header names. */
function messageOfFile({message}: RemitError, groups: readonly IssueGroup[]): string {
  const isHeader = groups.every(({code, examples}) => examples[0].row === 0 && code !== 'amount-unit');
  return isHeader ? `${message}. The header has to be fixed first: the rows were not checked yet` : message;
}

/** This error with a hint that can be typed: the command with the missing flags added. */
function withCommand(
  error: RemitError,
  groups: readonly IssueGroup[],
  {
    retype,
    leavesOut,
    ids,
    doctor,
  }: {retype: Retype; leavesOut: boolean; ids: IdFormat | undefined; doctor: string},
): RemitError {
  // On a line of its own, a command can be copied at any width.
  const again = (...words: string[]) => `\n  ${retype(words)}`;
  const hints: string[] = [];
  const isUnit = groups.some(({code}) => code === 'amount-unit');
  const hasBadRows = groups.some(({examples}) => examples[0].row > 0);
  if (isUnit && hasBadRows) hints.push('fix the rows first; then add --amount-unit if it is still required');
  else if (isUnit)
    hints.push(
      `--amount-unit major reads 1500 as 1500.00, and minor as 15.00:${again('--amount-unit', 'major')}`,
    );
  else if (hasBadRows && !leavesOut)
    hints.push(`fix the file and run the command again, or leave these rows out:${again('--valid-only')}`);
  const unknown = unknownColumns(groups);
  for (const party of ['payee', 'payer'])
    if (unknown.includes(`${party}_reference`))
      hints.push(`to pay by it, name the file that ${party}s import wrote:${again(`--${party}s`, 'FILE')}`);
  if (unknown.length > 0)
    hints.push(`to ignore them:${again(...unknown.flatMap((name) => ['--ignore-column', name]))}`);
  if (ids !== 'any' && groups.some((group) => group.code === 'uuid' && !group.examples.some(isPartOfUuid)))
    hints.push(`${OTHER_IDS}; to find what differs at the service: ${doctor}`);
  const {details, cause} = error;
  const hint = hints.length === 0 ? error.openHint : hints.join('\n');
  return new RemitError(error.code, messageOfFile(error, groups), {cause, details, hint});
}
