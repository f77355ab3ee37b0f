import {RemitError} from '../../../errors.ts';
import {stackOf} from '../../../narrow.ts';
import {strippedLines} from '../../../sanitize/harmful.ts';
import {DeliveryLog, type LoggedDelivery} from '../../../webhooks/inspector/delivery-log.ts';
import {RecordFeed} from '../../../webhooks/inspector/record-feed.ts';
import {InspectorServer, type ReplayShown} from '../../../webhooks/inspector/server.ts';
import {postBytes} from '../../../webhooks/delivery/post.ts';
import type {RecordEntry} from '../../../webhooks/record/entry.ts';
import {RecordWriter} from '../../../webhooks/record/writer.ts';
import {replayDelivery, type Replay, type ReplayOutcome} from '../../../webhooks/record/replay.ts';
import {secretFingerprint, type WebhookSecret} from '../../../webhooks/verify/secrets.ts';
import type {SignatureForm} from '../../../contract/signature-form.ts';
import type {LocalContext} from '../../core/context.ts';
import {recordFolder} from '../place.ts';
import {trustedCertificates} from '../listen/trust.ts';

export interface InspectorSettings {
  /** 0 picks a free one. */
  port: number;
  /** False with --no-record: the page then shows only what is passed to `add`. */
  recorded: boolean;
  /** Read at each use. */
  secrets: () => readonly WebhookSecret[];
  /** Signs replays instead of one of `secrets`. */
  resignWith?: WebhookSecret | undefined;
  /** How the service signs, if not as documented. */
  form?: SignatureForm | undefined;
  /** The target of replays if the delivery was not forwarded before. */
  target: string | undefined;
  allowExternal: boolean | undefined;
  timeoutMs: number;
}

export interface OpenInspector {
  /** With the token that opens the page. */
  url: string;
  add: (entry: RecordEntry) => void;
  close: () => Promise<void>;
}

const RESPONSE_BYTES = 2048;

/** Serves the page of the record, or of what is passed to `add`. @throws {RemitError} PORT_IN_USE, STATE */
export async function openInspector(
  local: LocalContext,
  settings: InspectorSettings,
): Promise<OpenInspector> {
  const {out, clock} = local;
  const log = new DeliveryLog();
  const folder = recordFolder(local);
  const feed = settings.recorded ? new RecordFeed(folder, log) : undefined;
  const writer = new RecordWriter({folder, clock});
  const append = async (entry: RecordEntry) => {
    if (feed === undefined) return log.add(entry);
    await writer.append(entry);
    feed.read(); // the next replay is compared with this one
  };
  const server = await InspectorServer.open({
    log,
    port: settings.port,
    secrets: settings.secrets,
    form: settings.form,
    canResign: settings.resignWith !== undefined || settings.secrets().length > 0,
    defaultTarget: settings.target,
    conceal: out.sanitizer,
    replay: (logged, target, resign) => replay(local, settings, {logged, target, resign, append}),
    onBug: (error) => out.warn(`internal error (a bug in remit): ${stackOf(error) ?? String(error)}`),
  });
  const stopped = new AbortController();
  feed?.read();
  void feed?.follow(clock, stopped.signal, (error) =>
    out.warn(`the page no longer follows the record: ${error.message}`),
  );
  return {
    url: server.url,
    add: (entry) => log.add(entry),
    close: async () => {
      stopped.abort();
      await server.close();
      await writer.close();
    },
  };
}

/** The secret with which replays of a delivery are signed: the one that it verified with, if known. */
function signingSecret({resignWith, secrets}: InspectorSettings, {delivery}: LoggedDelivery): WebhookSecret {
  const all = secrets();
  const secret = resignWith ?? all.find((one) => secretFingerprint(one) === delivery.secret) ?? all[0];
  if (secret !== undefined) return secret;
  throw new RemitError('LOCAL_VALIDATION', 'there is no secret to sign with', {
    hint: 'restart the command with --secret-from FILE',
  });
}

interface ReplayAsked {
  logged: LoggedDelivery;
  target: URL;
  resign: boolean;
  append: (entry: RecordEntry) => Promise<void>;
}

async function replay(
  local: LocalContext,
  settings: InspectorSettings,
  {logged, target, resign, append}: ReplayAsked,
): Promise<ReplayShown> {
  const {clock, out, stop} = local;
  const done = await replayDelivery(
    logged,
    target,
    {
      ...{clock, append, signal: stop.signal},
      post: (url, headers, body) =>
        postBytes(url, headers, body, {
          ...{timeoutMs: settings.timeoutMs, keepBytes: RESPONSE_BYTES},
          ...{signal: stop.signal, ca: trustedCertificates(local), env: local.runtime.env},
        }),
    },
    {
      resign: resign ? signingSecret(settings, logged) : undefined,
      form: settings.form,
      allowExternal: settings.allowExternal,
    },
  );
  const response = out.sanitizer.exact(strippedLines(done.response.toString('utf8')));
  return {good: GOOD.has(done.outcome), message: outcomeText(done), response};
}

const GOOD: ReadonlySet<ReplayOutcome> = new Set(['fixed', 'still_passing', 'passing']);

/** `200 in 12 ms. Fixed: the previous attempt ended with 500.` */
function outcomeText({result, before, outcome, unrecorded}: Replay): string {
  const answered = (one: {status: number | null; error: string | null}) =>
    one.status ?? one.error ?? 'no answer';
  const compared = {
    fixed: `Fixed: the previous attempt ended with ${before && answered(before)}.`,
    regressed: `Regressed: the previous attempt was answered with ${before && answered(before)}.`,
    still_failing: 'Still failing.',
    still_passing: 'Still passing.',
    passing: 'This is the first attempt there.',
    failing: 'This is the first attempt there.',
  }[outcome];
  const lost = unrecorded === null ? '' : ` The result could not be recorded: ${unrecorded.message}`;
  return `${answered(result)} in ${result.latencyMs} ms${result.resigned ? ', re-signed' : ''}. ${compared}${lost}`;
}
