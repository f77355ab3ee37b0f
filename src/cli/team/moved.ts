import {existsSync, readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {batchFolder} from '../../batch/journal/folder.ts';
import {isBatchId} from '../../batch/model/identity.ts';
import type {Kind} from '../../batch/model/kinds.ts';
import {RemitError} from '../../errors.ts';
import {shellWord} from '../../shell-word.ts';
import {writeFileAtomic} from '../../store/files/atomic-file.ts';
import type {LocalContext} from '../core/context.ts';

const markOf = (stateDir: string, kind: Kind, id: string): string =>
  join(batchFolder(stateDir, kind, id).folder, 'moved.txt');

/** @throws RemitError NO_BATCH for a batch of a folder that was moved to a database */
export function refuseMoved({team}: LocalContext, stateDir: string, kind: Kind, id: string): void {
  if (team !== undefined || !isMovedAway(stateDir, kind, id)) return;
  const to = movedTo(stateDir, kind, id);
  throw new RemitError('NO_BATCH', `batch ${id} was moved to ${to}; nothing was sent`, {
    hint: `name that database: --state ${shellWord(to)}`,
  });
}

/** The address of the database that has the batch now, without a password. */
export const movedTo = (stateDir: string, kind: Kind, id: string): string =>
  readFileSync(markOf(stateDir, kind, id), 'utf8');

/** Whether what a folder has of a batch is only what was left when it was moved away. */
export const isMovedAway = (stateDir: string, kind: Kind, id: string): boolean =>
  isBatchId(id) && existsSync(markOf(stateDir, kind, id));

export function markMoved(stateDir: string, kind: Kind, id: string, to: string | undefined): void {
  const mark = markOf(stateDir, kind, id);
  if (to === undefined) rmSync(mark, {force: true});
  else writeFileAtomic(mark, to);
}
