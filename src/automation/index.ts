/** The library: `import {Batches} from 'remit-cli/batch'`. */
export {Batches, type BatchesOptions, type BatchPlan, type BatchRun, type Confirmation} from './batches.ts';
export {type PlanOptions, type RunOptions} from './batches.ts';
export type {BatchRow} from './rows.ts';
export type {Summary} from '../batch/standing/summary.ts';
export {ERRORS, EXIT, RemitError, type ErrorCode, type ExitCode} from '../errors.ts';
