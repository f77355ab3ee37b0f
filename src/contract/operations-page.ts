import {SERVICE_ERRORS, SHARED_ERRORS} from './error-codes.ts';
import {EVENT_TYPES} from './events.ts';
import {fieldOrigin} from './field-origins.ts';
import {queryProperties, schemaComponents, type Json} from './openapi-schemas.ts';
import {allOperations, type OperationId} from './operations.ts';
import type {Operation} from './operation.ts';
import type {Origin} from './origin.ts';
import {RESOURCES} from './resources.ts';

/** docs/reference/operations.md: every operation with its route, fields, answers and where each fact comes from. */
export function operationsPage(): string {
  const components = schemaComponents();
  const sections = Object.entries(RESOURCES).map(([resource, description]) => {
    const own = allOperations().filter(({id}) => id.startsWith(`${resource}.`));
    return [`## ${resource}`, description, ...own.map((one) => operationText(one, components))].join('\n\n');
  });
  return `${[INTRODUCTION, contents(), ...sections, eventsText(), errorsText(), schemasText(components)].join('\n\n')}\n`;
}

const INTRODUCTION = `# Operations

Written by \`npm run generate\` from the contract in \`src/contract\`; do not edit. The same facts for machines:
[openapi.json](openapi.json).

Each route is *given* by the service's interface document, whose section is named, or *assumed*: then the number is the row of
[assumptions.md](../internals/assumptions.md), and a profile can say otherwise. The same holds for fields. Answers may carry
more fields than are listed; requests may not.`;

const contents = () =>
  table(
    ['Operation', 'Method and path', 'Origin'],
    allOperations().map(({id, operation: {method, path, origin}}) => [
      `[${id}](#${anchor(id)})`,
      `\`${method} ${path}\``,
      originText(origin),
    ]),
  );

function operationText({id, operation}: {id: OperationId; operation: Operation}, components: Json): string {
  const {summary, method, path, origin, prefix, key, body, query, ok, fails} = operation;
  const origins = [
    originText(origin),
    ...(prefix === undefined ? [] : [`its prefix ${originText(prefix.origin)}`]),
  ];
  const answers = Object.entries(ok).map(([status, schema]) =>
    schema === null ? `${status}` : `${status} ${schemaLink(schema)}`,
  );
  const codes = [...SHARED_ERRORS, ...fails].map((code) => `${SERVICE_ERRORS[code].status} \`${code}\``);
  const fields =
    query !== undefined
      ? fieldTable(id, operation, {properties: queryProperties(query)}, components)
      : body === undefined || body === 'Empty'
        ? undefined
        : fieldTable(id, operation, components[body] as Json, components);
  return [
    `### ${id}`,
    `${summary}.`,
    `\`${method} ${path}\` (${origins.join(', ')})`,
    [
      ...(key === undefined ? [] : ['- Takes the header `Idempotency-Key`.']),
      ...(body === 'Empty' ? ['- Body: `{}`.'] : []),
      ...(operation.emptyBody ? ['- The body may be left out.'] : []),
      `- Answers: ${answers.join(', ')}.`,
      `- Errors: ${codes.join(', ')}.`,
    ].join('\n'),
    ...(fields === undefined ? [] : [fields]),
  ].join('\n\n');
}

/** Fields of a request; an object within is opened, a union shows what each of its branches takes. */
function fieldTable(id: OperationId, operation: Operation, schema: Json, components: Json): string {
  const rows = new Map<string, string[]>();
  for (const {name, field, required} of fieldsOf(schema, components)) {
    const from = originText(fieldOrigin(id, name, operation));
    const known = rows.get(name);
    const type = typeText(field, components);
    if (known === undefined) rows.set(name, [`\`${name}\``, type, required, PAGING[name] ?? from]);
    else if (!known[1]!.split(' or ').includes(type)) known[1] += ` or ${type}`;
  }
  const heading = operation.query === undefined ? 'Field' : 'Query';
  return table([heading, 'Type', 'Required', 'Origin'], [...rows.values()]);
}

/** Names that are given, with values that are not. */
const PAGING: Readonly<Record<string, string>> = {
  cursor: 'given (Pagination)',
  order: 'given (Pagination), its values assumed (40)',
  limit: 'given (Pagination), its bounds assumed (41)',
};

interface FieldFacts {
  name: string;
  field: Json;
  /** `yes`, `no`, or what may stand instead. */
  required: string;
}

export function fieldsOf(schema: Json, components: Json, prefix = ''): FieldFacts[] {
  const {
    $ref,
    oneOf,
    anyOf = [],
    properties = {},
    required = [],
  } = schema as {
    $ref?: string;
    oneOf?: Json[];
    anyOf?: {required: string[]}[];
    properties?: Record<string, Json>;
    required?: string[];
  };
  if ($ref !== undefined) return fieldsOf(components[nameIn($ref)] as Json, components, prefix);
  if (oneOf !== undefined) return unionFields(oneOf.map((branch) => fieldsOf(branch, components, prefix)));
  const choice = anyOf.flatMap((branch) => branch.required); // one of them is enough
  const need = (name: string) => {
    if (required.includes(name)) return 'yes';
    const others = choice.filter((other) => other !== name).map((other) => `\`${other}\``);
    return choice.includes(name) ? `this or ${others.join(' or ')}` : 'no';
  };
  return Object.entries(properties).flatMap(([name, field]) => [
    {name: `${prefix}${name}`, field, required: need(name)},
    ...(field['properties'] === undefined ? [] : fieldsOf(field, components, `${prefix}${name}.`)),
  ]);
}

/** A field that only some branches have is required in those alone. */
const unionFields = (branches: readonly FieldFacts[][]): FieldFacts[] =>
  branches.flatMap((fields) =>
    fields.map((fact) => {
      const everywhere = branches.every((other) => other.some(({name}) => name === fact.name));
      return everywhere || fact.name.includes('.') ? fact : {...fact, required: 'depends on `type`'};
    }),
  );

const nameIn = ($ref: string): string => $ref.split('/').at(-1)!;

/** `integer, 1 to 100`, `one of …`, `UUID or null`. */
export function typeText(field: Json, components: Json): string {
  const {$ref, anyOf, type, format, items, deprecated} = field as {
    $ref?: string;
    anyOf?: Json[];
    type?: string | string[];
    format?: string;
    items?: Json;
    deprecated?: boolean;
  };
  const old = deprecated ? ', deprecated' : '';
  if ($ref !== undefined) return partText(nameIn($ref)) + old;
  if (anyOf !== undefined) return anyOf.map((branch) => typeText(branch, components)).join(' or ') + old;
  if (field['const'] !== undefined) return `\`${JSON.stringify(field['const'])}\``;
  if (field['enum'] !== undefined)
    return (field['enum'] as unknown[]).map((value) => `\`${String(value)}\``).join(' or ');
  if (items !== undefined) return `list of ${typeText(items, components)}`;
  const base =
    format === undefined ? [type].flat().join(' or ') : `${[type].flat().join(' or ')} (${format})`;
  return base + boundsText(field) + old;
}

const PARTS: Readonly<Record<string, string>> = {
  Uuid: 'UUID',
  AmountMinor: 'amount in minor units',
  CurrencyCode: 'ISO 4217 code',
  Metadata: 'metadata',
  Timestamp: 'timestamp',
};
const partText = (name: string): string => PARTS[name] ?? schemaLink(name);

function boundsText(field: Json): string {
  const {minimum, maximum, minLength, maxLength} = field as Record<string, number | undefined>;
  const [from, to] = [minimum ?? minLength, maximum ?? maxLength];
  const unit = minLength !== undefined || maxLength !== undefined ? ' characters' : '';
  if (to === Number.MAX_SAFE_INTEGER || (from === undefined && to === undefined)) return '';
  if (from === undefined) return `, up to ${to}${unit}`;
  if (from === 1 && to === undefined && unit !== '') return ', not empty';
  return to === undefined ? `, at least ${from}${unit}` : `, ${from} to ${to}${unit}`;
}

/** What answers hold. */
function schemasText(components: Json): string {
  const named = new Set(allOperations().flatMap(({operation: {ok}}) => Object.values(ok)));
  const held = [...named].flatMap((name) => (name?.endsWith('Page') ? [name, name.slice(0, -4)] : [name]));
  const names = [...new Set([...held, 'Move', 'ErrorBody'])].filter((name) => name !== null).sort();
  return [
    '## Answers',
    ...names.map((name) =>
      [
        `### ${name}`,
        table(
          ['Field', 'Type', 'Always there'],
          fieldsOf(components[name] as Json, components).map(({name: field, field: schema, required}) => [
            `\`${field}\``,
            typeText(schema, components),
            required,
          ]),
        ),
      ].join('\n\n'),
    ),
  ].join('\n\n');
}

const eventsText = () =>
  [
    '## Events',
    'Given by the interface document, "Event types". Each is a POST of `{id, type, data}` to every active endpoint that subscribes to its type.',
    table(
      ['Type', 'When', 'Data'],
      Object.entries(EVENT_TYPES).map(([type, {description, data}]) => [
        `\`${type}\``,
        description,
        `\`${data}\``,
      ]),
    ),
  ].join('\n\n');

const errorsText = () =>
  [
    '## Error codes',
    table(
      ['Code', 'Status', 'Origin'],
      Object.entries(SERVICE_ERRORS).map(([code, {status, origin}]) => [
        `\`${code}\``,
        String(status),
        originText(origin),
      ]),
    ),
  ].join('\n\n');

const originText = (origin: Origin): string =>
  origin.kind === 'given' ? `given (${origin.section})` : `assumed (${origin.row})`;
const anchor = (heading: string) => heading.toLowerCase().replace(/[^a-z0-9-]/g, '');
const schemaLink = (name: string) => `[${name}](#${anchor(name)})`;

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---|').join('')}`, ...rows.map(line)].join('\n');
}
