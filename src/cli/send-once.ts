import {unwrapRecord} from '../client/readable.ts';
import type {Result} from '../client/resource.ts';
import {validateBody} from '../client/validate.ts';
import type {OperationId} from '../contract/operations.ts';
import {RemitError} from '../errors.ts';
import {valueAt} from '../output/select.ts';
import type {Context} from './context.ts';
import type {WriteFacts} from './guard/facts.ts';
import {showPreview, type DryRun} from './previews.ts';

/** A write for which no idempotency key is documented. */
export interface Write {
  operation: OperationId;
  params?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  dryRun: boolean | undefined;
  facts: WriteFacts | (() => Promise<WriteFacts>);
  /** Told once the guard has let it pass, before it leaves. */
  announce?: string;
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
  const {operation, params, body, facts, announce, settledBy} = write;
  if (body !== undefined) await validateBody(operation, body);
  const hint = `see whether it took effect before you repeat it: ${settledBy}`;
  const input = {params, body, options: {signal: stop.signal, hint}};
  if (write.dryRun) return {dryRun: showPreview(out, client.preview(operation, input))};
  await context.guardWrite(typeof facts === 'function' ? await facts() : facts);
  if (announce !== undefined) out.note(announce);
  const result = await client.call(operation, input);
  if (operation.endsWith('.create') && !namesRecord(result.data))
    throw withoutRecord(operation, result, hint);
  return {result};
}

/** A creation must say which record it made; without an id the record would be lost. */
function namesRecord(answer: unknown): boolean {
  const id = valueAt(unwrapRecord(answer), 'id');
  return typeof id === 'string' && id !== '';
}

const withoutRecord = (operation: OperationId, {status, requestId}: Result<unknown>, hint: string) =>
  new RemitError(
    'IN_DOUBT',
    `${operation}: in doubt, it may have taken effect: the service answered ${status}, but without the record`,
    {hint, httpStatus: status, requestId, retryable: false, details: {may_have_taken_effect: true}},
  );
