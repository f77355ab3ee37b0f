import {join} from 'node:path';
import type {LocalContext} from '../core/context.ts';

/** Where the listener stores what it received. */
export const recordFolder = (local: Pick<LocalContext, 'stateDir'>): string =>
  join(local.stateDir, 'webhooks', 'record');
