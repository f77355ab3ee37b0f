import type {Result} from '../client/resource.ts';
import {validateBody} from '../client/validate.ts';
import type {OperationId} from '../contract/operations.ts';
import type {Context} from './context.ts';
import type {WriteFacts} from './guard.ts';
import {showPreview, type DryRun} from './previews.ts';

/** A write for which no idempotency key is documented. */
export interface Write {
  operation: OperationId;
  params?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  dryRun: boolean | undefined;
  facts: WriteFacts | (() => Promise<WriteFacts>);
  /** The read that tells whether it took effect, should its answer be lost. */
  settledBy: string;
}

/**
 * Checks a write here, guards it and sends it, never twice: after a lost answer it ends in doubt (exit 12), and the hint
 * names the read that settles it. A dry run shows the request instead.
 */
export async function sendOnce(
  context: Context,
  write: Write,
): Promise<{dryRun: DryRun} | {dryRun?: undefined; result: Result<unknown>}> {
  const {client, out, stop} = context;
  const {operation, params, body, facts, settledBy} = write;
  if (body !== undefined) await validateBody(operation, body);
  const hint = `see whether it took effect before you repeat it: ${settledBy}`;
  const input = {params, body, options: {signal: stop.signal, hint}};
  if (write.dryRun) return {dryRun: showPreview(out, client.preview(operation, input))};
  await context.guardWrite(typeof facts === 'function' ? await facts() : facts);
  return {result: await client.call(operation, input)};
}

/** True where a guard would ask or check more than whether writes are allowed: the record is worth a read first. */
export const needsFacts = ({profile}: Context): boolean =>
  !profile.readOnly && (profile.mode === 'live' || Object.keys(profile.caps).length > 0);
