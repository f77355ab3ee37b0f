import type {SandboxMigration} from './migration.ts';

/** Timers that threw when they were fired: kept for whoever looks for the bug, out of the way of all others. */
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
