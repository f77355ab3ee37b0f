/** Outcomes on demand: a transfer with metadata `sandbox.scenario` set to one of these behaves as it says. */
export const SCENARIOS = {
  approval_fails_207: 'every approval fails: 207 with a warning on create, 422 on approve',
  transient_503: 'the first start of initiation fails with 503; the same create again succeeds',
  stuck_initiated: 'stays initiated for ever',
  fails_after_initiated: 'fails after it was initiated',
  settle_slow: 'takes a minute longer to settle',
  async_202: 'initiation goes on after the answer: 202',
} as const;

export type Scenario = keyof typeof SCENARIOS;

export const SCENARIO_KEY = 'sandbox.scenario';

/** The scenario that client metadata asks for; other values are plain metadata. */
export function scenarioOf(metadata: Readonly<Record<string, string>>): Scenario | null {
  const name = Object.hasOwn(metadata, SCENARIO_KEY) ? metadata[SCENARIO_KEY]! : '';
  return Object.hasOwn(SCENARIOS, name) ? (name as Scenario) : null; // own keys of SCENARIOS are its keys
}
