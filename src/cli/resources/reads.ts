import type {Result} from '../../client/requests/resource.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import type {Context} from '../core/context.ts';
import {noteNotShown} from '../write/compare.ts';
import type {ServiceRecord} from '../../client/answers/record.ts';
import {receivedFields} from '../../narrow.ts';

/** Prints the warning of a read. A 207 means that the answer is incomplete: the command exits with 8. */
export const warnOf =
  ({out, effects}: Pick<Context, 'out' | 'effects'>, what = 'the list') =>
  ({status, text}: {status: number; text: string | undefined}): void => {
    out.warn(text ?? `the service answered 207 without a warning: ${what} may be incomplete`);
    if (status === 207) effects.tookPartly();
  };

/** The data of the answer to a read; prints its warning, if it has one. */
export function answered<T>(
  context: Pick<Context, 'out' | 'effects'>,
  {data, status, warning}: Pick<Result<T>, 'data' | 'status' | 'warning'>,
): T {
  if (status === 207 || warning !== undefined) warnOf(context, 'the answer')({status, text: warning});
  return data;
}

/** Reads one record; prints the warning of the answer, if it has one. */
export async function readRecord(
  context: Pick<Context, 'client' | 'stop' | 'out' | 'effects'>,
  operation: OperationId,
  params: Readonly<Record<string, string>>,
): Promise<ServiceRecord> {
  const {client, stop} = context;
  return answered(context, await client.record(operation, {params, options: {signal: stop.signal}}));
}

/** Warns, and makes the command exit with 8, if a record lacks the fields that it was read for. */
export function noteUnread(
  context: Pick<Context, 'out' | 'effects' | 'commands'>,
  record: ServiceRecord,
  {resource, fields}: {resource: string; fields: readonly string[]},
): void {
  const received = receivedFields(record);
  const missing = fields.filter((field) => received[field] === undefined);
  noteNotShown(context, {named: undefined, resource, fields: missing, next: undefined});
}
