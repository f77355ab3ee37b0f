import {readFileSync} from 'node:fs';
import {resolve as resolvePath} from 'node:path';
import {EXIT, RemitError, type ExitCode} from '../../../errors.ts';
import {hasArrived, type Delivery} from '../../../webhooks/delivery.ts';
import {Forwarder} from '../../../webhooks/listen/forwarder.ts';
import {watchTarget} from '../../../webhooks/listen/health.ts';
import {Intake} from '../../../webhooks/listen/intake.ts';
import {KnownEvents} from '../../../webhooks/listen/known-events.ts';
import {Receiver} from '../../../webhooks/listen/server.ts';
import {loopbackCertificate} from '../../../webhooks/local-authority.ts';
import {postBytes} from '../../../webhooks/post.ts';
import {MAX_BODY_BYTES} from '../../../webhooks/raw-body.ts';
import type {WebhookSecret} from '../../../webhooks/secrets.ts';
import {resignedHeaders} from '../../../webhooks/replay.ts';
import type {Context, LocalContext} from '../../core/context.ts';
import {enlargeYoungSpace, keepHeapSmall} from '../../runtime/memory.ts';
import {Expander} from './expand.ts';
import type {Entry} from '../../../webhooks/record/entry.ts';
import type {OpenInspector} from '../events/inspector.ts';
import {ListenRecord} from './record.ts';
import {ListenReport} from './report.ts';
import {readExpectation, readRoutes, wantedTypes, type Expectation, type ListenFlags} from './options.ts';
import {removeLeftOvers} from './left-overs.ts';
import {registerEndpoint, type Registration} from './register.ts';
import {givenSecrets, readSecrets} from '../secrets.ts';
import {trustedCertificates} from './trust.ts';
import {verifyOptions} from '../verify/flags.ts';

const FORWARD_TIMEOUT_MS = 30_000;
const RESPONSE_BYTES = 2048;

/**
 * Runs the listener until Ctrl-C, SIGTERM, or the end of --expect.
 * @param context with a profile, where --register or --expand needs the service
 */
export async function listen(
  local: LocalContext,
  context: Context | undefined,
  flags: ListenFlags,
): Promise<{data: unknown; exitCode: ExitCode}> {
  keepHeapSmall();
  enlargeYoungSpace();
  const secrets: WebhookSecret[] =
    flags.register || flags['allow-unverified']
      ? givenSecrets(local, flags)
      : await readSecrets(local, flags);
  const report = new ListenReport(local.out, {showResponse: flags['show-response'] ?? false});
  const expander =
    context !== undefined && flags.expand ? new Expander(context, (line) => report.object(line)) : undefined;
  const known = new KnownEvents(targetsOf(flags));
  const record = flags['no-record'] ? undefined : new ListenRecord(local, flags);
  const expectation = readExpectation(flags);
  const ending = endOf(local, flags, expectation);
  const resignWith = readResignSecret(local, flags);
  let inspector: OpenInspector | undefined;
  /** With a record the page follows that, so that it also shows what other processes add. */
  const inspect = (entry: Entry) => record === undefined && inspector?.add(entry);
  const forwarder = makeForwarder(local, flags, {report, record, known, resignWith, inspect});
  const intake = new Intake({
    clock: local.clock,
    secrets: () => secrets,
    verify: verifyOptions(flags),
    allowUnverified: flags['allow-unverified'] ?? false,
    wanted: wantedTypes(flags),
    known,
    write: record && ((entry, onWritten) => record.write(entry, onWritten)),
    forwarder,
    respondDownstream: flags.respond === 'downstream',
    onDelivery: (delivery, event) => {
      report.delivery(delivery, event);
      expander?.see(delivery);
      inspect({kind: 'delivery', delivery});
      ending.see(delivery, event);
    },
    onRefused: (reason, detail) => report.refused(reason, detail, local.clock.now()),
  });
  let receiver: Receiver;
  try {
    await record?.open();
    receiver = await openReceiver(local, flags, intake);
  } catch (error) {
    ending.release();
    await record?.close();
    throw error;
  }
  const url = `${flags.tls ? 'https' : 'http'}://${shownHost(flags)}:${receiver.port}${flags.path}`;
  let registration: Registration | undefined;
  const watching = new AbortController();
  try {
    await record?.resume(known, forwarder);
    if (context !== undefined && flags.register) {
      await removeLeftOvers(context);
      registration = await registerEndpoint(context, {
        ...{url: flags['public-url'] ?? url, events: flags.events, secretFile: flags['secret-file']},
      });
      secrets.push(registration.secret);
    }
    inspector = await openPage(local, flags, {secrets, resignWith});
    const ready = {url, path: flags.path, port: receiver.port, endpoint_id: registration?.id ?? null};
    const page = {ui_url: inspector?.url ?? null};
    report.ready(
      {type: 'ready', ...ready, recorded: record !== undefined, ...page},
      readyText(url, flags, {registration, ...page}),
    );
    if (!flags['no-health-check'])
      for (const target of targetsOf(flags))
        void watchTarget(target, {
          clock: local.clock,
          signal: watching.signal,
          onChange: (...change) => report.target(...change),
        });
    const {exitCode, matched} = await ending.reached;
    if (expectation !== undefined) report.expected(expectation.eventType, matched);
    return {data: await finish(exitCode), exitCode};
  } catch (error) {
    await finish(EXIT.OK);
    throw error;
  } finally {
    watching.abort();
    ending.release();
  }

  /** Stops in an order that loses nothing: no new deliveries, answers sent, forwards under way, endpoint, record. */
  async function finish(exitCode: ExitCode) {
    intake.stopping = true;
    const {second} = local.stop.drain();
    const cut = () => {
      receiver.kill();
      forwarder.stop();
      expander?.stop();
    };
    if (second.aborted) cut();
    else second.addEventListener('abort', cut, {once: true});
    await registration?.remove();
    await receiver.close();
    const waiting = await forwarder.drain();
    await expander?.close();
    await inspector?.close();
    await record?.close();
    if (waiting > 0 && exitCode !== EXIT.OK)
      local.out.warn(
        `${waiting} deliveries still have to be forwarded; run the same command again to continue with them`,
      );
    return report.summary();
  }
}

interface ForwarderParts {
  report: ListenReport;
  record: ListenRecord | undefined;
  known: KnownEvents;
  resignWith: string | undefined;
  inspect: (entry: Entry) => void;
}

function makeForwarder(
  local: LocalContext,
  flags: ListenFlags,
  {report, record, known, resignWith, inspect}: ForwarderParts,
): Forwarder {
  const ca = trustedCertificates(local);
  return new Forwarder({
    routes: readRoutes(flags),
    clock: local.clock,
    post: (target, headers, body, signal) =>
      postBytes(new URL(target), headers, body, {
        timeoutMs: flags['forward-timeout'] ?? FORWARD_TIMEOUT_MS,
        keepBytes: flags['show-response'] ? RESPONSE_BYTES : 0,
        ...{signal, ca},
      }),
    resign:
      resignWith === undefined
        ? undefined
        : ({headers, body}) => resignedHeaders(resignWith, {headers, body}, local.clock.now()),
    concurrency: flags['forward-concurrency'],
    maxBacklog: flags['max-backlog'],
    ordered: flags.ordered ?? false,
    attempts: flags['forward-attempts'],
    random: local.runtime.random,
    onResult: (result, response, {eventId}) => {
      if (eventId !== null && hasArrived(result)) known.forwarded(eventId, result.target);
      inspect({kind: 'forward', forward: result});
      const show = () => report.forward(result, response);
      // A script may replay a delivery as soon as it reads that it is dead: the record must have the result by then.
      if (record === undefined) show();
      else if (result.gaveUp) record.note(result, show);
      else {
        record.note(result, () => undefined);
        show();
      }
    },
    onBusy: (target, active) =>
      local.out.warn(
        `${active} requests are under way at ${target}, and more wait: it is slower than the deliveries`,
      ),
  });
}

const targetsOf = (flags: ListenFlags): string[] => [...new Set(readRoutes(flags).map(({target}) => target))];

/** The secret that --resign signs with. */
function readResignSecret({runtime}: LocalContext, {resign: file}: ListenFlags): string | undefined {
  if (file === undefined) return undefined;
  const secret = readFileSync(resolvePath(runtime.cwd, file), 'utf8').replace(/\r?\n$/, '');
  if (secret === '') throw new RemitError('LOCAL_VALIDATION', `the secret file ${file} is empty`);
  return secret;
}

/** The page of --ui. */
async function openPage(
  local: LocalContext,
  flags: ListenFlags,
  {secrets, resignWith}: {secrets: readonly WebhookSecret[]; resignWith: string | undefined},
): Promise<OpenInspector | undefined> {
  if (!flags.ui) return undefined;
  const {openInspector} = await import('../events/inspector.ts');
  return openInspector(local, {
    ...{port: flags['ui-port'] ?? 0, recorded: !flags['no-record'], secrets: () => secrets, resignWith},
    timestampFormat: flags['timestamp-format'],
    target: readRoutes(flags)[0]?.target,
    allowExternal: flags['allow-external'],
    timeoutMs: flags['forward-timeout'] ?? FORWARD_TIMEOUT_MS,
  });
}

async function openReceiver(local: LocalContext, flags: ListenFlags, intake: Intake): Promise<Receiver> {
  return Receiver.open({
    host: flags.host,
    port: flags.port,
    path: flags.path,
    tls: flags.tls ? await loopbackCertificate(local.stateDir, local.clock.now()) : undefined,
    maxBodyBytes: flags['max-body'] ?? MAX_BODY_BYTES,
    clock: local.clock,
    refusal: (headers) => intake.refusal(headers),
    receive: (request, reply) => intake.receive(request, reply),
    onBug: (error) =>
      local.out.warn(`internal error (a bug in remit): ${(error as Error).stack ?? String(error)}`),
  });
}

/** The certificate of --tls names localhost. */
const shownHost = ({host, tls}: ListenFlags): string =>
  tls ? 'localhost' : host.includes(':') ? `[${host}]` : host;

function readyText(
  url: string,
  flags: ListenFlags,
  {registration, ui_url: page}: {registration: Registration | undefined; ui_url: string | null},
): string[] {
  const targets = targetsOf(flags);
  return [
    `Listening on ${url}`,
    ...(page === null ? [] : [`Inspect deliveries at ${page}`]),
    ...(registration === undefined
      ? []
      : [`Registered as endpoint ${registration.id}; it is removed on exit.`]),
    ...(flags['secret-file'] === undefined
      ? []
      : [`Its signing secret is in ${flags['secret-file']}, which is removed with it.`]),
    ...(targets.length === 0 ? [] : [`Forwarding to ${targets.join(', ')}`]),
    ...(flags['allow-unverified'] ? ['Signatures are not required (--allow-unverified).'] : []),
    ...(flags['no-record'] ? ['Deliveries are not recorded (--no-record).'] : []),
  ];
}

interface Ending {
  see: (delivery: Delivery, event: unknown) => void;
  reached: Promise<{exitCode: ExitCode; matched: string | null}>;
  release: () => void;
}

/** A signal, the expected event, or the end of the time for it. */
function endOf(
  {stop, clock}: LocalContext,
  {timeout}: ListenFlags,
  expectation: Expectation | undefined,
): Ending {
  const timer = new AbortController();
  let end: (how: {exitCode: ExitCode; matched: string | null}) => void = () => {};
  const reached = new Promise<{exitCode: ExitCode; matched: string | null}>((resolve) => (end = resolve));
  const onSignal = () => end({exitCode: stop.reason?.exitCode ?? EXIT.INTERRUPTED, matched: null});
  const {first} = stop.drain();
  if (first.aborted) onSignal();
  else first.addEventListener('abort', onSignal, {once: true});
  if (timeout !== undefined)
    clock.sleep(timeout, timer.signal).then(
      () => end({exitCode: expectation === undefined ? EXIT.OK : EXIT.TIMED_OUT, matched: null}),
      () => undefined,
    );
  const see = (delivery: Delivery, event: unknown) => {
    if (expectation === undefined || delivery.verdict === 'rejected') return;
    if (expectation.matches(delivery.eventType, event)) end({exitCode: EXIT.OK, matched: delivery.id});
  };
  return {see, reached, release: () => timer.abort()};
}
