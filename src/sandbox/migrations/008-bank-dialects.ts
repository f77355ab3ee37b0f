import type {SandboxMigration} from './migration.ts';

/** How the bank reports each treasury account; lines that replace pending ones, and returns with their codes. */
export const bankDialects: SandboxMigration = {
  name: '008-bank-dialects',
  sql: () => `
alter table treasury_accounts add column bank_dialect text not null default 'id';
alter table bank_transactions add column status text not null default 'posted';
alter table bank_transactions add column return_code text;
alter table bank_transactions add column replaces text;
`,
};
