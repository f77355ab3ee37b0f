import {keysOf} from '../../narrow.ts';

/** Outcomes on demand: a transfer whose metadata has `sandbox.scenario` set to one of these behaves as described. */
export const SCENARIOS = {
  approval_fails_207: 'every approval fails: 207 with a warning on create, 422 on approve',
  transient_503: 'the first start of initiation fails with 503; the same create again succeeds',
  stuck_initiated: 'stays initiated forever',
  fails_after_initiated: 'fails after it was initiated',
  fails_after_debited: 'is debited, then returned and fails',
  settle_slow: 'takes a minute longer to settle',
  async_202: 'initiation continues after the answer: 202',
  late_return: 'settles; later the bank takes the money back, and the status stays settled',
} as const;

export type Scenario = keyof typeof SCENARIOS;

export const SCENARIO_KEY = 'sandbox.scenario';

const isScenario = (name: string): name is Scenario => Object.hasOwn(SCENARIOS, name);

/** The scenario requested in client metadata; other values are plain metadata. */
export function scenarioOf(metadata: Readonly<Record<string, string>>): Scenario | null {
  const name = (Object.hasOwn(metadata, SCENARIO_KEY) ? metadata[SCENARIO_KEY] : undefined) ?? '';
  return isScenario(name) ? name : null;
}

/** Scenarios of moves, requested by the word anywhere in the description, because moves have no metadata. */
export const MOVE_SCENARIOS = {
  move_207: 'approval is accepted, settlement has a recoverable problem: 207 with a warning',
} as const;

export type MoveScenario = keyof typeof MOVE_SCENARIOS;

/** Scenarios of account transfers, requested in the same way. */
export const ACCOUNT_TRANSFER_SCENARIOS = {
  async_202: 'initiation continues after the answer: 202',
  stuck_initiated: 'stays initiated forever',
  fails_after_initiated: 'fails after it was initiated; the money is back in its source',
  settle_slow: 'takes a minute longer to settle',
} as const;

export type AccountTransferScenario = keyof typeof ACCOUNT_TRANSFER_SCENARIOS;

/** The scenario requested in the description of a move. */
export const moveScenarioOf = (description: string | null | undefined): MoveScenario | null =>
  named(MOVE_SCENARIOS, description);

/** The scenario of an account transfer. */
export const accountTransferScenarioOf = (
  description: string | null | undefined,
): AccountTransferScenario | null => named(ACCOUNT_TRANSFER_SCENARIOS, description);

/** The first of the names that occurs in the text as a separate word. */
function named<Name extends string>(
  scenarios: Readonly<Record<Name, string>>,
  text: string | null | undefined,
): Name | null {
  const words = (text ?? '').split(/[^\w]+/);
  return keysOf(scenarios).find((name) => words.includes(name)) ?? null;
}
