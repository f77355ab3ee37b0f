import {spawn} from 'node:child_process';
import {closeSync, openSync, readFileSync} from 'node:fs';
import {isErrorCode, RemitError} from '../../../errors.ts';
import {must, ownJson} from '../../../narrow.ts';
import {childEnv} from '../../runtime/child-env.ts';
import type {LocalContext} from '../../core/context.ts';
import {readConfig} from '../../../profiles/config-file.ts';
import {makePageLink} from '../page-link.ts';
import {makeFolder, PROFILE, readPlace, sandboxPlace, type SandboxPlace} from '../recorded/place.ts';
import {noteAddress} from '../recorded/addresses.ts';
import {showReady, type Ready} from './ready.ts';
import {readStartFlags, type StartFlags, STORE_FROM_STDIN} from './options.ts';

const LOOK_EVERY_MS = 50;
const PATIENCE_MS = 20_000;

/**
 * Starts `sandbox start` in its own process, which keeps running after this one, waits until it answers, and reports
 * it.
 * @throws {RemitError} whatever the new process failed with.
 */
export async function startDetached(local: LocalContext, flags: StartFlags): Promise<Ready & {pid: number}> {
  readStartFlags(flags); // an invalid one is refused here, not in a log
  const place = sandboxPlace(local.stateDir);
  const args = ['sandbox', 'start', ...detachedFlags(flags), '-o', 'ndjson'];
  const ready = await spawnServer(local, place, {args, store: flags.store});
  const record = readPlace(place);
  const known = record?.pid === ready.pid;
  if (known && record.store === place.store) noteAddress(place, {base_url: record.base_url, detached: true});
  const hasProfile = readConfig(local.configDir).profiles[PROFILE]?.base_url === ready.base_url;
  const forPeople = known && local.out.forPeople;
  const page = forPeople ? (await makePageLink(local, {...record, place})).url : undefined;
  const profile = hasProfile ? PROFILE : undefined;
  showReady(local.out, ready, {profile, known, page, service: flags.service});
  if (forPeople)
    local.out.note('It keeps running when this terminal closes; stop it with: remit sandbox stop');
  return ready;
}

/** The flags as typed, except the address of a store: it may contain a password, and everyone can read arguments. */
export function detachedFlags(flags: StartFlags): string[] {
  const {port, timing, service, seed, balance, 'freeze-at': freezeAt, 'idempotency-ttl': ttl} = flags;
  const optional = (name: string, value: string | undefined) => (value === undefined ? [] : [name, value]);
  return [
    ...['--port', String(port), '--timing', timing],
    ...(flags.fresh ? ['--fresh'] : []),
    ...(flags['strict-idempotency'] ? ['--strict-idempotency'] : []),
    ...(flags['strict-auto-approve'] ? ['--strict-auto-approve'] : []),
    ...(flags['private-receivers'] ? ['--private-receivers'] : []),
    ...optional('--store', flags.store === undefined ? undefined : STORE_FROM_STDIN),
    ...optional('--service', service),
    ...optional('--seed', seed),
    ...optional('--balance', balance),
    ...optional('--freeze-at', freezeAt),
    ...optional('--clock', flags.clock),
    ...(flags['no-magic-amounts'] ? ['--no-magic-amounts'] : []),
    ...optional('--bank-dialect', flags['bank-dialect']),
    ...optional('--async-initiation', flags['async-initiation']),
    ...(flags['settle-move-207'] ? ['--settle-move-207'] : []),
    ...optional('--idempotency-ttl', ttl === undefined ? undefined : `${ttl}ms`),
  ];
}

async function spawnServer(
  local: LocalContext,
  {folder, log}: SandboxPlace,
  {args, store}: {args: readonly string[]; store: string | undefined},
): Promise<Ready & {pid: number}> {
  makeFolder(folder);
  const output = openSync(log, 'w', 0o600);
  const words = [...process.execArgv, must(process.argv[1], 'script that was started'), ...args];
  const child = spawn(process.execPath, words, {
    detached: true,
    stdio: [store === undefined ? 'ignore' : 'pipe', output, output],
    env: childEnv(local.runtime.env, ['REMIT_STATE_DIR', 'REMIT_CONFIG_DIR']),
  });
  closeSync(output);
  child.stdin?.on('error', () => undefined); // it has already ended, and its log shows why
  child.stdin?.end(store);
  let failed: Error | undefined;
  child.on('error', (error) => (failed = error));
  child.on('exit', (code) => (failed ??= new Error(`it ended immediately with exit code ${code}`)));
  for (let waited = 0; waited < PATIENCE_MS; waited += LOOK_EVERY_MS) {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    const ready = lines.find((line) => line.startsWith('{"type":"ready"'));
    if (ready !== undefined) {
      child.removeAllListeners();
      child.unref();
      return {...ownJson<Ready>(ready), pid: must(child.pid, 'id of a process that runs')};
    }
    if (failed) throw failureOf(lines, failed);
    await local.clock.sleep(LOOK_EVERY_MS, local.stop.signal);
  }
  child.kill();
  throw new RemitError('STATE', `the sandbox did not answer within ${PATIENCE_MS / 1000} s; see ${log}`);
}

/** The error that the new process wrote as its last line. */
function failureOf(lines: readonly string[], cause: Error): RemitError {
  try {
    const {error} = ownJson<{error: {code: string; message: string; hint: string | null}}>(
      lines.at(-1) ?? '',
    );
    if (isErrorCode(error.code))
      return new RemitError(error.code, error.message, {hint: error.hint ?? undefined, cause});
  } catch {
    // No such line: what is known is that it ended.
  }
  return new RemitError('STATE', `the sandbox could not be started: ${cause.message}`, {cause});
}
