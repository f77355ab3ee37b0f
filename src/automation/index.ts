/** The library: `import {Batches} from 'remit-cli/batch'`. */
export {Batches, type BatchPlan, type BatchRun} from './batches.ts';
export type {BatchesOptions, Confirmation, PlanOptions, RunOptions} from './options.ts';
export type {BatchRow, BatchRowFields, RowAmount, RowParty} from './rows.ts';
export type {Summary} from '../batch/standing/summary.ts';
export {ERRORS, EXIT, RemitError, type ErrorCode, type ExitCode} from '../errors.ts';
