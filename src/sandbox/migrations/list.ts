import type {Migration} from '../../store/port/migrate.ts';
import type {Store} from '../../store/port/port.ts';
import type {DialectWords, SandboxMigration} from './migration.ts';
import {firstSandbox} from './001-first-sandbox.ts';
import {webhooks} from './002-webhooks.ts';
import {checkpoints} from './003-checkpoints.ts';
import {accounts} from './004-accounts.ts';
import {parkedTimers} from './005-parked-timers.ts';
import {keyLog} from './006-key-log.ts';
import {keysOfTransfers} from './007-keys-of-transfers.ts';
import {bankDialects} from './008-bank-dialects.ts';
import {bankLinesByDay} from './009-bank-lines-by-day.ts';

const ALL: readonly SandboxMigration[] = [
  firstSandbox,
  webhooks,
  checkpoints,
  accounts,
  parkedTimers,
  keyLog,
  keysOfTransfers,
  bankDialects,
  bankLinesByDay,
];

const WORDS: Readonly<Record<Store['dialect'], DialectWords>> = {
  sqlite: {dialect: 'sqlite', clustered: ' without rowid'},
  postgres: {dialect: 'postgres', clustered: ''},
};

/** All changes since the first, oldest first, in the SQL of one database. */
export const migrations = (dialect: Store['dialect']): readonly Migration[] =>
  ALL.map(({name, sql}) => ({name, sql: sql(WORDS[dialect])}));
