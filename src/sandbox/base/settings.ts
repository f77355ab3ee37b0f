import type {Queries} from '../../store/port/port.ts';
import {json} from './rows.ts';
import type {ClockState} from '../time/clock.ts';

async function readSetting<T>(queries: Queries, name: string): Promise<T | undefined> {
  const row = await queries.get('select value from settings where name = ?', [name]);
  return row && json<T>(row, 'value'); // written by writeSetting
}

async function writeSetting(queries: Queries, name: string, value: object): Promise<void> {
  await queries.run(
    'insert into settings (name, value) values (?, ?) on conflict (name) do update set value = excluded.value',
    [name, JSON.stringify(value)],
  );
}

/** How often this store has been opened. */
export async function countOpening(queries: Queries): Promise<number> {
  const count = (await readSetting<{count: number}>(queries, 'openings'))?.count ?? 0;
  await writeSetting(queries, 'openings', {count: count + 1});
  return count;
}

export const loadClock = (queries: Queries) => readSetting<ClockState>(queries, 'clock');

export const saveClock = (queries: Queries, state: ClockState) => writeSetting(queries, 'clock', state);
