/** The library: `import {startSandbox} from 'remit-cli/sandbox'`. */
export {
  startSandbox,
  type AdvancedClock,
  type Advancing,
  type AuditedSandbox,
  type FaultInput,
  type FaultRecord,
  type HarnessOptions,
  type OutcomeInput,
  type ReceivedWebhook,
  type RunningHarness,
  type SeededParties,
  type SeededParty,
  type SeedInput,
  type SimulatedRecord,
} from './harness.ts';
export type {ServiceFile} from '../service/service-file.ts';
export {RemitError} from '../errors.ts';
