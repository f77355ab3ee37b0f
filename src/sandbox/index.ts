/** The library: `import {startSandbox} from 'remit-cli/sandbox'`. */
export {startSandbox, type HarnessOptions, type ReceivedWebhook} from './harness.ts';
export type {RunningHarness} from './running-harness.ts';
export type {FaultEffect, FaultInput, FaultMatch} from './fault-input.ts';
export type {
  Advancing,
  AuditedSandbox,
  DeliveriesWanted,
  FaultRecord,
  OutcomeInput,
  OutcomeOf,
  SeedInput,
} from './harness-records.ts';
export type {Simulated as SimulatedRecord} from './outcomes/outcomes.ts';
export type {ClockMode as HarnessClockMode} from './time/clock.ts';
export type {Scenario} from './outcomes/scenarios.ts';
export type {ServiceFile} from '../service/service-file.ts';
export {RemitError} from '../errors.ts';
export type {
  Advanced as AdvancedClock,
  ClockStatus as HarnessClock,
  Checkpoint as SavedCheckpoint,
  ReadyParty as SeededParty,
  Seeded as SeededParties,
  DeliveryState as HarnessDeliveryState,
  DeliveryRecord as HarnessDeliveryDetails,
  ShownAttempt as HarnessAttempt,
  ShownDelivery as HarnessDelivery,
} from './base/shown-records.ts';
