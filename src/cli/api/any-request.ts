import type {Result} from '../../client/requests/resource.ts';
import {LIFECYCLES} from '../../contract/lifecycle.ts';
import {asObject, type Json, type JsonValue, receivedFields} from '../../narrow.ts';
import type {ReadRequest} from '../../service/read-request.ts';
import type {Context} from '../core/context.ts';
import type {ChosenKey} from '../doubts/payment.ts';
import type {Commands} from '../line/command-line.ts';
import {noteCreated, unintendedStatus} from '../write/compare.ts';
import type {CreateSteps} from '../write/steps.ts';
import {answeredRecord} from '../../client/answers/record.ts';

/** A request that was typed. */
interface Typed {
  method: string;
  path: string;
  isRaw: boolean;
}

/** The command that shows whether a write took effect. */
export const readCommand = (commands: Commands, {method, path, isRaw}: Typed): string =>
  commands.read('api', 'GET', readPath(method, path), ...(isRaw ? ['--raw'] : []));

/** The path of the write itself, or that of the record it acts on. */
function readPath(method: string, path: string): string {
  const [route = ''] = path.split('?');
  return method === 'POST'
    ? route.replace(/\/[a-z-]+$/, (verb, at: number) => (isId(route, at) ? '' : verb))
    : route;
}

/** Whether the segment before a verb is an id: `/api/payouts/{id}/approve`. */
const isId = (route: string, verbAt: number): boolean => /\/[^/\d]*\d[^/]*$/.test(route.slice(0, verbAt));

/** The effect of an accepted write, for an error that may follow. */
export function effectOf(
  data: Json,
  typed: Typed,
  {idempotencyKey, commands}: {idempotencyKey: string | undefined; commands: Commands},
) {
  const {method, path} = typed;
  const {id = null, status = null} = answeredRecord(data);
  return {
    ...{noun: `request ${method} ${path}`, done: 'was accepted', idempotencyKey},
    ...{id, status},
    next: readCommand(commands, typed),
  };
}

/**
 * Compares the answer to a typed create of a payin or payout with its request.
 * @returns what is wrong with the status of the record, and the command that reads it
 */
export function noteTypedCreate(
  context: Context,
  {noun, resource, isApproved, remember}: CreateSteps,
  {
    read: {operation, isRaw, body},
    result,
    key,
    isFreshKey,
  }: {read: ReadRequest; result: Result<JsonValue>; key: ChosenKey; isFreshKey: boolean},
): {unintended: string | undefined; next: string | undefined} {
  const {data, status} = result;
  const record = answeredRecord(
    isRaw && operation !== undefined ? context.codec.recordIn(operation, data) : data,
  );
  remember(key.memory, {data: record, status});
  const isNew = isFreshKey || (status === 201 && !isApproved);
  const tracked = {resource, lifecycle: LIFECYCLES[noun], noun, isNew};
  const next = record.id && context.commands.read(resource, 'get', record.id);
  noteCreated(context, {noun, resource, asked: asObject(body), record: receivedFields(record), next});
  const meant = isApproved ? 'approved' : 'created';
  return {unintended: unintendedStatus(meant, tracked, {data: record, status}), next};
}
