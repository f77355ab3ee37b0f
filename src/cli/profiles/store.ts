import type {ConfigFile} from '../../profiles/profile.ts';
import {editConfig} from '../../profiles/store.ts';

/** Changes the stored profiles under the lock that all our files use. */
export async function changeConfig(
  dir: string,
  edit: (config: ConfigFile) => ConfigFile,
): Promise<ConfigFile> {
  const {acquireLock} = await import('../../store/lock.ts');
  return editConfig(dir, (path) => acquireLock(path, {purpose: 'a change of the profiles'}), edit);
}
