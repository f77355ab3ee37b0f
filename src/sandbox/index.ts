/** The library: `import {startSandbox} from 'remit-cli/sandbox'`. */
export {startSandbox, type HarnessOptions, type ReceivedWebhook} from './harness.ts';
export type {RunningHarness} from './running-harness.ts';
export type {FaultEffect, FaultInput, FaultMatch} from './fault-input.ts';
export type {
  AdvancedClock,
  Advancing,
  AuditedSandbox,
  DeliveriesWanted,
  FaultRecord,
  HarnessAttempt,
  HarnessClock,
  HarnessClockMode,
  HarnessDelivery,
  HarnessDeliveryDetails,
  HarnessDeliveryState,
  OutcomeInput,
  OutcomeOf,
  SavedCheckpoint,
  SeededParties,
  SeededParty,
  SeedInput,
  SimulatedRecord,
} from './harness-records.ts';
export type {Scenario} from './outcomes/scenarios.ts';
export type {ServiceFile} from '../service/service-file.ts';
export {RemitError} from '../errors.ts';
