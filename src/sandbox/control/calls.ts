import type {ServiceErrorCode} from '../../contract/error-codes.ts';
import {keysOf} from '../../narrow.ts';
import type {ControlAnswer} from './answers.ts';
import type {ControlBody, ControlQuery} from './bodies.ts';
import {HELLO_PATH} from './proof.ts';

/** The header with the control token. */
export const TOKEN_HEADER = 'x-sandbox-token';

/** One control call. The routes, the OpenAPI document and docs/reference/control.md are generated from these. */
export interface ControlCall {
  readonly summary: string;
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the address of the sandbox. */
  readonly path: `/sandbox/${string}`;
  readonly body?: ControlBody;
  readonly query?: ControlQuery;
  /** The only success answer; null if it has no body. */
  readonly ok: readonly [status: number, answer: ControlAnswer | null];
  /** Statuses in addition to those that every call may answer. */
  readonly fails?: readonly ServiceErrorCode[];
  /** Answered without the token. */
  readonly open?: boolean;
}

const call = <const T extends ControlCall>(declared: T): T => declared;

export const CONTROL_CALLS = {
  hello: call({
    summary: 'Prove that this sandbox has the control token, before the caller sends it',
    method: 'GET',
    path: HELLO_PATH,
    query: 'Hello',
    open: true,
    ok: [200, 'Proof'],
  }),
  status: call({
    summary: 'Show clock, request counts, deliveries and the audit',
    method: 'GET',
    path: '/sandbox/status',
    ok: [200, 'Status'],
  }),
  audit: call({
    summary: 'Audit the store: payins and payouts by status, balances, and inconsistencies',
    method: 'GET',
    path: '/sandbox/audit',
    ok: [200, 'Truth'],
  }),
  reset: call({
    summary: 'Delete all records and fault rules; keys, checkpoints and the clock stay',
    method: 'POST',
    path: '/sandbox/reset',
    body: 'Reset',
    ok: [200, 'Status'],
  }),
  seed: call({
    summary: 'Create payees and payers, each with a verified default bank account',
    method: 'POST',
    path: '/sandbox/seed',
    body: 'Seed',
    ok: [201, 'Seeded'],
  }),
  keys: call({
    summary: 'List the API keys in full; they work only with this sandbox',
    method: 'GET',
    path: '/sandbox/keys',
    ok: [200, 'Keys'],
  }),
  issueKey: call({
    summary: 'Issue an API key',
    method: 'POST',
    path: '/sandbox/keys',
    body: 'NewKey',
    ok: [201, 'Key'],
  }),
  advance: call({
    summary: 'Move the clock forward; everything due by then is done before the answer',
    method: 'POST',
    path: '/sandbox/advance',
    body: 'Advance',
    ok: [200, 'Advanced'],
  }),
  clock: call({summary: 'Show the clock', method: 'GET', path: '/sandbox/clock', ok: [200, 'Clock']}),
  setClock: call({
    summary: 'Change the clock mode; time continues from the current time',
    method: 'POST',
    path: '/sandbox/clock',
    body: 'Clock',
    ok: [200, 'Clock'],
  }),
  simulate: call({
    summary: 'Apply an outcome to a record immediately',
    method: 'POST',
    path: '/sandbox/simulate',
    body: 'Simulate',
    ok: [200, 'Simulated'],
    fails: ['NOT_FOUND'],
  }),
  setBankDialect: call({
    summary: 'Choose how the bank reports the lines of treasury accounts',
    method: 'POST',
    path: '/sandbox/bank-dialect',
    body: 'NewBankDialect',
    ok: [200, 'BankDialects'],
    fails: ['NOT_FOUND'],
  }),
  statement: call({
    summary: 'Write the statement of a treasury account as a bank would',
    method: 'GET',
    path: '/sandbox/statement',
    query: 'StatementOf',
    ok: [200, 'StatementFile'],
    fails: ['NOT_FOUND'],
  }),
  magicValues: call({
    summary: 'List the magic values of the sandbox',
    method: 'GET',
    path: '/sandbox/magic-values',
    ok: [200, 'MagicValues'],
  }),
  faults: call({
    summary: 'List the fault rules with their counters',
    method: 'GET',
    path: '/sandbox/faults',
    ok: [200, 'Faults'],
  }),
  addFault: call({
    summary: 'Add a fault rule',
    method: 'POST',
    path: '/sandbox/faults',
    body: 'FaultRule',
    ok: [201, 'Fault'],
  }),
  clearFaults: call({
    summary: 'Remove all fault rules',
    method: 'DELETE',
    path: '/sandbox/faults',
    ok: [204, null],
  }),
  removeFault: call({
    summary: 'Remove one fault rule',
    method: 'DELETE',
    path: '/sandbox/faults/{fault_id}',
    ok: [204, null],
    fails: ['NOT_FOUND'],
  }),
  checkpoints: call({
    summary: 'List the checkpoints, oldest first',
    method: 'GET',
    path: '/sandbox/checkpoints',
    ok: [200, 'Checkpoints'],
  }),
  saveCheckpoint: call({
    summary: 'Save the state under a name; an existing checkpoint of that name is replaced',
    method: 'POST',
    path: '/sandbox/checkpoints',
    body: 'NewCheckpoint',
    ok: [201, 'Checkpoint'],
  }),
  restoreCheckpoint: call({
    summary: 'Restore records, money and clock from a checkpoint; keys are kept',
    method: 'POST',
    path: '/sandbox/checkpoints/{name}/restore',
    body: 'Nothing',
    ok: [200, 'Checkpoint'],
    fails: ['NOT_FOUND'],
  }),
  deliveries: call({
    summary: 'List webhook deliveries, newest first',
    method: 'GET',
    path: '/sandbox/deliveries',
    query: 'DeliveryFilter',
    ok: [200, 'Deliveries'],
  }),
  delivery: call({
    summary: 'Show one delivery with its payload and every attempt',
    method: 'GET',
    path: '/sandbox/deliveries/{delivery_id}',
    ok: [200, 'Delivery'],
    fails: ['NOT_FOUND'],
  }),
  redeliver: call({
    summary: 'Send a delivery again immediately, and wait for the answer',
    method: 'POST',
    path: '/sandbox/deliveries/{delivery_id}/redeliver',
    body: 'Nothing',
    ok: [200, 'Delivery'],
    fails: ['NOT_FOUND'],
  }),
  pageLink: call({
    summary: 'Create a link that opens the page at `/` with its controls, once',
    method: 'POST',
    path: '/sandbox/page-links',
    body: 'Nothing',
    ok: [201, 'PageLink'],
  }),
  stop: call({
    summary: 'Stop the sandbox',
    method: 'POST',
    path: '/sandbox/stop',
    body: 'Nothing',
    ok: [202, 'Stopping'],
    fails: ['NOT_FOUND'],
  }),
} as const satisfies Record<string, ControlCall>;

export type ControlCallId = keyof typeof CONTROL_CALLS;

/** The errors of a call, in addition to its own. */
export const errorsOf = ({open = false, fails = []}: ControlCall): ServiceErrorCode[] => [
  ...CONTROL_ERRORS.filter((code) => !open || code !== 'AUTHENTICATION_ERROR'),
  ...fails,
];

export const controlCalls = (): [id: ControlCallId, call: ControlCall][] =>
  keysOf(CONTROL_CALLS).map((id) => [id, CONTROL_CALLS[id]]);

/** Possible for every call: an invalid body or query, no token, another host or origin, a failure of the store. */
export const CONTROL_ERRORS = [
  'VALIDATION_ERROR',
  'AUTHENTICATION_ERROR',
  'AUTHORIZATION_ERROR',
  'SERVICE_UNAVAILABLE',
] as const satisfies readonly ServiceErrorCode[];
