import {existsSync} from 'node:fs';
import {RemitError} from '../../../errors.ts';
import {lifeOf, systemProbe} from '../../../store/locks/lock-holder.ts';
import type {Context} from '../../core/context.ts';
import {lockFile, lockNote, notedEndpoints, ownerOf, readNote, type HeldEndpoint} from './endpoint-note.ts';

/**
 * Locks the endpoints that killed listeners left at this service, in this mode, for this profile. Another listener
 * that starts at the same time gets none of them. The caller releases the locks of those that it does not use.
 */
export async function claimLeftOvers(context: Context): Promise<HeldEndpoint[]> {
  const {profile} = context;
  const held: HeldEndpoint[] = [];
  try {
    for (const {file, note} of notedEndpoints(context)) {
      if (note.base_url !== profile.baseUrl || note.mode !== profile.mode) continue;
      const life = lifeOf(note.holder, systemProbe);
      // On another machine, or before a restart of this one, only the heartbeat of its lock shows that it has ended.
      if (life === 'alive' || (life === 'unknown' && !existsSync(lockFile(file)))) continue;
      if (note.owner !== undefined && note.owner !== ownerOf(profile)) {
        if (life === 'dead') nameForeign(context, note.endpoint_id, note.owner);
        continue;
      }
      const one = await claim(context, file);
      if (one !== undefined) held.push(one);
    }
  } catch (error) {
    await releaseAll(held);
    throw error;
  }
  return held;
}

export const releaseAll = async (held: readonly HeldEndpoint[]): Promise<void> => {
  for (const {lock} of held) await lock.release();
};

/** Undefined if another listener has it, or has removed it in the meantime. */
async function claim(context: Context, file: string): Promise<HeldEndpoint | undefined> {
  let lock: HeldEndpoint['lock'];
  try {
    lock = await lockNote(context, file);
  } catch (error) {
    if (error instanceof RemitError && error.code === 'LOCKED') return undefined;
    throw error;
  }
  const noted = readNote(file);
  if (noted !== undefined) return {...noted, lock};
  await lock.release();
  return undefined;
}

/** It may belong to another entity of the service, so this profile does not touch it. */
function nameForeign(context: Context, id: string | null, owner: string): void {
  if (id === null) return;
  const who = owner.startsWith('key ') ? 'another key' : `the ${owner}`;
  context.out.note(
    `A killed listener with ${who} left the endpoint ${id}. A listener that starts with ${who} uses it again or removes it.`,
  );
}
