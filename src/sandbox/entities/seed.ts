import {createHash} from 'node:crypto';
import type {Queries, SqlValue, Store} from '../../store/port/port.ts';
import type {Entity} from '../world/context.ts';
import {formatV7} from '../base/ids.ts';
import type {PartyKind} from '../records/party.ts';
import type {ReadyParty, Seeded} from '../base/shown-records.ts';

/** The time in the ids of seeded parties, so that a seed gives the same ids on every day. */
const SEED_EPOCH_MS = Date.UTC(2026, 0, 1);
const PARTIES_PER_INSERT = 20;
const PARTIES_PER_COMMIT = 1000;

export interface SeedRequest {
  payees: number;
  payers: number;
  /** Equal seeds give equal ids and names; seeding again changes nothing. */
  seed: string;
}

/** Creates parties, each with a verified default bank account. */
export async function seedStore(store: Store, entity: Entity, request: SeedRequest): Promise<Seeded> {
  return {
    payees: await seedKind(store, entity, 'payee', request.payees, request.seed),
    payers: await seedKind(store, entity, 'payer', request.payers, request.seed),
  };
}

const FIRST = [
  'Alder',
  'Birch',
  'Cedar',
  'Dogwood',
  'Elm',
  'Fir',
  'Ginkgo',
  'Hazel',
  'Juniper',
  'Larch',
  'Maple',
  'Oak',
];
const SECOND = [
  'Bakery',
  'Carpentry',
  'Dairy',
  'Freight',
  'Glass',
  'Joinery',
  'Press',
  'Roofing',
  'Tiles',
  'Works',
];

function partyNumber(
  entity: Entity,
  kind: PartyKind,
  index: number,
  seed: string,
): ReadyParty & {last4: string} {
  const bytes = createHash('sha256').update(`${seed}/${entity.mode}/${kind}/${index}`).digest();
  const [first = 0, second = 0] = bytes;
  const name = `${FIRST[first % FIRST.length]} ${SECOND[second % SECOND.length]} ${index + 1}`;
  const ms = SEED_EPOCH_MS + (index >> 12); // 4096 ids per millisecond, in order
  return {
    id: formatV7(ms, index & 0xfff, bytes.subarray(2, 10)),
    payment_method_id: formatV7(ms, index & 0xfff, bytes.subarray(10, 18)),
    name,
    last4: String(index % 10_000).padStart(4, '0'),
  };
}

async function seedKind(store: Store, entity: Entity, kind: PartyKind, count: number, seed: string) {
  const made = Array.from({length: count}, (_, index) => partyNumber(entity, kind, index, seed));
  for (let from = 0; from < made.length; from += PARTIES_PER_COMMIT) {
    const group = made.slice(from, from + PARTIES_PER_COMMIT);
    await store.write(async (queries) => {
      for (let at = 0; at < group.length; at += PARTIES_PER_INSERT)
        await insertParties(queries, entity, kind, group.slice(at, at + PARTIES_PER_INSERT));
    });
  }
  return made.map(({id, payment_method_id, name}) => ({id, payment_method_id, name}));
}

async function insertParties(
  queries: Queries,
  entity: Entity,
  kind: PartyKind,
  parties: readonly (ReadyParty & {last4: string})[],
): Promise<void> {
  const t = SEED_EPOCH_MS;
  const rails = JSON.stringify(['instant_bank', 'same_day_ach', 'standard_ach', 'wire']);
  await insertMany(
    queries,
    'parties (entity_id, kind, id, name, email, type, metadata, created_ms, updated_ms)',
    parties.map(({id, name}) => [entity.id, kind, id, name, null, 'business', '{}', t, t]),
  );
  await insertMany(
    queries,
    `payment_methods (owner_id, id, owner_kind, entity_id, type, country_code, currency_code, status, is_default, last4,
       routing_last4, institution, rails, behaviour, created_ms, updated_ms, deleted_ms)`,
    parties.map(({id, payment_method_id: method, last4}) => [
      ...[id, method, kind, entity.id, 'bank_account', 'US', 'USD', 'verified', 1, last4],
      ...['0000', 'Sandbox Test Bank', rails, null, t, t, null],
    ]),
  );
}

async function insertMany(queries: Queries, into: string, rows: readonly SqlValue[][]): Promise<void> {
  const [first = []] = rows;
  const one = `(${first.map(() => '?').join(', ')})`;
  await queries.run(
    `insert into ${into} values ${rows.map(() => one).join(', ')} on conflict do nothing`,
    rows.flat(),
  );
}
