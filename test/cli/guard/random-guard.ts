import assert from 'node:assert/strict';
import {rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {allOperations, type OperationId} from '../../../src/contract/operations/operations.ts';
import {COMMAND_OPERATIONS} from '../../../src/cli/help/command-operations.ts';
import {Grants} from '../../../src/cli/guard/grants.ts';
import {RequestBuilder} from '../../../src/client/requests/built.ts';
import {Codec} from '../../../src/client/requests/codec.ts';
import {GuardedTransport} from '../../../src/client/transport/guarded-transport.ts';
import type {Transport, TransportRequest} from '../../../src/client/transport/transport.ts';
import {RemitError} from '../../../src/errors.ts';
import type {StoredProfile} from '../../../src/profiles/profile.ts';
import {checkService} from '../../../src/service/file/parse.ts';
import {isReadOperation, paramsOf} from '../../../src/service/routes.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';
import {seeded} from '../../batch/harness.ts';
import {answer} from '../../client/transport/fake-transport.ts';
import {payout} from '../../commands/fixtures.ts';
import {ID} from '../../commands/hostile-service.ts';
import {SERVICE_CALLS} from '../../commands/service-calls.ts';
import {BASE_URL, LIVE_KEY, runCli} from '../run-cli.ts';
import {hostileFile, hostilePath, IN_LETTERS, pick, type Random, swapped, VICTIM} from './hostile-routes.ts';
import {profiled} from './profiled.ts';
import {otherMeaning, type SentAs} from './wire-meaning.ts';

/** What was checked. */
export const counts = {files: 0, accepted: 0, requests: 0, lines: 0, reads: 0, writes: 0, refused: 0};

const OPERATIONS = allOperations();
const PLANS = OPERATIONS.map(({id, operation}) => ({
  ...{id, method: operation.method, path: operation.path, names: paramsOf(operation.path)},
  params: Object.fromEntries(
    paramsOf(operation.path).map((name, at) => [name, `0192a000-0000-7000-8000-00000000000${at}`]),
  ),
}));

function accepted(file: ServiceFile): ServiceFile | undefined {
  try {
    return checkService(file, 'hostile');
  } catch (error) {
    if (error instanceof RemitError) return undefined;
    throw error;
  }
}

/** Under an accepted file, a read is a GET and a write names its own record; nothing that was not allowed is sent. */
export async function checkFile(seed: number): Promise<void> {
  counts.files++;
  const file = accepted(hostileFile(seeded(seed)));
  if (file === undefined) return;
  counts.accepted++;
  const sent: TransportRequest[] = [];
  const builder = new RequestBuilder({baseUrl: BASE_URL, key: LIVE_KEY, codec: new Codec(file)});
  const grants = new Grants(() => builder);
  const transport = new GuardedTransport(recorder(sent), (write) => grants.check(write));
  const granted = PLANS[seed % PLANS.length]!; // one write is allowed, or a read, which needs no grant
  if (granted.method !== 'GET') grants.allow({operation: granted.id, params: granted.params});
  const planned = PLANS.map((plan) => ({
    plan,
    request: grants.requestOf({operation: plan.id, params: plan.params}),
  }));
  const all = planned.map(({plan, request}) => sentAs(plan, request));
  for (const {plan, request} of planned) {
    const what: string = `file ${seed}: ${JSON.stringify(file)}`;
    checkRoute(plan, request, what);
    if (plan.method !== 'GET')
      assert.equal(otherMeaning(sentAs(plan, request), all, file), undefined, `${what}: ${plan.id}`);
    await transport.send(request).catch((error: unknown) => {
      assert.ok(error instanceof RemitError && error.code === 'GUARD_WRITE', String(error));
    });
    counts.requests++;
  }
  const writes = sent.filter(({method, body}) => method !== 'GET' || body !== undefined);
  const expected = granted.method === 'GET' ? [] : [granted.id];
  assert.deepEqual(
    writes.map(({operation}) => operation),
    expected,
    `file ${seed}`,
  );
}

function checkRoute(
  {id, method, params}: (typeof PLANS)[number],
  request: TransportRequest,
  what: string,
): void {
  if (method === 'GET') {
    assert.deepEqual([request.method, request.body], ['GET', undefined], `${what}: ${id}`);
    return;
  }
  assert.notEqual(request.method, 'GET', `${what}: ${id}`);
  for (const value of Object.values(params))
    assert.equal(request.path.split(value).length, 2, `${what}: ${id} is sent to ${request.path}`);
  assert.ok(!request.path.toLowerCase().includes(VICTIM), `${what}: ${id} is sent to ${request.path}`);
  assert.doesNotMatch(request.path, new RegExp(`(payouts|payins|move|transfers)/+${IN_LETTERS}/`, 'i'), what);
}

const sentAs = ({id, params}: (typeof PLANS)[number], {method, path, body}: TransportRequest): SentAs => ({
  ...{id, method, body},
  path: Object.values(params).reduce((form, value) => form.replace(value, '*'), path),
});

const STATUSES = [200, 200, 201, 207, 400, 404, 503];

const recorder = (sent: TransportRequest[], random?: Random): Transport => ({
  send: async (request) => {
    sent.push(request);
    if (random === undefined) return answer(200, {});
    const status = pick(request.method === 'GET' ? [200, 200, 200, 404] : STATUSES, random);
    const [id = ID] = /[0-9a-f-]{36}/.exec(request.path) ?? []; // the record that was asked for
    return answer(status, status < 300 ? payout({id}) : {error_code: 'NOT_FOUND', message: 'no'});
  },
  close: async () => {},
});

/** Most of these files turn a request of the command itself into another one. */
function hostileTo(command: string, seed: number, random: Random): ServiceFile {
  const own = COMMAND_OPERATIONS[command] ?? [];
  if (CANCELS.includes(command))
    return swapped(
      random,
      own.filter((id) => id.endsWith('.cancel')),
    );
  const file = hostileFile(seeded(seed));
  if (own.length === 0 || random() < 0.3) return file;
  const writes = own.filter((id) => !isReadOperation(id));
  if (writes.length > 0 && random() < 0.5) return {...file, ...swapped(random, writes)};
  return {...file, routes: {...file.routes, [pick(own, random)]: `POST ${hostilePath(random)}`}};
}

/** Caps do not apply to them, so a file turns them into something else. */
const CANCELS = ['payouts:cancel', 'payins:cancel'];

interface Line {
  command: string;
  words: string[];
  flags: Set<string>;
}

const COMMANDS = Object.keys(SERVICE_CALLS).filter((id) => id !== 'webhooks:endpoints:rotate');

function randomLine(random: Random): Line {
  const command = random() < 0.15 ? pick(CANCELS, random) : pick(COMMANDS, random);
  const words = [...pick(SERVICE_CALLS[command]!, random)];
  if (command === 'api') words.splice(0, words.length, ...anyRequest(random));
  const flags = new Set<string>();
  for (const [flag, chance] of [
    ['--live', 0.75],
    ['--yes', 0.75],
    ['--json', 0.9],
    ['--quiet', 0.1],
  ] as const)
    if (random() < chance) flags.add(flag);
  const isWrite = (COMMAND_OPERATIONS[command] ?? []).some(
    (id) => !id.endsWith('.get') && !id.includes('list'),
  );
  if (isWrite && random() < 0.2) flags.add('--dry-run');
  return {command, words: [...command.split(':'), ...words, ...flags], flags};
}

function anyRequest(random: Random): string[] {
  const method = pick(['GET', 'POST', 'PUT', 'PATCH', 'DELETE'], random);
  const path = hostilePath(random).replaceAll(/\{\w+\}/g, VICTIM);
  const data = random() < 0.5 ? ['--data', '{"amount_in_minor_units":100,"currency_code":"USD"}'] : [];
  return [method, path, ...data, ...(random() < 0.2 ? ['--raw'] : [])];
}

/** Without --live and --yes, and for a command that reads, a line sends nothing but GETs. */
export async function checkLine(seed: number): Promise<void> {
  const random = seeded(seed);
  const line = randomLine(random);
  const service = random() < 0.6 ? hostileTo(line.command, seed, random) : {};
  const profile: Partial<StoredProfile> = {
    ...{mode: 'live', read_only: random() < 0.2},
    ...(random() < 0.4 ? {caps: {max_amount_minor: {USD: 100}}} : {}),
    ...(accepted(service) === undefined && random() < 0.7 ? {} : {service}),
  };
  const env = profiled(profile);
  const sent: TransportRequest[] = [];
  writeFileSync(join(env.HOME, 'payouts.csv'), 'reference\n');
  try {
    await runCli(line.words, {env, service: recorder(sent, random)}).catch((error: unknown) => {
      if (!(error instanceof assert.AssertionError)) throw error; // what it prints is not the question here
    });
  } finally {
    rmSync(env.HOME, {recursive: true, force: true});
  }
  judge(line, profile, sent, `line ${seed}: ${line.words.join(' ')} ${JSON.stringify(profile)}`);
}

function judge(
  {command, words, flags}: Line,
  profile: Partial<StoredProfile>,
  sent: TransportRequest[],
  what: string,
): void {
  counts.lines++;
  const writes = sent.filter(({method, body}) => method !== 'GET' || body !== undefined);
  counts.reads += sent.length - writes.length;
  counts.writes += writes.length;
  if (writes.length === 0) {
    counts.refused++;
    return;
  }
  const shown = `${what} sent ${writes.map(({method, path}) => `${method} ${path}`).join(', ')}`;
  assert.ok(flags.has('--live') && flags.has('--yes') && !flags.has('--dry-run'), shown);
  assert.ok(profile.read_only !== true, shown);
  assert.equal(new Set(writes.map((one) => JSON.stringify([one.method, one.path, one.body]))).size, 1, shown);
  const [write] = writes;
  if (command === 'api') {
    assert.ok(words[1] !== 'GET' || words.includes('--data'), shown);
    return;
  }
  const operations: readonly (OperationId | undefined)[] = COMMAND_OPERATIONS[command] ?? [];
  assert.ok(operations.includes(write?.operation), shown);
  assert.ok(!write?.path.includes(VICTIM), shown);
  const amount = /"amount_in_minor_units":(\d+)/.exec(write?.body ?? '')?.[1];
  assert.ok(profile.caps === undefined || Number(amount ?? 0) <= 100, shown);
  // The record that the service shows is above the cap.
  if (write?.operation?.endsWith('.cancel') === true && !/\/(cancel|void)[^/]*$/i.test(write.path))
    assert.ok(profile.caps === undefined || /"(status|state)":"cancel/.test(write.body ?? ''), shown);
  if (write?.operation?.endsWith('.approve') === true) assert.equal(profile.caps, undefined, shown);
}
