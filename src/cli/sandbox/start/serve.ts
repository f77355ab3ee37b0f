import {rmSync} from 'node:fs';
import {EXIT, RemitError, type ExitCode} from '../../../errors.ts';
import type {RunningSandbox, ServerOptions} from '../../../sandbox/server.ts';
import {authorityFiles} from '../../../webhooks/tls/local-authority.ts';
import type {LocalContext} from '../../core/context.ts';
import type {Stop} from '../../runtime/stop.ts';
import {isAnswering} from '../control.ts';
import {
  makeFolder,
  PROFILE,
  removeRecord,
  sandboxPlace,
  writeRecord,
  type RunningRecord,
} from '../recorded/place.ts';
import {noteAddress} from '../recorded/addresses.ts';
import {writeProfile} from './profile.ts';
import {showReady, type Ready} from './ready.ts';
import {requestLog} from './request-log.ts';
import {makeExtraPlace, sweepExtras} from '../recorded/running.ts';
import {readStartFlags, readStore, type StartFlags} from './options.ts';

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
  sweepExtras(place, local.clock.now());
  const shared = readStore(flags);
  const kind = flags.fresh ? 'fresh' : shared === undefined ? undefined : 'shared';
  const extra = kind && makeExtraPlace(place, kind, local.clock.now());
  const {store} = extra ?? place;
  const end = endOf(local.stop);
  const log = requestLog(local.out);
  try {
    const {startSandbox} = await import('../../../sandbox/server.ts'); // a whole server; only this command needs it
    const server = await startSandbox({
      ...options,
      store: shared?.address ?? store,
      clock: local.clock,
      onRequest: log,
      onDelivery: log,
      authorityFile: authorityFiles(local.stateDir).certificate,
      onBug: (error) => local.out.warn(describe(error)),
      onStop: () => end.command(),
    });
    const record = recordOf(local, server, shared?.shown ?? store);
    try {
      if (extra !== undefined) writeRecord(extra, record, server.controlToken);
      else noteAddress(place, {base_url: record.base_url, detached: false});
      // A temporary sandbox, or an additional one on a shared store, does not replace another that is running.
      const known = extra === undefined || !(await isAnswering(local));
      const profile = known
        ? await makeKnown(local, {...server, service: options.service}, record)
        : undefined;
      const ready = readyOf(server);
      const page = `${server.baseUrl}${server.sandbox.pageLink().path}`;
      showReady(local.out, ready, {profile, known, page, service: flags.service});
      const exitCode = await end.reached;
      local.out.note('Stopped.');
      return {data: ready, exitCode};
    } finally {
      await server.close();
      removeRecord(place, record);
    }
  } finally {
    if (extra !== undefined) rmSync(extra.folder, {recursive: true, force: true});
  }
}

/** Exits with the signal's code if stopped by a signal, and with 0 after `sandbox stop`. */
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

function describe(error: unknown): string {
  if (error instanceof RemitError) return `the store failed: ${error.message}`;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return `an internal error of the sandbox (a bug in remit): ${text}`;
}

const readyOf = (server: RunningSandbox): Ready => ({
  type: 'ready',
  base_url: server.baseUrl,
  test_key: server.testKey,
  live_key: server.liveKey,
  control_url: server.controlUrl,
  control_token: server.controlToken,
});

const recordOf = (local: LocalContext, server: RunningSandbox, store: string): RunningRecord => ({
  base_url: server.baseUrl,
  control_url: server.controlUrl,
  pid: process.pid,
  started_at: new Date(local.clock.now()).toISOString(),
  store,
});

/** Makes it the sandbox that other commands use by default. Returns the profile's name if it was written. */
async function makeKnown(
  local: LocalContext,
  server: RunningSandbox & Pick<ServerOptions, 'service'>,
  record: RunningRecord,
): Promise<string | undefined> {
  const written = await writeProfile(local, server);
  writeRecord(sandboxPlace(local.stateDir), record, server.controlToken); // last: a process that finds it finds everything
  if (written) return PROFILE;
  local.out.warn(`the profile "${PROFILE}" is for another service and was not changed`);
  return undefined;
}
