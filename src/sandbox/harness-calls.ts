import {checkOptions, mayBeAny, mustBeObject} from '../arguments.ts';
import {isErrorCode, RemitError} from '../errors.ts';
import {messageOf, ownJson} from '../narrow.ts';
import {faultRule} from './fault-input.ts';
import type {DeliveriesWanted} from './harness-records.ts';
import {SCENARIO_KEY, SCENARIOS, type Scenario} from './outcomes/scenarios.ts';
import type {RunningHarness} from './running-harness.ts';
import type {RunningSandbox} from './server.ts';

/** The methods of a sandbox for tests, on its control calls. */
export function harnessOf(server: RunningSandbox, isStopped: () => boolean): Omit<RunningHarness, 'stop'> {
  const {baseUrl, testKey, liveKey, controlUrl, controlToken} = server;
  const call = async <Answer>(
    method: 'GET' | 'POST' | 'DELETE',
    path: string,
    body?: object,
  ): Promise<Answer> => {
    if (isStopped()) throw new RemitError('NOT_RUNNING', 'this sandbox has been stopped');
    return callControl<Answer>(server, {method, path, body});
  };
  const listed = async <Item>(path: string) => (await call<{data: Item[]}>('GET', path)).data;
  return {
    ...{baseUrl, testKey, liveKey, controlUrl, controlToken},
    reset: async (options = {}) => {
      checkOptions(options, {mainBalanceMinor: mayBeAny}, 'the options of reset'); // the sandbox checks the amount
      const {mainBalanceMinor} = options;
      await call('POST', '/reset', {main_balance_in_minor_units: mainBalanceMinor});
    },
    seed: (parties) => call('POST', '/seed', parties),
    advance: (by) => call('POST', '/advance', by),
    simulate: (outcome) => call('POST', '/simulate', outcome),
    clock: () => call('GET', '/clock'),
    setClock: (mode) => call('POST', '/clock', mode),
    scenario: (name) => ({metadata: {[SCENARIO_KEY]: knownScenario(name)}}),
    addFault: async (fault) => {
      mustBeObject(fault, 'the fault');
      return call('POST', '/faults', faultRule(fault));
    },
    faults: () => listed('/faults'),
    removeFault: (id) => call('DELETE', `/faults/${encodeURIComponent(id)}`),
    clearFaults: () => call('DELETE', '/faults'),
    checkpoints: () => listed('/checkpoints'),
    saveCheckpoint: (name) => call('POST', '/checkpoints', {name}),
    restoreCheckpoint: (name) => call('POST', `/checkpoints/${encodeURIComponent(name)}/restore`, {}),
    deliveries: async (wanted = {}) => {
      mustBeObject(wanted, 'the filters');
      return listed(`/deliveries${queryOf(wanted)}`);
    },
    delivery: (id) => call('GET', `/deliveries/${encodeURIComponent(id)}`),
    redeliver: (id) => call('POST', `/deliveries/${encodeURIComponent(id)}/redeliver`, {}),
    audit: () => call('GET', '/audit'),
  };
}

function queryOf(wanted: DeliveriesWanted): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(wanted)) if (value !== undefined) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query.toString()}`;
}

/** @throws {RemitError} USAGE: the sandbox treats other values as plain metadata, and the test would prove nothing */
function knownScenario(name: Scenario): Scenario {
  if (Object.hasOwn(SCENARIOS, name)) return name;
  throw new RemitError('USAGE', `the sandbox has no scenario ${name}`, {
    hint: `one of ${Object.keys(SCENARIOS).join(', ')}`,
  });
}

/** @throws {RemitError} USAGE for what JSON does not have, such as a bigint */
function jsonOf(body: object, path: string): string {
  try {
    return JSON.stringify(body, (name, value: unknown) => {
      if (typeof value === 'bigint') throw new RemitError('USAGE', `${name} must be a number, not bigint`);
      return value;
    });
  } catch (cause) {
    if (cause instanceof RemitError) throw cause;
    throw new RemitError('USAGE', `the argument of ${path} cannot be written as JSON: ${messageOf(cause)}`, {
      cause,
    });
  }
}

/** A documented control call, without a connection. Its answers have the shapes of docs/reference/control.md. */
async function callControl<Answer>(
  {sandbox, controlUrl, controlToken}: RunningSandbox,
  {method, path, body}: {method: string; path: string; body: object | undefined},
): Promise<Answer> {
  const answer = await sandbox.fetch(
    new Request(controlUrl + path, {
      method,
      headers: {'x-sandbox-token': controlToken, 'content-type': 'application/json'},
      ...(body === undefined ? {} : {body: jsonOf(body, path)}),
    }),
  );
  const text = await answer.text();
  if (answer.ok) return ownJson<Answer>(text === '' ? 'null' : text);
  const {error_code: code, message} = ownJson<{error_code: string; message: string}>(text);
  throw new RemitError(isErrorCode(code) ? code : 'REFUSED', message, {httpStatus: answer.status});
}
