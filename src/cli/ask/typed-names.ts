import {type IdFormat, isId, isUuid} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {must} from '../../narrow.ts';
import {plainValue} from '../../output/records/view.ts';
import type {Prompts} from '../runtime/prompts.ts';
import {ambiguous, type NamedRecord, searchName, type Searching, withPlainId} from './name-search.ts';
import {namedValuesOf, type TypedFlags} from './questions.ts';

/** A typed name and the record that has it. */
export interface ResolvedName {
  name: string;
  isArgument: boolean;
  label: string;
  typed: string;
  id: string;
  /** `Acme Ltd (0192…)` */
  shown: string;
}

export interface NameSearch extends Searching {
  runtime: {prompts: Prompts};
  profile: {mode: 'test' | 'live'; service: {ids?: {format?: IdFormat | undefined} | undefined}};
}

/**
 * The names among the typed values of a write, each with the id of its record; of several records, the one that is
 * chosen from a list.
 * @throws RemitError NOT_FOUND if no record has the name; USAGE for a part of a name that is not confirmed
 */
export async function resolveTyped<T extends NameSearch>(
  command: string,
  {flags, args}: {flags: TypedFlags; args: TypedFlags},
  {open, beforeSearch}: {open: () => Promise<T>; beforeSearch: (search: T) => void},
): Promise<ResolvedName[]> {
  const resolved: ResolvedName[] = [];
  for (const {name, isArgument = false, label, noun} of namedValuesOf(command)) {
    const typed = isArgument ? args[name] : flags[name];
    if (typeof typed !== 'string' || isUuid(typed)) continue;
    const search = await open();
    if (isId(typed, search.profile.service.ids?.format ?? 'uuid')) continue;
    beforeSearch(search);
    const {found, isExact} = await searchName(search, noun, typed);
    // With --yes nothing is shown before it is sent, so a part of a name could pay someone else.
    if (flags['yes'] === true && (found.length > 1 || !isExact)) throw ambiguous(noun, typed, found);
    const flag = isArgument ? name.toUpperCase() : `--${name}`;
    const chosen = await one(found, {label, flag, prompts: search.runtime.prompts});
    const {id, name: fullName} = withPlainId(noun, chosen);
    resolved.push({
      ...{name, isArgument, label, typed, id},
      shown: `${plainValue(fullName)} (${plainValue(id)})`,
    });
  }
  return resolved;
}

async function one(
  found: readonly NamedRecord[],
  {label, flag, prompts}: {label: string; flag: string; prompts: Prompts},
): Promise<NamedRecord> {
  const [only, ...others] = found;
  if (only !== undefined && others.length === 0) return only;
  const choices = found.map(({id, name, more}) => ({
    value: plainValue(id),
    name: `${plainValue(name)}${more}`,
    description: plainValue(id),
  }));
  const chosen = await prompts.choose(`${label}:`, {choices}, flag);
  return must(
    found.find(({id}) => plainValue(id) === chosen),
    'chosen record',
  );
}

/**
 * The command with ids in place of the names.
 * @throws RemitError USAGE if it is not clear which word is the name
 */
export function withIds(argv: readonly string[], names: readonly ResolvedName[]): string[] {
  const words = [...argv];
  for (const {name, isArgument, typed, id} of names) {
    const end = words.indexOf('--');
    const isFlagValue = (at: number) => end === -1 || at < end;
    const at = isArgument
      ? words.indexOf(typed)
      : words.findIndex(
          (word, at) =>
            isFlagValue(at) &&
            (word === `--${name}=${typed}` || (word === typed && words[at - 1] === `--${name}`)),
        );
    const isUnclear = at === -1 || (isArgument && words.indexOf(typed, at + 1) !== -1);
    if (isUnclear)
      throw new RemitError('USAGE', `${JSON.stringify(typed)} cannot be replaced by its id in the command`, {
        hint: `use the id: ${id}`,
      });
    words[at] = words[at] === typed ? id : `--${name}=${id}`;
  }
  return words;
}
