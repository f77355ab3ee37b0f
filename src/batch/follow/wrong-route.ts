import type {Codec} from '../../client/requests/codec.ts';
import type {Transport} from '../../client/transport/transport.ts';
import {isSuccess} from '../../client/answers/answer.ts';
import {hasRecord} from '../../client/answers/readable.ts';
import {Dialect} from '../../service/dialect.ts';
import {missingRoute} from '../../service/file/assumption.ts';
import type {Wire} from '../answers/wire.ts';
import type {RecordedRow} from '../journal/rows/row.ts';
import {type Kind, KINDS} from '../model/kinds.ts';

const LARGEST_PAGE = 100;

/**
 * Whether the newest records of the row's party include its record, although the service answered 404 to its GET. Then
 * the route of the GET is wrong, and the 404 shows nothing about the record. One GET; false if it cannot be read.
 */
export async function isInList(
  row: RecordedRow,
  by: {wire: Wire; transport: Transport; codec: Codec; signal: AbortSignal},
): Promise<boolean> {
  const {wire, transport, codec, signal} = by;
  const {id} = row.outcome;
  try {
    const request = wire.list(row.party, Math.min(LARGEST_PAGE, codec.service.paging?.max ?? LARGEST_PAGE));
    const {status, json} = codec.read(request, await transport.send({...codec.encode(request), signal}), 0);
    return isSuccess(status) && hasRecord(json, id);
  } catch {
    return false; // the record counts as missing, and nothing is sent for its row
  }
}

/** Message for a 404 about a record that is in the list, with the route to set. */
export function wrongRouteText(id: string, kind: Kind, {service}: Codec): string {
  const {get} = KINDS[kind].operations;
  return `the service answered 404 for a record that it lists: ${missingRoute(get, new Dialect(service).route(get), `${kind} ${id}`).text}`;
}
