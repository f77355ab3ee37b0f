import type {Store} from './port.ts';

/**
 * Ends a `select` of rows that one process takes for itself (timers that are due, deliveries to send). On PostgreSQL
 * it locks them until the change ends and skips those locked by another process; on SQLite there is no other process.
 * Delete or mark the rows within the same `write`: if it is rolled back, they are free again.
 */
export const claimed = (dialect: Store['dialect']): string =>
  dialect === 'postgres' ? ' for update skip locked' : '';
