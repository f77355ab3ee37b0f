import {RemitClient} from '../../../src/client/client.ts';
import type {ListOptions} from '../../../src/client/reading/listing.ts';
import type {OperationId} from '../../../src/contract/operations/operations.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {FakeTransport, answer} from '../transport/fake-transport.ts';
import type {JsonFields} from '../../../src/narrow.ts';

type Json = JsonFields;

/** Reads a list of one page: the ids of the delivered items, the path and the warnings. */
export async function readList(
  id: OperationId,
  query: Json,
  {items, service, ...options}: ListOptions & {items: readonly unknown[]; service?: ServiceFile},
) {
  const transport = new FakeTransport([answer(200, {data: items, next_cursor: null})]);
  const key = 'test_abcdefghijklmnop';
  const client = new RemitClient({baseUrl: 'https://api.example.com', key, transport, service});
  const warnings: (string | undefined)[] = [];
  const onWarning = ({text}: {text: string | undefined}) => warnings.push(text);
  const listed = await client.list(id, query, {onWarning, ...options}).toArray();
  return {ids: listed.map((item) => (item as Json)['id']), path: transport.requests[0]?.path, warnings};
}
