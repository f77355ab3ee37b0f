import type {Store} from '../store/port.ts';

/**
 * Where SQLite finds idempotency keys: a table in memory, made at each opening (100,000 keys: 150 to 260 ms) and
 * kept by triggers, so that whatever fills, empties or undoes `idempotency_keys` does the same here. A key that is known
 * already is passed over, as `on conflict do nothing` would.
 */
export const KEY_INDEX = `
create temp table key_places (key text not null, n integer not null, primary key (key, n)) without rowid;

insert into key_places select key, n from idempotency_keys order by key;

create temp trigger key_known before insert on main.idempotency_keys
when exists (
  select 1 from temp.key_places as place cross join main.idempotency_keys as known on known.n = place.n
  where place.key = new.key and known.operation = new.operation and known.entity_id = new.entity_id
)
begin
  select raise(ignore);
end;

create temp trigger key_added after insert on main.idempotency_keys
begin
  insert into key_places values (new.key, new.n);
end;

create temp trigger key_gone after delete on main.idempotency_keys
begin
  delete from key_places where key = old.key and n = old.n;
end;
`;

/** The condition that finds a key, of three values: key, entity, operation. */
export const keyCondition = (dialect: Store['dialect']): string =>
  `${dialect === 'sqlite' ? 'n in (select n from temp.key_places where key = ?)' : 'key = ?'} and entity_id = ? and operation = ?`;
