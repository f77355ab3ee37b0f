import {isId} from '../../contract/ids.ts';
import {RemitError} from '../../errors.ts';
import {plainValue} from '../../output/records/view.ts';
import {ambiguous, listOf, type Named, searchName, withPlainId} from '../ask/name-search.ts';
import type {Context} from '../core/context.ts';
import {withDoctor} from '../core/next-step.ts';
import type {JsonFields} from '../../narrow.ts';

/** An id of another form has digits and no spaces; most names do not look like that. */
const mayBeId = (typed: string): boolean => /^[^\s\d]*\d\S*$/.test(typed);
const OTHER_IDS = '; if the ids of this service are not UUIDs, set ids.format to "any" in the service file';

/**
 * The id that was typed, or at a terminal the id of the only record with that name: the whole name in any case, or
 * part of it. Scripts give ids, because a name can become ambiguous.
 * @throws RemitError USAGE without a terminal, or for several candidates, which it lists; NOT_FOUND for none
 */
export async function resolveId(context: Context, noun: Named, typed: string): Promise<string> {
  const {out, profile} = context;
  if (isId(typed, profile.service.ids?.format ?? 'uuid')) return typed;
  if (!out.isTerminal) return requireId(context, noun, typed);
  const {found} = await searchName(context, noun, typed);
  const [only] = found;
  if (only === undefined || found.length > 1) throw ambiguous(noun, typed, found);
  const {id, name} = withPlainId(noun, only);
  out.note(`${noun} ${plainValue(name)}: ${id}`);
  return id;
}

/**
 * The id for a write. At a terminal a name was replaced by its id before, when the command was confirmed.
 * @throws RemitError USAGE for a name
 */
export function requireId(
  {profile, commands}: Pick<Context, 'profile' | 'commands'>,
  noun: Named,
  typed: string,
): string {
  if (isId(typed, profile.service.ids?.format ?? 'uuid')) return typed;
  const find = `find the id with ${listOf(commands, noun)}`;
  throw new RemitError(
    'USAGE',
    `${JSON.stringify(typed)} is not the id of a ${noun}; names are looked up only at a terminal`,
    {hint: mayBeId(typed) ? withDoctor(`${find}${OTHER_IDS}`, commands) : find},
  );
}

/** The same for the fields of a body that contain ids; fields that are left out are not checked. */
export function requireIds(
  context: Pick<Context, 'profile' | 'commands'>,
  body: JsonFields,
  fields: Readonly<Record<string, Named>>,
): void {
  for (const [field, noun] of Object.entries(fields)) {
    const typed = body[field];
    if (typeof typed === 'string') requireId(context, noun, typed);
  }
}
