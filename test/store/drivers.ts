import {loadNativeModule} from '../../src/store/sqlite/native.ts';
import type {SqliteDriver} from '../../src/store/sqlite/sqlite.ts';

/** The drivers that this Node can open a database with, best first. */
export const availableDrivers = (): SqliteDriver[] =>
  loadNativeModule() === undefined ? ['wasm'] : ['node:sqlite', 'wasm'];

/** Whether an error is a broken UNIQUE, CHECK, NOT NULL or FOREIGN KEY. */
export const isConstraintError = (error: unknown): boolean =>
  error instanceof Error && /constraint failed/i.test(error.message);
