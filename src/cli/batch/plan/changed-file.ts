import {statSync} from 'node:fs';
import {join} from 'node:path';
import {sha256Of} from '../../../batch/input/file-hash.ts';
import type {Plan} from '../../../batch/model/plan-facts.ts';

/** The file that a plan was made from, if it still exists and has changed. */
export function changedFile({file}: Plan): string | undefined {
  if (file.path === '-') return undefined;
  const path = join(file.folder, file.name);
  try {
    const found = statSync(path, {throwIfNoEntry: false});
    if (found?.isFile() !== true) return undefined;
    return found.size === file.bytes && sha256Of(path) === file.sha256 ? undefined : path;
  } catch {
    return undefined; // the file is no longer needed, so it need not be readable
  }
}
