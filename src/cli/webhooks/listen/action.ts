import {EXIT, type ExitCode} from '../../../errors.ts';
import {messageOf} from '../../../narrow.ts';
import {watchTarget} from '../../../webhooks/listen/health.ts';
import type {DroppedLine} from '../../../webhooks/delivery/lines.ts';
import {Receiver} from '../../../webhooks/http/server.ts';
import {loopbackCertificate} from '../../../webhooks/tls/local-authority.ts';
import {MAX_BODY_BYTES} from '../../../webhooks/verify/raw-body.ts';
import type {Context, LocalContext} from '../../core/context.ts';
import type {CommandOutcome} from '../../core/outcome.ts';
import {readableStack} from '../../core/readable-stack.ts';
import {enlargeYoungSpace, keepHeapSmall} from '../../runtime/memory.ts';
import type {OpenInspector} from '../events/inspector.ts';
import {claimLeftOvers, releaseAll} from '../registration/claim.ts';
import type {HeldEndpoint} from '../registration/endpoint-note.ts';
import {secretsInUse} from '../registration/kept-secret.ts';
import {readRoutes, targetsOf, type ListenFlags} from './options.ts';
import {FORWARD_TIMEOUT_MS, makeParts, type ListenParts} from './parts.ts';
import {statedForm} from '../verify/flags.ts';
import {OwnEndpoint} from '../registration/own-endpoint.ts';
import {listenerUrl, readyText} from './ready-text.ts';
import {openRegistration, type Registration} from '../registration/register.ts';

/** A listener that accepts deliveries. */
interface Running extends ListenParts {
  receiver: Receiver;
  /** Endpoints of killed listeners, until the one of this listener is registered. */
  left: readonly HeldEndpoint[];
  registration: Registration | undefined;
}

/** Ends that mean only that the listener was stopped; anything that is left is worth more to a script. */
const PLAIN_ENDS: readonly ExitCode[] = [EXIT.OK, EXIT.INTERRUPTED, EXIT.TERMINATED];

/**
 * Runs the listener until Ctrl-C, SIGTERM, or the end of --expect.
 * @param context with a profile, if --register or --expand needs the service
 */
export async function listen(
  local: LocalContext,
  context: Context | undefined,
  flags: ListenFlags,
): Promise<CommandOutcome> {
  keepHeapSmall();
  enlargeYoungSpace();
  const parts = await makeParts(local, context, flags);
  const {report, expectation} = parts;
  const left = await claimLeft(context, flags, parts);
  const receiver = await start(local, flags, {...parts, left});
  const running: Running = {...parts, receiver, left, registration: undefined};
  const {exitCode, matched} = await runUntilEnd(local, context, flags, running);
  if (expectation !== undefined) report.expected(expectation.eventType, matched);
  const {endpointsLeft, isClosed} = await finish(local, running, exitCode);
  const isPartial = endpointsLeft.length > 0 || !isClosed || report.hasLost;
  return {
    data: report.summary(endpointsLeft),
    exitCode: isPartial && PLAIN_ENDS.includes(exitCode) ? EXIT.PARTIAL : exitCode,
  };
}

/**
 * Before the port is open: a delivery to an endpoint that is used again may arrive at once, and must verify. An
 * attempt that is rejected would be one of the eight that the service makes.
 */
async function claimLeft(
  context: Context | undefined,
  flags: ListenFlags,
  {secrets}: ListenParts,
): Promise<HeldEndpoint[]> {
  if (context === undefined || !flags.register) return [];
  const left = await claimLeftOvers(context);
  const url = flags['public-url'] ?? (flags.port === 0 ? undefined : listenerUrl(flags, flags.port));
  try {
    if (url !== undefined) secrets.push(...secretsInUse(left, url));
  } catch (error) {
    await releaseAll(left);
    throw error;
  }
  return left;
}

/** If it cannot begin, everything that was opened is closed again. */
async function runUntilEnd(
  local: LocalContext,
  context: Context | undefined,
  flags: ListenFlags,
  running: Running,
): ListenParts['ending']['reached'] {
  const {ending} = running;
  const watching = new AbortController();
  try {
    await announce(local, context, flags, running);
    watchTargets(local, flags, running, watching.signal);
    return await ending.reached;
  } catch (error) {
    await finish(local, running, EXIT.OK);
    throw error;
  } finally {
    watching.abort();
    ending.release();
  }
}

/** Opens the record and the port. */
async function start(
  local: LocalContext,
  flags: ListenFlags,
  {record, intake, report, ending, left}: Pick<Running, 'record' | 'intake' | 'report' | 'ending' | 'left'>,
): Promise<Receiver> {
  try {
    await record?.open();
    return await openReceiver(local, flags, {intake, report});
  } catch (error) {
    ending.release();
    await releaseAll(left);
    await record?.close();
    throw error;
  }
}

/** Continues what an earlier run left, registers, opens the page, and prints that the listener is ready. */
async function announce(
  local: LocalContext,
  context: Context | undefined,
  flags: ListenFlags,
  running: Running,
): Promise<void> {
  const {record, known, forwarder, receiver, report, secrets, page, own} = running;
  const url = listenerUrl(flags, receiver.port);
  await record?.resume(known, forwarder);
  if (context !== undefined && flags.register) {
    const request = {url: flags['public-url'] ?? url, events: flags.events, secretFile: flags['secret-file']};
    const onDropped = (line: DroppedLine) => report.dropped(line);
    running.registration = await openRegistration(context, {...request, onDropped}, running.left);
    const {secret, isUsedAgain} = running.registration;
    if (!secrets.includes(secret)) secrets.push(secret);
    own.endpoint = new OwnEndpoint(context, running.registration, (line) => report.endpoint(line));
    if (isUsedAgain) void own.endpoint.check(); // it may have been disabled in the meantime
    void own.endpoint.watch();
  }
  page.inspector = await openPage(local, flags, running);
  const {registration} = running;
  const ready = {url, path: flags.path, port: receiver.port, endpoint_id: registration?.id ?? null};
  const ui = {ui_url: page.inspector?.url ?? null};
  report.ready(
    {type: 'ready', ...ready, recorded: record !== undefined, ...ui},
    readyText(url, flags, {registration, given: running.given, ...ui}),
  );
}

function watchTargets(
  {clock}: LocalContext,
  flags: ListenFlags,
  {report}: ListenParts,
  signal: AbortSignal,
): void {
  if (flags['no-health-check']) return;
  for (const target of targetsOf(flags))
    void watchTarget(target, {clock, signal, onChange: (...change) => report.target(...change)});
}

/**
 * Stops in an order that loses nothing: no new deliveries, answers sent, forwards in progress, endpoint, record.
 * @returns ids of endpoints that exist or may exist, and whether the record was closed
 */
async function finish(
  local: LocalContext,
  running: Running,
  exitCode: ExitCode,
): Promise<{endpointsLeft: string[]; isClosed: boolean}> {
  const {intake, receiver, forwarder, expander, registration, page, own, record} = running;
  intake.stopping = true;
  own.endpoint?.end();
  const {second} = local.stop.drain();
  const cut = () => {
    receiver.kill();
    forwarder.stop();
    expander?.stop();
  };
  if (second.aborted) cut();
  else second.addEventListener('abort', cut, {once: true});
  const endpointsLeft = (await registration?.remove()) ?? [];
  await receiver.close();
  const waiting = await forwarder.drain();
  await expander?.close();
  await page.inspector?.close();
  const isClosed = await closeRecord(local, record);
  if (waiting > 0 && exitCode !== EXIT.OK)
    local.out.warn(
      `${waiting} deliveries are still waiting to be forwarded; run the same command again to forward them`,
    );
  return {endpointsLeft, isClosed};
}

/** False, after a warning: what was answered with 2XX is on disk already. */
async function closeRecord({out}: LocalContext, record: ListenParts['record']): Promise<boolean> {
  try {
    await record?.close();
    return true;
  } catch (error) {
    out.warn(`the record was not closed properly: ${messageOf(error)}`);
    return false;
  }
}

/** The page of --ui. */
async function openPage(
  local: LocalContext,
  flags: ListenFlags,
  {secrets, resignWith}: ListenParts,
): Promise<OpenInspector | undefined> {
  if (!flags.ui) return undefined;
  const {openInspector} = await import('../events/inspector.ts');
  return openInspector(local, {
    ...{port: flags['ui-port'] ?? 0, recorded: !flags['no-record'], secrets: () => secrets, resignWith},
    form: statedForm(flags),
    target: readRoutes(flags)[0]?.target,
    allowExternal: flags['allow-external'],
    timeoutMs: flags['forward-timeout'] ?? FORWARD_TIMEOUT_MS,
  });
}

async function openReceiver(
  local: LocalContext,
  flags: ListenFlags,
  {intake, report}: Pick<ListenParts, 'intake' | 'report'>,
): Promise<Receiver> {
  return Receiver.open({
    host: flags.host,
    port: flags.port,
    path: flags.path,
    tls: flags.tls ? await loopbackCertificate(local.stateDir, local.clock.now()) : undefined,
    maxBodyBytes: flags['max-body'] ?? MAX_BODY_BYTES,
    clock: local.clock,
    refusal: (headers) => intake.refusal(headers),
    receive: (request, reply) => intake.receive(request, reply),
    onOtherPath: (path) => report.otherPath(path, flags.path),
    onBug: (error) =>
      local.out.warn(`internal error (a bug in remit): ${readableStack(error) ?? String(error)}`),
  });
}
