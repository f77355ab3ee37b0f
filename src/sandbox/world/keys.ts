import type {Mode} from '../../contract/mode.ts';
import type {Queries, Store} from '../../store/port/port.ts';
import type {Entity} from './context.ts';
import type {RandomBytes} from '../base/random.ts';
import {text, word} from '../base/rows.ts';

/** `read` keys get 403 on every write (assumption 61). */
export type KeyRights = 'full' | 'read';

export interface KeyHolder {
  entity: Entity;
  scope: KeyRights;
}

export interface IssuedKey {
  /** The whole key: the sandbox's own keys work only with the sandbox. */
  key: string;
  entity_id: string;
  mode: Mode;
  scope: KeyRights;
}

/** `test_sandbox_…` or `live_sandbox_…`, so that a key of the real service can never be mistaken for one of these. */
function newKey(mode: Mode, random: RandomBytes): string {
  return `${mode}_sandbox_${Buffer.from(random(18)).toString('base64url')}`;
}

/** What the text of a key shows; null if it is not a sandbox key. */
export const modeOfKey = (key: string | undefined): Mode | null =>
  key?.startsWith('test_') ? 'test' : key?.startsWith('live_') ? 'live' : null;

export async function issueKey(
  queries: Queries,
  issue: {entity: Entity; scope: KeyRights; random: RandomBytes; nowMs: number},
): Promise<IssuedKey> {
  const key = newKey(issue.entity.mode, issue.random);
  await queries.run('insert into api_keys (value, entity_id, scope, created_ms) values (?, ?, ?, ?)', [
    key,
    issue.entity.id,
    issue.scope,
    issue.nowMs,
  ]);
  return {key, entity_id: issue.entity.id, mode: issue.entity.mode, scope: issue.scope};
}

export async function listKeys(queries: Queries): Promise<IssuedKey[]> {
  const rows = await queries.all(
    `select api_keys.value, api_keys.scope, entities.id, entities.mode from api_keys
     join entities on entities.id = api_keys.entity_id order by api_keys.created_ms, api_keys.scope, entities.mode desc`,
  );
  return rows.map((row) => ({
    key: text(row, 'value'),
    entity_id: text(row, 'id'),
    mode: word<Entity['mode']>(row, 'mode'), // written by us only, as is the scope
    scope: word<KeyRights>(row, 'scope'),
  }));
}

/** The entity of a key. Found keys are cached in memory: they are looked up on every request. */
export class KeyRing {
  readonly #store: Store;
  readonly #known = new Map<string, KeyHolder>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Immediately if it is cached, because each asynchronous step costs every request. */
  find(key: string): KeyHolder | undefined | Promise<KeyHolder | undefined> {
    const known = this.#known.get(key);
    return known || !/^(test|live)_sandbox_/.test(key) ? known : this.#read(key);
  }

  async #read(key: string): Promise<KeyHolder | undefined> {
    const row = await this.#store.read((queries) =>
      queries.get(
        `select api_keys.scope, entities.* from api_keys join entities on entities.id = api_keys.entity_id
         where api_keys.value = ?`,
        [key],
      ),
    );
    if (!row) return undefined;
    const caller: KeyHolder = {
      entity: {id: text(row, 'id'), mode: word<Entity['mode']>(row, 'mode'), name: text(row, 'name')},
      scope: word<KeyRights>(row, 'scope'),
    };
    this.#known.set(key, caller);
    return caller;
  }
}
