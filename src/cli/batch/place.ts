import {existsSync} from 'node:fs';
import {join, resolve} from 'node:path';
import {checkBinding, unrecordedSettings} from '../../batch/journal/binding.ts';
import {batchExists, batchIds} from '../../batch/journal/folder.ts';
import {DEFAULT_NAMESPACE} from '../../batch/model/identity.ts';
import {type Kind, KINDS} from '../../batch/model/kinds.ts';
import type {Journal} from '../../batch/journal/journal.ts';
import type {OpenBatch} from '../../batch/journal/open-batch.ts';
import {unfinishedWithRowsOf} from '../../batch/overview/unfinished.ts';
import {type CommandBuilder, RemitError} from '../../errors.ts';
import {type Commands, isFileName, type Typed} from '../line/command-line.ts';
import {type Context, type LocalContext, localCommands} from '../core/context.ts';
import type {Plan} from '../../batch/model/plan-facts.ts';
import {isObject} from '../../narrow.ts';
import {nearest} from '../../nearest.ts';
import {sandboxStartAgain} from '../sandbox/recorded/addresses.ts';

/**
 * Builds the commands for a batch that is read: with the profile and folder of its last run, unless others were typed.
 */
export function commandsFor(local: LocalContext, {plan, journal}: OpenBatch, out?: string): Commands {
  const last = journal.fact('typedProfile') ?? undefined;
  const folder = outFolderOf(journal, out);
  // A batch of a team may have been planned or run on another machine.
  const isElsewhere = local.team !== undefined && !existsSync(folder ?? plan.file.folder);
  return localCommands(local.flags).forBatch({
    ...ofPlan(plan),
    profile: local.flags.profile ?? last,
    mode: journal.fact('binding')?.mode ?? 'test',
    out: isElsewhere ? '.' : folder,
  });
}

/** Commands for a batch that is sent, with the active profile. */
export function sendingCommands(context: Context, plan: Plan, out: string | undefined): Commands {
  const {commands, profile} = context;
  return commands.forBatch({
    ...ofPlan(plan),
    profile: context.flags.profile ?? commands.profile,
    mode: profile.mode,
    out,
  });
}

/** What the commands for a batch will repeat, in whatever folder they are printed. */
export function noteTyped(journal: Journal, {commands}: Context, out: string | undefined): void {
  journal.setFact('typedProfile', commands.profile ?? null);
  journal.setFact('typedOut', out === undefined ? null : resolve(out));
}

/** A file without references needs a namespace, even the default one. */
const ofPlan = ({batchId, namespace, hasReferences}: Plan) => ({
  batchId,
  namespace: hasReferences && namespace === DEFAULT_NAMESPACE ? undefined : namespace,
});

export function unusedId(stateDir: string, {kind, batchId}: Pick<Plan, 'kind' | 'batchId'>): string {
  let number = 2;
  const name = () => `${batchId.slice(0, 58)}-${number}`;
  while (batchExists(stateDir, kind, name())) number++;
  return name();
}

/** The folder of the results: as typed, otherwise that of the last run; undefined for next to the input. */
const outFolderOf = (journal: Journal, typed: string | undefined): string | undefined =>
  typed ?? journal.fact('typedOut') ?? undefined;

/** The command that runs the file of a plan as another batch, with an unused id. */
export function runAsAnother(commands: CommandBuilder, stateDir: string, plan: Plan): string {
  const {kind, file, sheet} = plan;
  const asRead = plan.readFlags ?? (sheet === undefined ? [] : ['--sheet', sheet]);
  const absolute = join(file.folder, file.name);
  const path = file.path === '-' ? '-' : resolve(file.path) === absolute ? file.path : absolute;
  const words = [...asRead, '--batch-id', unusedId(stateDir, plan)];
  return commands.write(KINDS[kind].topic, 'batch', 'run', path, ...words);
}

/**
 * Refuses a batch that belongs to another address, mode or key than the active ones.
 * @param named.isFile the command names the file of the batch, and not its id
 * @param named.out the typed folder for results
 * @throws RemitError GUARD_BINDING with the command to type instead
 */
export function checkBound(
  context: Context,
  stateDir: string,
  typed: Typed,
  batch: OpenBatch,
  {isFile = false, out}: {isFile?: boolean; out?: string | undefined} = {},
): void {
  const {profile, commands} = context;
  const {plan} = batch;
  const anotherId = ['--batch-id', unusedId(stateDir, plan)];
  const check = () =>
    checkBinding(batch.journal, plan, {
      ...profile,
      codec: context.codec,
      runAgain: runAsAnother(sendingCommands(context, plan, outFolderOf(batch.journal, out)), stateDir, plan),
      fileAsAnother: isFile ? commands.again(typed, {add: anotherId, without: ['--batch-id']}) : undefined,
      withProfile: (name, mode) =>
        commands.againWith(name, mode === 'live' ? withLive(typed) : withoutLive(typed)),
      profileInForce: commands.profile,
      path: /:cancel$/.test(typed.id) ? 'cancel' : undefined,
    });
  try {
    check();
  } catch (error) {
    if (!(error instanceof RemitError)) throw error;
    const start = formerSandbox(context, batch.journal, error);
    throw start === undefined
      ? error
      : error.withHint(`start the sandbox where the batch was started: ${start}`);
  }
}

/** The command that starts the sandbox at the address of the batch again, if it only got another address since. */
function formerSandbox(
  {profile, stateDir, commands}: Context,
  journal: Journal,
  {code, details}: RemitError,
): string | undefined {
  const typed = journal.fact('typedProfile') ?? undefined;
  if (typed !== undefined && typed !== commands.profile) return undefined; // that profile leads there
  const bound = code === 'GUARD_BINDING' ? details?.['bound_to'] : undefined;
  if (!isObject(bound) || bound['mode'] !== profile.mode || typeof bound['base_url'] !== 'string')
    return undefined;
  return bound['base_url'] === profile.baseUrl ? undefined : sandboxStartAgain(stateDir, bound['base_url']);
}

/**
 * Refuses to start a file whose rows are in an unfinished batch with another id.
 * @throws RemitError GUARD_DUPLICATES with the command that continues that batch
 */
export async function refuseSecondRun(context: Context, stateDir: string, plan: Plan): Promise<void> {
  const {profile, clock} = context;
  const found = await unfinishedWithRowsOf(plan, {
    ...{stateDir, service: profile, clock},
    commandsFor: (batch) => commandsFor(context, batch),
  });
  if (found === undefined) return;
  const {batchId, next} = found;
  throw new RemitError(
    'GUARD_DUPLICATES',
    `batch ${batchId} of this file is not finished; nothing was sent`,
    {
      hint: (commands) => next ?? commands.read(KINDS[plan.kind].topic, 'batch', 'status', batchId),
      details: {batch_id: batchId},
    },
  );
}

/** The typed command for a profile with a live key; a command that only reads needs no --live. */
const withLive = ({id, argv}: Typed): Typed =>
  argv.includes('--live') || !/:(?:run|release|resume|retry|cancel)$/.test(id)
    ? {id, argv}
    : {id, argv: [...argv, '--live']};

/** The typed command for a profile with a test key, which needs no --live. */
const withoutLive = ({id, argv}: Typed): Typed => ({id, argv: argv.filter((word) => word !== '--live')});

/** Warns about settings of the service file with which rows are sent again, if nothing shows that they are the same. */
export function warnUnrecorded(context: Context, {journal, plan}: OpenBatch): void {
  const unrecorded = unrecordedSettings(journal, plan, context.codec);
  if (unrecorded === undefined) return;
  const {settings, now} = unrecorded;
  context.out.warn(
    `batch ${plan.batchId} was started by an earlier version of remit, which did not record ${settings} of the service file (now set: ${now.length === 0 ? 'none' : now.join(', ')}). Rows sent before are sent again with the current ones: if any of them has changed since, set it back before you continue`,
  );
}

/**
 * Whether the argument of `run` is a file to plan or the id of a planned batch. A folder is neither.
 * @throws RemitError USAGE if it is both, NO_BATCH if neither
 */
export function fileOrBatch(
  argument: string,
  options: {kind: Kind; stateDir: string; batchId: string | undefined},
): 'file' | 'batch' {
  const {kind, stateDir, batchId} = options;
  const {topic} = KINDS[kind];
  if (argument === '-' || /[/\\]/.test(argument)) return 'file';
  const isFile = isFileName(argument);
  if (batchExists(stateDir, kind, argument)) {
    if (!isFile) return 'batch';
    if (batchId === undefined)
      throw new RemitError('USAGE', `${argument} is both a file and a batch`, {
        hint: (commands) =>
          `for the batch: ${commands.write(topic, 'batch', 'resume', argument)}; for the file: ${commands.write(topic, 'batch', 'run', `./${argument}`)}`,
      });
  }
  if (isFile || batchId !== undefined || existsSync(argument) || /\.\w{1,5}$/.test(argument)) return 'file';
  const ids = batchIds(stateDir, kind);
  // An id that remit made begins with the name of the file. Any short word is near to any other.
  const made = ids.filter((id) => argument !== '' && id.startsWith(`${argument}-`));
  const near = made.length === 1 ? made[0] : argument.length > 3 ? nearest(argument, ids) : undefined;
  const name = argument === '' ? '""' : argument;
  throw new RemitError('NO_BATCH', `${name} is neither a file nor a planned batch`, {
    hint: (commands) => {
      if (near !== undefined)
        return `did you mean ${near}? ${commands.write(topic, 'batch', 'resume', near)}`;
      const list = ids.length === 0 ? '' : `, or a batch of ${commands.read(topic, 'batch', 'list')}`;
      return `name a CSV or .xlsx file: ${commands.write(topic, 'batch', 'run', 'FILE.csv')}${list}; or another state folder with --state-dir`;
    },
  });
}
