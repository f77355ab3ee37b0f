import type {SandboxMigration} from './migration.ts';

/** The list of copies of the store; the copies themselves are next to it. */
export const checkpoints: SandboxMigration = {
  name: '003-checkpoints',
  sql: ({clustered}) => `
create table checkpoints (
  name text primary key,
  saved_ms bigint not null,
  clock_ms bigint not null
)${clustered};
`,
};
