import {existsSync, readdirSync} from 'node:fs';
import {join} from 'node:path';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';
import {makeFolder as makePrivateFolder} from '../../store/files/folder.ts';
import {isBatchId} from '../model/identity.ts';
import type {Kind} from '../model/kinds.ts';

/** Where one batch is stored: `<state>/batches/payout/<id>/`, with its lock next to it. */
export interface BatchFolder {
  batchId: string;
  root: string;
  folder: string;
  journal: string;
  /** A copy of the journal that others read while a process has the batch. */
  published: string;
  /** Exists while another process asks for such a copy. */
  copyRequest: string;
  status: string;
  lock: string;
}

/** @throws RemitError USAGE for an id that could leave the folder */
export function batchFolder(stateDir: string, kind: Kind, batchId: string): BatchFolder {
  if (!isBatchId(batchId))
    throw new RemitError('USAGE', `"${batchId}" is not a batch id`, {
      hint: 'use up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit',
    });
  const root = join(stateDir, 'batches', kind);
  const folder = join(root, batchId);
  return {
    batchId,
    root,
    folder,
    journal: join(folder, 'journal.db'),
    published: join(folder, 'published.db'),
    copyRequest: join(folder, 'published.asked'),
    status: join(folder, 'status.json'),
    lock: join(root, `${batchId}.lock`),
  };
}

export const batchExists = (stateDir: string, kind: Kind, batchId: string): boolean =>
  isBatchId(batchId) && existsSync(batchFolder(stateDir, kind, batchId).journal);

/** Ids of all batches of a kind, in no particular order. */
export function batchIds(stateDir: string, kind: Kind): string[] {
  const root = join(stateDir, 'batches', kind);
  if (!existsSync(root)) return [];
  return readdirSync(root).filter((name) => batchExists(stateDir, kind, name));
}

/**
 * Creates a private folder and its parents.
 * @throws RemitError STATE with the fix, before anything was sent
 */
export function makeFolder(path: string): void {
  try {
    makePrivateFolder(path);
  } catch (cause) {
    throw new RemitError('STATE', messageOf(cause), {
      cause,
      hint: 'nothing was sent; name a writable folder with --state-dir or REMIT_STATE_DIR',
    });
  }
}
