import type {ServiceRecord} from '../../client/answers/record.ts';
import type {Context} from '../core/context.ts';

type Client = Pick<Context, 'client'>;

export async function readEndpoint(
  {client}: Client,
  id: string,
  signal?: AbortSignal,
): Promise<ServiceRecord> {
  return (await client.record('webhookEndpoints.get', {params: {id}, options: {signal}})).data;
}

/** All endpoints at the service that have an id. */
export async function* listedEndpoints(
  {client}: Client,
  signal?: AbortSignal,
): AsyncGenerator<ServiceRecord & {id: string}> {
  for await (const record of client.records('webhookEndpoints.list', {}, {all: true, signal})) {
    const {id} = record;
    if (id !== undefined) yield {...record, id};
  }
}

/** URLs that are written differently may be equal. */
export const hrefOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** Ids of all endpoints at the service with this URL. */
export async function endpointsAt(context: Client, url: string, signal?: AbortSignal): Promise<string[]> {
  const ids: string[] = [];
  for await (const {id, url: its} of listedEndpoints(context, signal))
    if (its !== undefined && hrefOf(its) === hrefOf(url)) ids.push(id);
  return ids;
}
