import {operationOf} from '../../service/routes.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import type {SchemaName} from '../../contract/schemas/registry.ts';
import type {KnownFields} from '../../output/records/known-fields.ts';
import {COMMAND_OPERATIONS} from './command-operations.ts';

/** Verbs that change nothing: for them an unknown field is an error; after a change there can only be a warning. */
const READS: ReadonlySet<string> = new Set(
  (
    'get list find show status accounts balance transactions event-types whoami keys magic clock wait test ' +
    'explain commands schema help completion'
  ).split(' '),
);

/** Whether a command changes nothing, so that it may still be refused after its answer has arrived. */
export const readsRecords = (command: string): boolean =>
  READS.has(command.slice(command.lastIndexOf(':') + 1));

/** The keywords of JSON Schema that say which fields a record may have. */
export interface AnswerSchema {
  properties?: Record<string, AnswerSchema>;
  items?: AnswerSchema;
  anyOf?: AnswerSchema[];
  oneOf?: AnswerSchema[];
  allOf?: AnswerSchema[];
  additionalProperties?: unknown;
}

/**
 * The fields that the answer of a command may have, according to the contract. Loads zod, so only if `--fields` was
 * typed.
 */
export async function answerFields(command: string): Promise<KnownFields> {
  const onUnknown = readsRecords(command) ? 'refuse' : 'warn';
  const names = (COMMAND_OPERATIONS[command] ?? []).flatMap(answersOf);
  if (names.length === 0) return {paths: [], onUnknown};
  const [z, {SCHEMAS}] = await Promise.all([import('zod'), import('../../contract/schemas/registry.ts')]);
  const paths = names.flatMap((name) => {
    const schema = z.toJSONSchema(SCHEMAS[name], {
      io: 'output',
      unrepresentable: 'any',
      reused: 'inline',
    }) as AnswerSchema;
    return pathsOf(recordOf(schema), '');
  });
  return {paths: [...new Set(paths)], onUnknown};
}

const answersOf = (id: OperationId): SchemaName[] =>
  Object.values(operationOf(id).ok).filter((name) => name !== null);

/** The schema of one record of a page or list. */
const recordOf = (schema: AnswerSchema): AnswerSchema =>
  schema.properties?.['data']?.items ?? schema.items ?? schema;

/** The dotted paths that a JSON Schema declares; `x.*` if the names below x are free. */
export function pathsOf(schema: AnswerSchema, prefix: string): string[] {
  const {anyOf = [], oneOf = [], allOf = [], properties = {}, additionalProperties: rest} = schema;
  const branches = [...anyOf, ...oneOf, ...allOf];
  // Every object may have more than the declared fields; if none or a whole map is declared, the names are free.
  const free =
    typeof rest === 'object' && (Object.keys(properties).length === 0 || Object.keys(rest ?? {}).length > 0);
  return [
    ...branches.flatMap((branch) => pathsOf(branch, prefix)),
    ...(free && prefix !== '' ? [`${prefix}.*`] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => {
      const path = prefix === '' ? name : `${prefix}.${name}`;
      return [path, ...pathsOf(inner, path)];
    }),
  ];
}
