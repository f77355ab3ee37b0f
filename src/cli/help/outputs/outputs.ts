import {BATCH} from './batch.ts';
import type {Printed} from './forms.ts';
import {LOCAL} from './local.ts';
import {RECONCILE} from './reconcile.ts';
import {SANDBOX} from './sandbox.ts';
import {SERVICE} from './service.ts';
import {WEBHOOKS} from './webhooks.ts';

/**
 * What each command prints with `-o json` and `-o ndjson`, by its id. `remit schema` and docs/reference/output.schema.json
 * show it, and the tests hold every command to it. Loads zod: import it lazily.
 */
export const OUTPUTS: Readonly<Record<string, Printed>> = {
  ...SERVICE,
  ...BATCH,
  ...LOCAL,
  ...RECONCILE,
  ...SANDBOX,
  ...WEBHOOKS,
};
