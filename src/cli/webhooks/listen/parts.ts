import {resolve as resolvePath} from 'node:path';
import {RemitError} from '../../../errors.ts';
import {hasArrived} from '../../../webhooks/delivery/delivery.ts';
import {Forwarder} from '../../../webhooks/listen/forwarder.ts';
import {Intake} from '../../../webhooks/listen/intake.ts';
import {KnownEvents} from '../../../webhooks/listen/known-events.ts';
import {postBytes} from '../../../webhooks/delivery/post.ts';
import type {RecordEntry} from '../../../webhooks/record/entry.ts';
import {resignedHeaders} from '../../../webhooks/record/replay.ts';
import {otherTimestampFormat} from '../../../webhooks/verify/diagnosis.ts';
import type {WebhookSecret} from '../../../webhooks/verify/secrets.ts';
import type {Context, LocalContext} from '../../core/context.ts';
import type {OpenInspector} from '../events/inspector.ts';
import {givenNamedSecrets, readNamedSecrets, readSecretFile, type NamedSecret} from '../secrets.ts';
import {statedForm, verifyOptions} from '../verify/flags.ts';
import {endOf, type ListenEnding} from './ending.ts';
import {Expander} from './expand.ts';
import {
  readExpectation,
  readRoutes,
  targetsOf,
  unknownTypes,
  wantedTypes,
  type Expectation,
  type ListenFlags,
} from './options.ts';
import {FreshSecrets} from './fresh-secrets.ts';
import {secretsText} from './ready-text.ts';
import type {OwnEndpoint} from '../registration/own-endpoint.ts';
import {ListenRecord} from './record.ts';
import {ListenReport} from './report.ts';
import {trustedCertificates} from './trust.ts';

export const FORWARD_TIMEOUT_MS = 30_000;
const RESPONSE_BYTES = 2048;

/** The parts that handle a delivery in the listener. */
export interface ListenParts {
  /** Grows: an endpoint that is registered later adds its own secret. */
  secrets: WebhookSecret[];
  /** Those of the user, without that of the endpoint. */
  given: readonly NamedSecret[];
  report: ListenReport;
  expander: Expander | undefined;
  known: KnownEvents;
  record: ListenRecord | undefined;
  expectation: Expectation | undefined;
  ending: ListenEnding;
  resignWith: string | undefined;
  forwarder: Forwarder;
  intake: Intake;
  /** The page of --ui, once it is open. */
  page: {inspector?: OpenInspector | undefined};
  /** With --register, once the endpoint exists. */
  own: {endpoint?: OwnEndpoint | undefined};
}

/** @param context with a profile, if --register or --expand needs the service */
export async function makeParts(
  local: LocalContext,
  context: Context | undefined,
  flags: ListenFlags,
): Promise<ListenParts> {
  for (const text of unknownTypes(flags)) local.out.warn(`no documented event type matches ${text}`);
  const given =
    flags.register || flags['allow-unverified']
      ? givenNamedSecrets(local, flags)
      : await readNamedSecrets(local, flags, {
          question: 'Signing secret of your endpoint (not shown; --register creates an endpoint):',
          sources: 'REMIT_WEBHOOK_SECRET, --secret-from FILE or --register',
        });
  const secrets = given.map(({value}) => value);
  const report = new ListenReport(local.out, {
    ...{showResponse: flags['show-response'] ?? false, isRecorded: !flags['no-record']},
    formatOf: ({body, headers}) =>
      secrets.length === 0
        ? undefined
        : otherTimestampFormat({body, headers, secrets, form: statedForm(flags)}),
  });
  const expander =
    context !== undefined && flags.expand ? new Expander(context, (line) => report.object(line)) : undefined;
  const known = new KnownEvents(targetsOf(flags));
  const record = flags['no-record'] ? undefined : new ListenRecord(local, flags);
  const expectation = readExpectation(flags);
  const ending = endOf(local, flags, expectation);
  const resignWith = readResignSecret(local, flags);
  const page: ListenParts['page'] = {};
  const own: ListenParts['own'] = {};
  /** With a record, the page follows it, so that it also shows what other processes add. */
  const inspect = (entry: RecordEntry) => record === undefined && page.inspector?.add(entry);
  const forwarder = makeForwarder(local, flags, {report, record, known, resignWith, inspect});
  const some = {
    ...{secrets, given, report, expander, known, record, expectation, ending},
    ...{resignWith, forwarder, page, own},
  };
  return {...some, intake: makeIntake(local, flags, {...some, inspect})};
}

function makeIntake(
  local: LocalContext,
  flags: ListenFlags,
  parts: Omit<ListenParts, 'intake'> & {inspect: (entry: RecordEntry) => void},
): Intake {
  const {secrets, given, report, expander, known, record, ending, forwarder, own, inspect} = parts;
  const fresh = new FreshSecrets(local, flags, given, (now, before) => {
    const others = secrets.filter((secret) => !before.includes(secret));
    secrets.splice(0, secrets.length, ...now.map(({value}) => value), ...others);
    if (!local.out.settings.quiet) local.out.note(`Verifying with ${secretsText(now)} from now on.`);
  });
  return new Intake({
    clock: local.clock,
    secrets: () => secrets,
    moreSecrets: () => fresh.read(),
    verify: verifyOptions(flags),
    allowUnverified: flags['allow-unverified'] ?? false,
    wanted: wantedTypes(flags),
    ...{known, forwarder},
    write: record && ((entry, onWritten) => record.write(entry, onWritten)),
    respondDownstream: flags.respond === 'downstream',
    onDelivery: (delivery, json) => {
      report.delivery(delivery, json);
      if (delivery.reason === 'mismatch') own.endpoint?.mismatch();
      expander?.see(delivery);
      inspect({kind: 'delivery', delivery});
      ending.see(delivery, json?.value);
    },
    onRefused: (reason, detail) => report.refused(reason, detail, local.clock.now()),
  });
}

interface ForwarderParts {
  report: ListenReport;
  record: ListenRecord | undefined;
  known: KnownEvents;
  resignWith: string | undefined;
  inspect: (entry: RecordEntry) => void;
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
        ...{signal, ca, env: local.runtime.env},
      }),
    resign:
      resignWith === undefined
        ? undefined
        : ({headers, body}) =>
            resignedHeaders(resignWith, {headers, body}, local.clock.now(), statedForm(flags)),
    concurrency: flags['forward-concurrency'],
    maxBacklog: flags['max-backlog'],
    ordered: flags.ordered ?? false,
    attempts: flags['forward-attempts'],
    random: local.runtime.random,
    onResult: (result, response, {eventId}) => {
      if (eventId !== null && hasArrived(result)) known.forwarded(eventId, result.target);
      inspect({kind: 'forward', forward: result});
      const show = () => report.forward(result, response);
      // A script may replay a delivery as soon as it reads that it is dead, so the record must already have the
      // result.
      if (record === undefined) show();
      else if (result.gaveUp) record.note(result, show);
      else {
        record.note(result, () => undefined);
        show();
      }
    },
    onBusy: (target, active) =>
      local.out.warn(
        `${active} requests to ${target} are in progress and more are waiting: it is slower than the deliveries`,
      ),
  });
}

/** The secret that --resign signs with. */
function readResignSecret({runtime}: LocalContext, {resign: file}: ListenFlags): string | undefined {
  if (file === undefined) return undefined;
  const secret = readSecretFile(resolvePath(runtime.cwd, file)).replace(/\r?\n$/, '');
  if (secret === '') throw new RemitError('LOCAL_VALIDATION', `the secret file ${file} is empty`);
  return secret;
}
