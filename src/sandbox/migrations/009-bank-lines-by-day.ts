import type {SandboxMigration} from './migration.ts';

/** A statement reads the lines of an account in the order of their days, page by page. */
export const bankLinesByDay: SandboxMigration = {
  name: '009-bank-lines-by-day',
  sql: () => 'create index bank_transactions_by_day on bank_transactions (account_id, value_date, id);',
};
