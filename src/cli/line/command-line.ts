import type {CommandBuilder} from '../../errors.ts';
import {shellWord} from '../../shell-word.ts';

/** What a printed command must include to use the same key as the command that printed it. */
export interface InForce {
  /** The stored profile whose own key is used; undefined if REMIT_API_KEY replaces it. */
  profile: string | undefined;
  mode: 'test' | 'live';
  /** The profile was named by `--profile`, so that the repeated words already include it. */
  named: boolean;
  /** A state folder given by `--state-dir`; commands for a batch must repeat it. */
  stateDir?: string | undefined;
}

/** Builds the commands that hints print, so that each one works when it is typed. */
export class Commands implements CommandBuilder {
  readonly #inForce: InForce;

  constructor(inForce: InForce) {
    this.#inForce = inForce;
  }

  /** A command that changes nothing. */
  read(...words: readonly string[]): string {
    return ['remit', ...words, ...this.#folderFor(words), ...this.#profile].map(shellWord).join(' ');
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
  againWith(profile: string, {id, argv}: Typed): string {
    return commandLine(id, argv, {without: ['-p', '--profile'], add: ['-p', profile]});
  }

  /** The stored profile that a printed command names. */
  get profile(): string | undefined {
    return this.#inForce.profile;
  }

  #folderFor([, topic]: readonly string[]): readonly string[] {
    const {stateDir} = this.#inForce;
    return topic === 'batch' && stateDir !== undefined ? ['--state-dir', stateDir] : [];
  }

  get #profile(): readonly string[] {
    const {profile} = this.#inForce;
    return profile === undefined ? [] : ['-p', profile];
  }
}

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
