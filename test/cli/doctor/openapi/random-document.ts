import {isList, isObject} from '../../../../src/narrow.ts';
import {seeded} from '../../../batch/harness.ts';

/** Names that a document may contain, and a service file may not, or only in some places. */
const NAMES = [
  ...[
    'recipient_id',
    'payee id',
    'payee.id',
    '__proto__',
    'constructor',
    'x'.repeat(80),
    '1st',
    '$ref',
    'päyee',
  ],
  ...['limit', 'cursor', 'data', 'status', 'id', '', 'a/b', 'items.next', 'next_cursor', 'amount', 'x-key'],
] as const;
const SEGMENTS = [
  'pay outs',
  'payouts:search',
  'päyouts',
  '..',
  '',
  '{id}',
  '{a}{b}',
  'release',
  'v1',
  '{',
] as const;
/** Values where an object, a list or a text is expected. */
const VALUES: readonly unknown[] = [
  ...[null, 'text', 7, true, [], {}, [null], {$ref: '#/components/schemas/Payout'}, {$ref: '#'}, {$ref: 5}],
  ...[{type: 'string', maxLength: 8}, {type: 'array'}, {allOf: [{$ref: '#/components/schemas/Payee'}]}],
];

/** A document with some of its names, paths and values replaced. The same seed gives the same document. */
export function randomDocument(text: string, seed: number): unknown {
  const random = seeded(seed);
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!; // never empty
  const words = new Map<string, string>();
  const known = [...new Set([...text.matchAll(/"([a-z_]{2,30})":/g)].map(([, name]) => name!))].filter(
    (name) => !STRUCTURE.has(name),
  );
  for (let n = 0; n < 6 * random(); n += 1) words.set(pick(known), pick(NAMES));
  const segments = new Map<string, string>();
  for (let n = 0; n < 3 * random(); n += 1)
    segments.set(
      pick(['api', 'payouts', 'payees', 'treasury', '{id}', 'approve', 'accounts']),
      pick(SEGMENTS),
    );
  const odds = random() < 0.5 ? 0 : random() / 200;
  const changed = (value: unknown, isPath = false): unknown => {
    if (random() < odds) return pick(VALUES);
    if (isList(value)) return value.map((one) => changed(one));
    if (typeof value === 'string') return words.get(value) ?? value;
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, inner]) => {
      const path = name.split('/').map((part) => segments.get(part) ?? part);
      return [isPath ? path.join('/') : (words.get(name) ?? name), changed(inner, name === 'paths')];
    });
    return Object.fromEntries(entries);
  };
  return changed(JSON.parse(text));
}

/** Names of OpenAPI and JSON Schema, which carry the rest. */
const STRUCTURE = new Set(
  'openapi paths components schemas parameters responses content schema properties items type in get post name'.split(
    ' ',
  ),
);
