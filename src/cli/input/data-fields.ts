import {findOperation} from '../../service/routes.ts';
import {isList, isObject} from '../../narrow.ts';

/**
 * The fields of the bodies of these operations, by their full names: `payee_id`, `bank_account.holder_name`. Loads zod,
 * which checks the body later in any case.
 */
export async function bodyFields(operations: readonly string[]): Promise<Set<string>> {
  const [z, {SCHEMAS}] = await Promise.all([import('zod'), import('../../contract/schemas/registry.ts')]);
  const bodies = operations.flatMap((id) => findOperation(id)?.body ?? []);
  const schemas = bodies.map((name) => z.toJSONSchema(SCHEMAS[name], {io: 'input', unrepresentable: 'any'}));
  return new Set(schemas.flatMap((schema) => namesIn(schema)));
}

function namesIn(schema: unknown, prefix = ''): string[] {
  if (!isObject(schema)) return [];
  const {properties, anyOf, oneOf, allOf} = schema;
  const own = isObject(properties) ? Object.entries(properties) : [];
  return [
    ...own.flatMap(([name, field]) => [`${prefix}${name}`, ...namesIn(field, `${prefix}${name}.`)]),
    ...[anyOf, oneOf, allOf].flatMap((branches) =>
      isList(branches) ? branches.flatMap((branch) => namesIn(branch, prefix)) : [],
    ),
  ];
}
