import {mkdtempSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import {EXIT, RemitError, type ExitCode} from '../../errors.ts';
import type {RunningSandbox} from '../../sandbox/server.ts';
import {authorityFiles} from '../../webhooks/local-authority.ts';
import type {LocalContext} from '../context.ts';
import type {Stop} from '../stop.ts';
import {isAnswering} from './control.ts';
import {makeFolder, removeRecord, sandboxPlace, writeRecord} from './place.ts';
import {PROFILE, writeProfile} from './profile.ts';
import {showReady, type Ready} from './ready.ts';
import {requestLog} from './request-log.ts';
import {readStartFlags, readStore, type StartFlags} from './start-options.ts';

/**
 * Runs a sandbox in this process until Ctrl-C, SIGTERM or `sandbox stop`.
 * @returns the ready object, for formats that print one result at the end, and how it was stopped
 */
export async function serveSandbox(
  local: LocalContext,
  flags: StartFlags,
): Promise<{data: Ready; exitCode: ExitCode}> {
  const options = readStartFlags(flags);
  const place = sandboxPlace(local.stateDir);
  makeFolder(place.folder);
  const throwAway = flags.fresh ? mkdtempSync(join(place.folder, 'fresh-')) : undefined;
  const shared = readStore(flags);
  const store = throwAway === undefined ? place.store : join(throwAway, 'sandbox.db');
  const end = endOf(local.stop);
  const log = requestLog(local.out);
  try {
    const {startSandbox} = await import('../../sandbox/server.ts'); // a whole server; only this command needs it
    const server = await startSandbox({
      ...options,
      store: shared?.address ?? store,
      clock: local.clock,
      onRequest: log,
      onDelivery: log,
      authorityFile: authorityFiles(local.stateDir).certificate,
      onBug: (error) =>
        local.out.warn(
          error instanceof RemitError
            ? `the store is in trouble: ${error.message}`
            : `a bug of the sandbox: ${describe(error)}`,
        ),
      onStop: () => end.command(),
    });
    try {
      // A throw-away sandbox, or one more on a shared store, does not take the place of another that runs.
      const ownsFile = throwAway === undefined && shared === undefined;
      const known = ownsFile || !(await isAnswering(local));
      const profile = known ? await makeKnown(local, server, shared?.shown ?? store) : undefined;
      const ready = readyOf(server);
      const page = `${server.baseUrl}${server.sandbox.pageLink().path}`;
      showReady(local.out, ready, {profile, known, page});
      const exitCode = await end.reached;
      local.out.note('Stopped.');
      return {data: ready, exitCode};
    } finally {
      await server.close();
      removeRecord(place, process.pid);
    }
  } finally {
    if (throwAway !== undefined) rmSync(throwAway, {recursive: true, force: true});
  }
}

/** A signal ends with its exit code, a command with 0: whoever stopped it that way got what they asked for. */
function endOf(stop: Stop): {reached: Promise<ExitCode>; command: () => void} {
  let command = () => {};
  const reached = new Promise<ExitCode>((resolve) => {
    command = () => resolve(EXIT.OK);
    const signal = () => resolve(stop.reason?.exitCode ?? EXIT.INTERRUPTED);
    if (stop.signal.aborted) signal();
    else stop.signal.addEventListener('abort', signal, {once: true});
  });
  return {reached, command};
}

const describe = (error: unknown) =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

const readyOf = (server: RunningSandbox): Ready => ({
  type: 'ready',
  base_url: server.baseUrl,
  test_key: server.testKey,
  live_key: server.liveKey,
  control_url: server.controlUrl,
  control_token: server.controlToken,
});

/** Makes it the sandbox that other commands find; the profile's name when it was written. */
async function makeKnown(
  local: LocalContext,
  server: RunningSandbox,
  store: string,
): Promise<string | undefined> {
  const record = {
    base_url: server.baseUrl,
    control_url: server.controlUrl,
    pid: process.pid,
    started_at: new Date(local.clock.now()).toISOString(),
    store,
  };
  const written = await writeProfile(local, server);
  writeRecord(sandboxPlace(local.stateDir), record, server.controlToken); // last: who finds it finds all of it
  if (written) return PROFILE;
  local.out.warn(`the profile "${PROFILE}" leads to another service and was left alone`);
  return undefined;
}
