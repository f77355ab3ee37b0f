import type {ConfigFile} from '../../profiles/profile.ts';
import {editConfig} from '../../profiles/store.ts';

/** Changes the stored profiles under the lock that all our files use. */
export async function changeConfig(
  dir: string,
  edit: (config: ConfigFile) => ConfigFile,
): Promise<ConfigFile> {
  const {acquireLock} = await import('../../store/locks/lock.ts');
  const {syncFolder} = await import('../../store/files/folder.ts');
  const takeLock = (path: string) => acquireLock(path, {purpose: 'a change of the profiles', brief: true});
  return editConfig(dir, {takeLock, syncFolder}, edit);
}
