import type {Queries, SqlRow, Store} from '../../store/port/port.ts';
import {text} from '../base/rows.ts';
import {
  INSERT_UNLESS_TAKEN,
  findTransfer,
  insertTransfer,
  toTransfer,
  type NewTransfer,
  type Transfer,
  type TransferKind,
} from '../records/transfer.ts';
import type {KeyIndex, KeyScope} from '../world/key-index.ts';
import {listEntities} from './entities.ts';

export const keyIndexFor = (dialect: Store['dialect']): KeyIndex =>
  dialect === 'sqlite' ? new RememberedKeys() : STORED_KEYS;

/**
 * PostgreSQL has its own index, because several processes share it: of two concurrent creates, the second waits (48).
 */
const STORED_KEYS: KeyIndex = {
  insert: async (queries, transfer) => (await insertTransfer(queries, transfer, INSERT_UNLESS_TAKEN)) === 1,
  find: async (queries, {entityId, kind, key}) => {
    const row = await queries.get(
      'select * from transfers where entity_id = ? and kind = ? and idempotency_key = ?',
      [entityId, kind, key],
    );
    return row && toTransfer(row);
  },
  learn: () => Promise.resolve(),
  begin: () => Promise.resolve(),
};

/** The ids that have a key, had it, or were about to have it, separated by spaces; by key. */
type Ids = Map<string, string>;
/** The keys by entity. */
type Known = Map<string, Record<TransferKind, Ids>>;

/** Number of records read at once. */
const CHUNK = 5000;

/**
 * The keys of a store that belongs to this process, in memory: most are random, and an index in the database would
 * cost each create a page or two of the log. About 160 bytes per key.
 *
 * It only says where to look: the record is read, and has the key or not. So a superfluous id is harmless, for
 * example after a change that was undone or a record that was deleted; a missing one would let a key be used twice.
 * Therefore ids are added before their record can be committed, and removed only by `begin`, which reads what is
 * committed, with no concurrent change.
 */
class RememberedKeys implements KeyIndex {
  #known: Known = new Map();

  async insert(queries: Queries, transfer: NewTransfer): Promise<boolean> {
    const {entityId, kind, id, idempotencyKey: key} = transfer;
    if (key !== null) {
      const ids = idsOf(this.#known, entityId, kind);
      const before = ids.get(key);
      if (before !== undefined && (await this.find(queries, {entityId, kind, key}))) return false;
      ids.set(key, before === undefined ? id : `${before} ${id}`);
    }
    await insertTransfer(queries, transfer);
    return true;
  }

  async find(queries: Queries, {entityId, kind, key}: KeyScope): Promise<Transfer | undefined> {
    const ids = idsOf(this.#known, entityId, kind).get(key);
    if (ids === undefined) return undefined;
    for (const id of ids.split(' ')) {
      const transfer = await findTransfer(queries, {entityId, kind, id});
      if (transfer?.idempotencyKey === key) return transfer;
    }
    return undefined;
  }

  learn(queries: Queries): Promise<void> {
    return fill(this.#known, queries);
  }

  async begin(queries: Queries): Promise<void> {
    const known: Known = new Map();
    await fill(known, queries);
    this.#known = known;
  }
}

function idsOf(known: Known, entityId: string, kind: TransferKind): Ids {
  let of = known.get(entityId);
  if (of === undefined) {
    of = {payin: new Map(), payout: new Map()};
    known.set(entityId, of);
  }
  return of[kind];
}

function add(ids: Ids, key: string, id: string): void {
  const before = ids.get(key);
  if (before === undefined) ids.set(key, id);
  else if (!before.includes(id)) ids.set(key, `${before} ${id}`);
}

/**
 * Neither keys nor ids contain spaces, so the pairs of many records are read as one text: row by row takes three
 * times as long.
 */
const PAIRS = `
select max(id) as last, group_concat(idempotency_key || ' ' || id, ' ') as pairs from (
  select id, idempotency_key from transfers where entity_id = ? and kind = ? and id > ? order by id limit ${CHUNK})`;

async function fill(known: Known, queries: Queries): Promise<void> {
  for (const {id: entityId} of await listEntities(queries))
    for (const kind of ['payin', 'payout'] as const) {
      const ids = idsOf(known, entityId, kind);
      const next = (after: string) => queries.get(PAIRS, [entityId, kind, after]);
      for (let row = await next(''); row && row['last'] !== null; row = await next(text(row, 'last')))
        addPairs(ids, row);
    }
}

function addPairs(ids: Ids, row: SqlRow): void {
  if (row['pairs'] === null) return; // none of these records has a key
  const pairs = text(row, 'pairs').split(' ');
  let key: string | undefined;
  for (const part of pairs) {
    if (key === undefined) key = part;
    else {
      add(ids, key, part);
      key = undefined;
    }
  }
}
