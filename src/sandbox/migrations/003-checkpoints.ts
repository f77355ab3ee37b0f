import type {SandboxMigration} from './migration.ts';

/** Which copies of the store there are; the copies themselves lie beside it. */
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
