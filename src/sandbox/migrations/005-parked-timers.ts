import type {SandboxMigration} from './migration.ts';

/** Timers that threw when they fired: kept separately, to find the bug. */
export const parkedTimers: SandboxMigration = {
  name: '005-parked-timers',
  sql: ({clustered}) => `
create table parked_timers (
  due_ms bigint not null,
  id text not null,
  entity_id text not null,
  subject text not null,
  owner_id text,
  subject_id text not null,
  step text not null,
  error text not null,
  primary key (due_ms, id)
)${clustered};
`,
};
