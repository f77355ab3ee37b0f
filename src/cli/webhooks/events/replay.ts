import type {SignatureForm} from '../../../contract/signature-form.ts';
import {RemitError, type ExitCode} from '../../../errors.ts';
import {listed} from '../../../phrases.ts';
import {remark} from '../../../output/records/view.ts';
import {webhookReplayView} from '../../../output/views/webhook-events.ts';
import {postBytes} from '../../../webhooks/delivery/post.ts';
import {deadTargets, type RecordedDelivery} from '../../../webhooks/record/state.ts';
import {RecordWriter} from '../../../webhooks/record/writer.ts';
import {
  checkReplayable,
  replayDelivery,
  type Replay,
  type ReplayTools,
} from '../../../webhooks/record/replay.ts';
import {secretFingerprint, type WebhookSecret} from '../../../webhooks/verify/secrets.ts';
import {checkTarget, parseTarget} from '../../../webhooks/delivery/target.ts';
import type {LocalContext} from '../../core/context.ts';
import {eventFilter, type EventFilters} from './filters.ts';
import {recordFolder} from '../place.ts';
import {readRecorded} from './read-record.ts';
import {exitOfReplays, showReplayEnd, type Again} from './replay-end.ts';
import {readSecrets, type SecretFlags} from '../secrets.ts';
import {trustedCertificates} from '../listen/trust.ts';
import type {Shown} from '../../help/outputs/forms.ts';
import type {Replayed} from '../../help/outputs/webhooks.ts';

export interface ReplayFlags extends SecretFlags, EventFilters {
  'forward-to'?: string[] | undefined;
  'allow-external'?: boolean | undefined;
  resign?: boolean | undefined;
  timeout?: number | undefined;
  'show-response'?: boolean | undefined;
  /** How the service signs, if not as documented. */
  form?: SignatureForm | undefined;
}

/** One replay, in the form for machines. */
export type ReplayRow = Shown<typeof Replayed>;

interface Job {
  recorded: RecordedDelivery;
  target: URL;
}

const TIMEOUT_MS = 10_000;
const KEEP_BYTES = 65_536;
const RESPONSE = remark('Response', 'response', 0);

/**
 * Sends recorded deliveries again, one at a time and in order of arrival. Exits 8 if one was not accepted.
 * @param again for hints
 */
export async function replayRecorded(
  local: LocalContext,
  ids: readonly string[],
  flags: ReplayFlags,
  again: Again,
): Promise<ExitCode> {
  if (flags['secret-from'] !== undefined && !flags.resign)
    throw new RemitError('USAGE', '--secret-from needs --resign');
  const jobs = jobsOf(select(local, ids, flags, again), flags, again);
  for (const {recorded, target} of jobs) {
    checkReplayable(recorded.delivery);
    checkTarget(target, flags['allow-external']);
  }
  const secret = flags.resign ? await signingSecret(local, flags) : undefined;
  const writer = new RecordWriter({folder: recordFolder(local), clock: local.clock});
  const done: Replay[] = [];
  try {
    const {columns} = webhookReplayView;
    const view = {...webhookReplayView, columns: flags['show-response'] ? [...columns, RESPONSE] : columns};
    await local.out.list(replays(local, jobs, {flags, secret, writer, done}), view);
  } finally {
    await writer.close();
    showReplayEnd(local.out, done, {...flags, ids}, again);
  }
  const unrecorded = done.find((replay) => replay.unrecorded !== null)?.unrecorded;
  if (unrecorded != null)
    throw new RemitError(
      'STATE',
      `the replay was sent, but its result is not recorded: ${unrecorded.message}`,
    );
  return exitOfReplays(done);
}

/** The deliveries that are named, or that match the filters. @throws {RemitError} NOT_FOUND for an unknown id */
function select(
  local: LocalContext,
  ids: readonly string[],
  flags: ReplayFlags,
  again: Again,
): RecordedDelivery[] {
  const {type, since, before, verdict, match, failed} = flags;
  const filters = {type, since, before, verdict, match, failed: failed || undefined};
  const all = readRecorded(local);
  if (ids.length === 0 && Object.values(filters).every((value) => value === undefined))
    throw withoutSelection(all, flags, again);
  const has = ({delivery}: RecordedDelivery, id: string) => delivery.id === id || delivery.eventId === id;
  const missing = ids.find((id) => !all.some((recorded) => has(recorded, id)));
  if (missing !== undefined)
    throw new RemitError('NOT_FOUND', `the record has no delivery or event ${missing}`, {
      hint: 'remit webhooks events list',
    });
  const named = ids.length === 0 ? all : all.filter((recorded) => ids.some((id) => has(recorded, id)));
  const selected = named.filter(eventFilter(filters));
  if (selected.length === 0) local.out.note(`0 deliveries match ${selectionText(ids, filters)}`);
  const isMeant = !flags.resign || ids.length > 0 || verdict === 'rejected';
  return isMeant ? selected : withoutRejected(local, selected);
}

/** `--failed and --since`, `these ids and --type`. */
const selectionText = (ids: readonly string[], filters: EventFilters): string =>
  listed([
    ...(ids.length === 0 ? [] : ['these ids']),
    ...Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`])),
  ]);

/** A forged delivery that is signed again would be accepted. */
function withoutRejected(local: LocalContext, selected: RecordedDelivery[]): RecordedDelivery[] {
  const kept = selected.filter(({delivery}) => delivery.verdict !== 'rejected');
  const left = selected.length - kept.length;
  if (left > 0)
    local.out.warn(
      `${left === 1 ? '1 rejected delivery is' : `${left} rejected deliveries are`} left out: --resign would give ${left === 1 ? 'it' : 'them'} a valid signature; to replay ${left === 1 ? 'it' : 'them'}, name the id or add --verdict rejected`,
    );
  return kept;
}

/** The hint selects what is most likely meant: the failed deliveries, or the last one. */
function withoutSelection(all: readonly RecordedDelivery[], flags: ReplayFlags, again: Again): RemitError {
  const last = (all.findLast(({delivery}) => delivery.verdict !== 'rejected') ?? all.at(-1))?.delivery;
  if (last === undefined)
    return new RemitError('NOT_FOUND', 'no deliveries are recorded, so there is nothing to replay', {
      hint: (commands) => commands.read('webhooks', 'listen', '--register', '--tls', ...targetWords(flags)),
    });
  const hasFailed = all.some((recorded) => deadTargets(recorded).length > 0);
  return new RemitError(
    'USAGE',
    `name the deliveries to replay by id, or select them with filters, for example ${hasFailed ? 'those that failed' : 'the last one'}:`,
    {hint: again(hasFailed ? '--failed' : last.id)},
  );
}

/** The targets that were typed, for the listener. */
const targetWords = (flags: ReplayFlags): string[] => [
  ...(flags['forward-to'] ?? []).flatMap((target) => ['--forward-to', target]),
  ...(flags['allow-external'] ? ['--allow-external'] : []),
];

/**
 * To the addresses of --forward-to; otherwise, with --failed, to where it failed, or to where the listener forwarded
 * it.
 */
function jobsOf(selected: readonly RecordedDelivery[], flags: ReplayFlags, again: Again): Job[] {
  const given = flags['forward-to']?.map((text) => parseTarget(text).href);
  const jobs = selected.flatMap((recorded) => {
    const targets = given ?? (flags.failed ? deadTargets(recorded) : recorded.delivery.targets);
    return [...new Set(targets)].map((target): Job => ({recorded, target: new URL(target)}));
  });
  if (selected.length > 0 && jobs.length === 0)
    throw new RemitError(
      'USAGE',
      `${selected.length === 1 ? 'this delivery was' : 'these deliveries were'} not forwarded anywhere, so the target is missing. Name the port and path of your receiver, for example:`,
      {hint: again('--forward-to', '3000/hook')},
    );
  return jobs;
}

async function signingSecret(local: LocalContext, flags: ReplayFlags): Promise<WebhookSecret> {
  const [secret, ...others] = await readSecrets(local, flags);
  if (secret === undefined) throw new Error('no secret was read');
  const which = others.length > 0 ? `the first of ${others.length + 1} secrets` : 'secret';
  local.out.note(`Signing with ${which} (fingerprint ${secretFingerprint(secret)}).`);
  return secret;
}

async function* replays(
  local: LocalContext,
  jobs: readonly Job[],
  run: {flags: ReplayFlags; secret: WebhookSecret | undefined; writer: RecordWriter; done: Replay[]},
): AsyncGenerator<ReplayRow> {
  const {out, stop, clock} = local;
  const {flags, secret, writer, done} = run;
  const options = {
    ...{timeoutMs: flags.timeout ?? TIMEOUT_MS, keepBytes: flags['show-response'] ? KEEP_BYTES : 0},
    ...{signal: stop.signal, ca: trustedCertificates(local), env: local.runtime.env},
  };
  const tools: ReplayTools = {
    ...{clock, signal: stop.signal},
    post: (url, headers, body) => postBytes(url, headers, body, options),
    append: (entry) => writer.append(entry),
  };
  for (const [index, {recorded, target}] of jobs.entries()) {
    stop.signal.throwIfAborted();
    out.progress(`replaying ${index + 1} of ${jobs.length}`);
    const how = {resign: secret, form: flags.form, allowExternal: flags['allow-external']};
    const replay = await replayDelivery(recorded, target, tools, how);
    done.push(replay);
    yield rowOf(replay, flags['show-response'] ?? false);
  }
  out.endProgress();
}

const rowOf = ({delivery, outcome, result, before, response}: Replay, showResponse: boolean): ReplayRow => ({
  ...{delivery: delivery.id, id: delivery.eventId, event_type: delivery.eventType, target: result.target},
  ...{outcome, status: result.status, latency_ms: result.latencyMs, error: result.error},
  ...{attempt: result.attempt, status_before: before?.status ?? null, error_before: before?.error ?? null},
  ...{resigned: result.resigned, replayed_at: new Date(result.atMs).toISOString()},
  ...(showResponse ? {response: response.toString('utf8')} : {}),
});
