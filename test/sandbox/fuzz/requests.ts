import fc from 'fast-check';
import {anyCharacter} from '../../sanitize/any-character.ts';
import {openApiDocument} from '../../../src/contract/openapi/openapi.ts';
import {allOperations, type OperationId} from '../../../src/contract/operations/operations.ts';
import type {Operation} from '../../../src/contract/operations/operation.ts';
import {AWKWARD, BROKEN_JSON} from '../naughty.ts';

type Schema = {[key: string]: unknown};

/** Stands for the id of an earlier answer; which one shows when the request is made. */
export interface IdOf {
  field: string;
  pick: number;
}
export const isIdOf = (value: unknown): value is IdOf =>
  typeof value === 'object' && value !== null && 'pick' in value && 'field' in value;

/** One request, its ids still open. */
export interface Plan {
  id: OperationId;
  operation: Operation;
  params: readonly (IdOf | string)[];
  query: Readonly<Record<string, unknown>>;
  /** What is sent as the body: a value as JSON, or text as it is. */
  body?: {json: unknown} | {text: string};
  headers: Readonly<Record<string, string>>;
  method?: string;
  key: 'test' | 'live' | 'read' | 'none' | 'wrong';
  /** Milliseconds that pass before it. */
  pause: number;
}

const document = openApiDocument() as {
  paths: Record<string, Record<string, Schema>>;
  components: {schemas: Record<string, Schema>};
};

const follow = (schema: Schema): Schema => {
  const ref = schema['$ref'] as string | undefined;
  return ref === undefined ? schema : follow(document.components.schemas[ref.split('/').at(-1)!]!);
};

const idOf = (field: string): fc.Arbitrary<unknown> => fc.record({field: fc.constant(field), pick: fc.nat()});

/** Where any value that a schema allows would be refused for what it means: mostly values that mean something. */
const MEANT: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  currency_code: fc.oneof({weight: 9, arbitrary: fc.constant('USD')}, fc.constantFrom('EUR', 'JPY', 'XXX')),
  country_code: fc.oneof({weight: 9, arbitrary: fc.constant('US')}, fc.constantFrom('DE', 'ZZ')),
  routing_number: fc.oneof(
    {weight: 9, arbitrary: fc.constantFrom('110000000', '790000022', '790000035', '790000051')},
    fc.stringMatching(/^\d{9}$/),
  ),
  account_number: fc.oneof(
    fc.constantFrom('000123456789', '123456789', '11111111', '10001', '10003'),
    fc.stringMatching(/^\d{4,17}$/),
  ),
  iban: fc.constantFrom('DE89370400440532013000', 'DE00'),
  clabe: fc.constantFrom('032180000118359719', '1'),
  sort_code: fc.constantFrom('123456', '1'),
  bsb: fc.constantFrom('062000', '1'),
  institution_number: fc.constantFrom('004', '1'),
  transit_number: fc.constantFrom('12345', '1'),
  holder_name: fc.constantFrom('Elm Works', 'Elm Works', 'Pending', 'Failed', 'Söhne & Co'),
  number: fc.constantFrom('4000056655665556', '4000020000000000', '5555555555554444', '4111111111111112'),
  exp_year: fc.integer({min: 2020, max: 2099}),
  rail: fc.constantFrom('standard_ach', 'same_day_ach', 'wire', 'instant_bank', 'instant_card', 'book'),
  amount_in_minor_units: fc.oneof(
    {weight: 6, arbitrary: fc.integer({min: 1, max: 20_000})},
    fc.constantFrom(5501, 5503, 100_000_001, Number.MAX_SAFE_INTEGER),
  ),
  metadata: fc.oneof(
    fc.constantFrom<unknown>({}, {order: 'A-1'}),
    fc
      .constantFrom(
        ...['approval_fails_207', 'transient_503', 'stuck_initiated', 'fails_after_initiated'],
        ...['fails_after_debited', 'async_202', 'late_return', 'settle_slow'],
      )
      .map((name) => ({'sandbox.scenario': name})),
    fc.dictionary(
      fc.string({minLength: 1, maxLength: 40, unit: 'grapheme-ascii'}),
      fc.string({maxLength: 60}),
      {maxKeys: 5},
    ),
  ),
  description: fc.oneof(
    fc.constantFrom('move_207', 'async_202', 'fails_after_initiated', null, 'Rent of May'),
    fc.string({maxLength: 500}),
  ),
  scheduled_date: fc.constantFrom(null, '2026-03-02', '2026-03-03', '2026-03-08', '2026-12-25', '2024-01-01'),
  url: fc.constantFrom('https://receiver.example/hook', 'https://127.0.0.1:9/', 'https://[::1]/x?y=z'),
  event_types: fc.subarray(['payout.debited', 'payout.settled', 'payout.failed', 'payin.settled'], {
    minLength: 1,
  }),
  email: fc.constantFrom('a@example.com', 'ann.ash+x@mail.example.org'),
  is_active: fc.constant<unknown>(false), // deliveries have tests of their own
  created_from: fc.constantFrom(
    '2026-03-02T00:00:00Z',
    '1960-01-01T00:00:00-05:00',
    '2200-01-01T00:00:00.000Z',
  ),
};

/** Values that a schema allows. */
function valuesOf(schema: Schema, field = ''): fc.Arbitrary<unknown> {
  const own = MEANT[field === 'created_to' ? 'created_from' : field];
  if (own !== undefined) return own;
  if ((field.endsWith('_id') || field === 'id') && field !== '') return idOf(field);
  const at = follow(schema);
  const union = (at['oneOf'] ?? (at['properties'] === undefined ? at['anyOf'] : undefined)) as
    Schema[] | undefined;
  if (union !== undefined) return fc.oneof(...union.map((one) => valuesOf(one, field)));
  if ('const' in at) return fc.constant(at['const']);
  if (Array.isArray(at['enum'])) return fc.constantFrom(...(at['enum'] as unknown[]));
  switch (at['type']) {
    case 'object':
      return objectOf(at);
    case 'array':
      return fc.array(valuesOf(at['items'] as Schema), {minLength: 1, maxLength: 4});
    case 'integer':
      return fc.integer({min: Number(at['minimum'] ?? 1), max: Math.min(Number(at['maximum'] ?? 1e6), 1e6)});
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return textOf(at);
  }
}

function textOf(at: Schema): fc.Arbitrary<unknown> {
  const pattern = at['pattern'] as string | undefined;
  if (pattern !== undefined && !pattern.includes('\\u0000')) return fc.stringMatching(new RegExp(pattern));
  const [minLength, maxLength] = [Number(at['minLength'] ?? 0), Number(at['maxLength'] ?? 60)];
  return fc
    .string({
      minLength,
      maxLength,
      unit: fc.constantFrom('a', 'Z', '0', ' ', 'é', '\u{1d4b3}', '\u202e', '"', '<'),
    })
    .filter((text) => text.trim().length >= minLength && text.length <= maxLength);
}

function objectOf(at: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries((at['properties'] ?? {}) as Record<string, Schema>);
  const required = new Set((at['required'] ?? []) as string[]);
  const isInCents = required.has('amount_in_cents'); // with both amounts it would be refused: they must be equal
  const rarely = new Set([
    isInCents ? 'amount_in_minor_units' : 'amount_in_cents',
    'payout_metadata',
    'subaccount_id',
    'override_default_payment_method_id',
  ]);
  const fields = properties.map(([name, schema]) => {
    const values = valuesOf(schema, name);
    const absent = {weight: rarely.has(name) ? 5 : 1, arbitrary: fc.constant(undefined)};
    return [name, required.has(name) ? values : fc.oneof(absent, {weight: 1, arbitrary: values})] as const;
  });
  return fc.record(Object.fromEntries(fields));
}

const bodySchema = (operation: Operation): Schema | undefined => {
  const at = document.paths[operation.path]![operation.method.toLowerCase()]!;
  const content = at['requestBody'] as {content: Record<string, {schema: Schema}>} | undefined;
  return content?.content['application/json']!.schema;
};

const anyValue = fc.oneof(
  fc.constantFrom<unknown>(...AWKWARD),
  fc.jsonValue({maxDepth: 3}),
  fc.string({unit: anyCharacter}),
);

/** A good body with one field changed, added or left out. */
const almost = (good: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> =>
  fc
    .tuple(good, fc.nat(), fc.option(anyValue, {nil: undefined}), fc.boolean())
    .map(([body, pick, value, add]) => {
      const record = body as Record<string, unknown>;
      const names = Object.keys(record);
      const extra = ['unknown_field', 'constructor', 'toString', 'id', 'status'];
      const name = add || names.length === 0 ? extra[pick % extra.length]! : names[pick % names.length]!;
      return {...record, [name]: value};
    });

function bodiesOf(operation: Operation): fc.Arbitrary<Plan['body']> {
  const schema = bodySchema(operation);
  if (schema === undefined) return fc.constant(undefined);
  const good = valuesOf(schema);
  const json = (values: fc.Arbitrary<unknown>) => values.map((value) => ({json: value ?? null}));
  return fc.oneof(
    {weight: 6, arbitrary: json(good)},
    {weight: 3, arbitrary: json(almost(good))},
    {weight: 1, arbitrary: json(anyValue)},
    {weight: 1, arbitrary: fc.constantFrom(...BROKEN_JSON).map((text) => ({text}))},
  );
}

function queriesOf(operation: Operation): fc.Arbitrary<Plan['query']> {
  const {parameters = []} = document.paths[operation.path]![operation.method.toLowerCase()]! as {
    parameters?: {name?: string; in?: string; schema: Schema}[];
  };
  const known = parameters.filter((one) => one.in === 'query');
  const bad = fc.record(
    {
      limit: fc.constantFrom<unknown>('0', '101', '-1', 'x', '1e2', ''),
      cursor: fc.constantFrom<unknown>('AAAA', '', '\u0000', 'x'.repeat(5000)),
      order: fc.constantFrom<unknown>('up', 'DESC'),
      nothing: fc.constant<unknown>('1'),
      __proto__: fc.constant<unknown>('1'),
    },
    {requiredKeys: []},
  );
  const good: fc.Arbitrary<Record<string, unknown>> = fc.record(
    Object.fromEntries(
      known.map(({name, schema}) => [
        name!,
        name === 'cursor'
          ? fc.oneof({weight: 9, arbitrary: fc.constant(undefined)}, idOf('next_cursor'))
          : valuesOf(schema, name),
      ]),
    ),
    {requiredKeys: []},
  );
  return fc.oneof({weight: 6, arbitrary: good}, {weight: 1, arbitrary: bad});
}

function plansOf(id: OperationId, operation: Operation): fc.Arbitrary<Plan> {
  const names = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  const [resource = ''] = id.split('.');
  const param = (name: string) =>
    fc.oneof(
      {weight: 14, arbitrary: idOf(`${resource}.${name}`) as fc.Arbitrary<IdOf>},
      fc.constantFrom('x', '%00', '..%2f', '018f0000-0000-7000-8000-000000000000', '%ff', '%F0%9F%98%80'),
    );
  const usually = <T>(usual: T, ...rare: T[]) =>
    fc.oneof({weight: 25, arbitrary: fc.constant(usual)}, fc.constantFrom(...rare));
  return fc.record({
    id: fc.constant(id),
    operation: fc.constant(operation),
    params: fc.tuple(...names.map(param)),
    query: queriesOf(operation),
    body: bodiesOf(operation) as fc.Arbitrary<{json: unknown}>,
    headers: fc.record<Record<string, string>>(
      {
        ...(operation.key === undefined
          ? {}
          : {
              'idempotency-key': fc.oneof(
                {weight: 9, arbitrary: fc.integer({min: 1, max: 500}).map((n) => `key-${n}`)},
                fc.constantFrom('a b', 'x'.repeat(300), '~'),
              ),
            }),
        'content-type': usually(
          'application/json',
          'text/plain',
          'application/json; charset=utf-8',
          'nonsense',
        ),
      },
      {requiredKeys: ['content-type']},
    ),
    method: usually<string>(operation.method, 'PUT', 'DELETE', 'OPTIONS', 'HEAD'),
    key: usually<Plan['key']>('test', 'live', 'read', 'none', 'wrong'),
    pause: fc.oneof({weight: 9, arbitrary: fc.constant(0)}, fc.integer({min: 1, max: 5000})),
  });
}

/** Requests to every operation: good ones mostly, almost good ones, broken ones. */
export const plans: fc.Arbitrary<Plan> = fc.oneof(
  ...allOperations().map(({id, operation}) => ({
    weight: operation.method === 'POST' ? 2 : 1,
    arbitrary: plansOf(id, operation),
  })),
);
