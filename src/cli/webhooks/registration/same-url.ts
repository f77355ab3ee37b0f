import type {Context} from '../../core/context.ts';

/** URLs that are written differently may be equal. */
export const hrefOf = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);

/** Ids of all endpoints at the service with this URL. */
export async function endpointsAt(
  {client}: Pick<Context, 'client'>,
  url: string,
  signal?: AbortSignal,
): Promise<string[]> {
  const ids: string[] = [];
  for await (const endpoint of client.records('webhookEndpoints.list', {}, {all: true, signal})) {
    const {id, url: itsUrl} = endpoint;
    if (id !== undefined && itsUrl !== undefined && hrefOf(itsUrl) === hrefOf(url)) ids.push(id);
  }
  return ids;
}
