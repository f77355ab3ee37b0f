import {OPERATIONS, type OperationId} from '../../contract/operations.ts';
import type {Operation} from '../../contract/operation.ts';
import type {SchemaName} from '../../contract/schemas/registry.ts';
import type {KnownFields} from '../../output/known-fields.ts';
import {COMMAND_OPERATIONS} from './command-operations.ts';

/** Verbs that change nothing: for them an unknown field is an error; after a change there can only be a warning. */
const READS: ReadonlySet<string> = new Set(
  'get list show status accounts balance transactions event-types whoami keys magic clock wait test'.split(
    ' ',
  ),
);

/** Whether a command changes nothing, so that it may still be refused after its answer has arrived. */
export const isRead = (command: string): boolean => READS.has(command.split(':').at(-1)!);

type Json = {[key: string]: unknown};

/**
 * The fields that the answer of a command may have, according to the contract. Loads zod, so only if `--fields` was
 * typed.
 */
export async function answerFields(command: string): Promise<KnownFields> {
  const onUnknown = isRead(command) ? 'refuse' : 'warn';
  const names = (COMMAND_OPERATIONS[command] ?? []).flatMap(answersOf);
  if (names.length === 0) return {paths: [], onUnknown};
  const [z, {SCHEMAS}] = await Promise.all([import('zod'), import('../../contract/schemas/registry.ts')]);
  const paths = names.flatMap((name) => {
    const schema = z.toJSONSchema(SCHEMAS[name], {
      io: 'output',
      unrepresentable: 'any',
      reused: 'inline',
    }) as Json;
    return pathsOf(recordOf(schema), '');
  });
  return {paths: [...new Set(paths)], onUnknown};
}

function answersOf(id: OperationId): SchemaName[] {
  const [resource = '', verb = ''] = id.split('.');
  const operations = OPERATIONS as unknown as Readonly<Record<string, Readonly<Record<string, Operation>>>>; // by name
  return Object.values(operations[resource]![verb]!.ok).filter((name) => name !== null);
}

/** The schema of one record of a page or list. */
function recordOf(schema: Json): Json {
  const data = (schema['properties'] as Json | undefined)?.['data'] as Json | undefined;
  return (data?.['items'] ?? schema['items'] ?? schema) as Json;
}

/** The dotted paths that a JSON Schema declares; `x.*` if the names below x are free. */
export function pathsOf(schema: Json, prefix: string): string[] {
  const branches = ['anyOf', 'oneOf', 'allOf'].flatMap((word) => (schema[word] ?? []) as Json[]);
  const rest = schema['additionalProperties'];
  // Every object may have more than the declared fields; if none or a whole map is declared, the names are free.
  const free =
    typeof rest === 'object' &&
    (Object.keys(schema['properties'] ?? {}).length === 0 || Object.keys(rest ?? {}).length > 0);
  return [
    ...branches.flatMap((branch) => pathsOf(branch, prefix)),
    ...(free && prefix !== '' ? [`${prefix}.*`] : []),
    ...Object.entries((schema['properties'] ?? {}) as Record<string, Json>).flatMap(([name, inner]) => {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      return [path, ...pathsOf(inner, path)];
    }),
  ];
}
