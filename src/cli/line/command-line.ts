import {existsSync, statSync} from 'node:fs';
import {resolve} from 'node:path';
import type {CommandBuilder} from '../../errors.ts';
import {shellWord} from '../../shell-word.ts';

/** What a printed command must include to use the same key, folders and namespace as the command that printed it. */
export interface InForce {
  /** The stored profile whose own key is used; undefined if REMIT_API_KEY replaces it. */
  profile: string | undefined;
  mode: 'test' | 'live';
  /** The profile was named by `--profile`, so that the repeated words already include it. */
  named: boolean;
  /** A state folder given by `--state-dir`; commands for a batch must repeat it. */
  stateDir?: string | undefined;
  /** The shared state of a team given by `--state`, without its password. */
  state?: string | undefined;
  /** The namespace of a file; commands that read a file must repeat it. */
  namespace?: string | undefined;
  /** A folder given by `--out`; commands that write results must repeat it. */
  out?: string | undefined;
  /** The batch that the commands are for: `run` with its id needs no namespace. */
  batchId?: string | undefined;
}

/** Verbs of `batch` that read a file, which is in a namespace. */
const READS_A_FILE: ReadonlySet<string | undefined> = new Set(['run', 'plan', 'diff']);

/** Verbs of `batch` that write results. */
const WRITES_RESULTS: ReadonlySet<string | undefined> = new Set([
  ...['run', 'release', 'resume', 'retry', 'cancel', 'report'],
]);

/**
 * Builds every command that is printed, so that each one works when it is typed: with the profile, namespace, folders and
 * `--live` that were used.
 */
export class Commands implements CommandBuilder {
  readonly #inForce: InForce;

  constructor(inForce: InForce) {
    this.#inForce = inForce;
  }

  /** A command that changes nothing. */
  read(...words: readonly string[]): string {
    return ['remit', ...verbAsTyped(words), ...this.#placeOf(words)].map(shellWord).join(' ');
  }

  /** A command that writes: with a live key it needs `--live`; it still asks for confirmation. */
  write(...words: readonly string[]): string {
    return this.read(...words, ...(this.#inForce.mode === 'live' ? ['--live'] : []));
  }

  /** The command that was typed, with changes. */
  again({id, argv}: Typed, changes: {without?: readonly string[]; add?: readonly string[]} = {}): string {
    const add = [...(changes.add ?? []), ...(this.#inForce.named ? [] : this.#profile)];
    return commandLine(id, argv, {...changes, add});
  }

  /** The command that was typed, with another profile. */
  againWith(
    profile: string,
    {id, argv}: Typed,
    {without = [], add = []}: {without?: readonly string[]; add?: readonly string[]} = {},
  ): string {
    return commandLine(id, argv, {without: ['-p', '--profile', ...without], add: [...add, '-p', profile]});
  }

  /** The stored profile that a printed command names. */
  get profile(): string | undefined {
    return this.#inForce.profile;
  }

  /** Commands for one batch, with what its last run was given. */
  forBatch(batch: Pick<InForce, 'profile' | 'mode' | 'namespace' | 'out'> & {batchId: string}): Commands {
    return new Commands({...this.#inForce, ...batch});
  }

  #placeOf([topic, group, verb, argument]: readonly string[]): string[] {
    if (topic === 'profiles' && group !== 'test') return []; // they name their profile
    const {stateDir, state, namespace, out, batchId} = this.#inForce;
    const inFolder = stateDir === undefined ? [] : ['--state-dir', resolve(stateDir)];
    const shared = state === undefined ? [] : ['--state', state];
    if (topic === 'reconcile') return [...shared, ...inFolder, ...this.#profile];
    if (group !== 'batch' || verb === 'template') return [...this.#profile];
    const isFile = READS_A_FILE.has(verb) && argument !== batchId;
    return [
      ...(isFile && namespace !== undefined ? ['--namespace', namespace] : []),
      // A page or a summary file keeps the command, which is then typed in another folder.
      ...(WRITES_RESULTS.has(verb) && out !== undefined ? ['--out', resolve(out)] : []),
      ...shared,
      ...inFolder,
      ...this.#profile,
    ];
  }

  get #profile(): readonly string[] {
    const {profile} = this.#inForce;
    return profile === undefined ? [] : ['-p', profile];
  }
}

/**
 * The batch engine calls `run ID` by its former name, `resume`, wherever a batch goes on. Beside a file with the name of
 * the batch, only that name works.
 */
function verbAsTyped(words: readonly string[]): readonly string[] {
  const [, group, verb, argument = ''] = words;
  return group === 'batch' && verb === 'resume' && !isFileName(argument) ? words.with(2, 'run') : words;
}

/** Whether `run` with this name would read a file. */
export const isFileName = (name: string): boolean => existsSync(name) && !statSync(name).isDirectory();

/** The words that started a command. */
export interface Typed {
  id: string;
  argv: readonly string[];
}

/** Printed without its value, it could not be typed; without it, the command asks for the number. */
const NUMBER_FLAGS = ['--account-number', '--card-number'];

/**
 * The exact words to type: `payouts create --payee … --idempotency-key …`, quoted for a POSIX shell. Account and card
 * numbers are left out.
 */
export function commandLine(
  id: string,
  argv: readonly string[],
  changes: {without?: readonly string[]; add?: readonly string[]} = {},
): string {
  const kept = withoutFlags(argv, [...NUMBER_FLAGS, ...(changes.without ?? [])]);
  const end = kept.indexOf('--');
  const at = end === -1 ? kept.length : end;
  const words = ['remit', ...id.split(':'), ...kept.slice(0, at), ...(changes.add ?? []), ...kept.slice(at)];
  return words.map(shellWord).join(' ');
}

/** Drops flags with a value, in both spellings; `--accept duplicates` drops only `--accept duplicates=…`. */
function withoutFlags(argv: readonly string[], names: readonly string[]): string[] {
  const kept: string[] = [];
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? '';
    if (word === '--') return [...kept, ...argv.slice(at)];
    const [flag = '', ...joined] = word.split('=');
    const value = joined.length > 0 ? joined.join('=') : (argv[at + 1] ?? '');
    const isDropped = names.includes(flag) || names.includes(`${flag} ${value.split('=')[0]}`);
    if (!isDropped) kept.push(word);
    else if (joined.length === 0) at += 1;
  }
  return kept;
}
