import type {Store} from './port.ts';

/**
 * Ends a `select` of rows that one process takes for itself (timers that are due, deliveries to send): on PostgreSQL it
 * locks them until the change ends and skips those that another process has locked; on SQLite there is no other.
 * Within the same `write`, delete or mark what was taken: what is undone is free again.
 */
export const claimed = (dialect: Store['dialect']): string =>
  dialect === 'postgres' ? ' for update skip locked' : '';
