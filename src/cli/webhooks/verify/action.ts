import {EXIT, RemitError} from '../../../errors.ts';
import {must} from '../../../narrow.ts';
import {DELIVERY_ID, isCut, type HeaderPairs} from '../../../webhooks/delivery/delivery.ts';
import {diagnose} from '../../../webhooks/verify/diagnosis.ts';
import {parseEvent} from '../../../webhooks/verify/event.ts';
import {lossText, readBody, type Loss} from '../../../webhooks/delivery/losses.ts';
import {parseHeaderText} from '../../../webhooks/delivery/header-lines.ts';
import {lastRecorded} from '../../../webhooks/record/find.ts';
import {secretFingerprint, type WebhookSecret} from '../../../webhooks/verify/secrets.ts';
import {formOf} from '../../../webhooks/verify/form.ts';
import {REJECTIONS, refuseByHeaders, verifyWebhook} from '../../../webhooks/verify/signature.ts';
import {cleanLine} from '../../../sanitize/harmful.ts';
import type {LocalContext} from '../../core/context.ts';
import type {Outcome} from '../../core/outcome.ts';
import {readFile, readPayload} from './payload.ts';
import {recordFolder} from '../place.ts';
import {type Candidate, readListenLines} from '../listen/lines.ts';
import {verifyOptions, type VerifyFlags} from './flags.ts';

export interface VerifyRequest extends VerifyFlags {
  source: string;
  signature?: string | undefined;
  timestamp?: string | undefined;
  headers?: string | undefined;
  /** Freshness is checked at this time. */
  atMs?: number | undefined;
}

/** The result of `verify` for one request. */
export interface VerifyResult {
  delivery: string | null;
  verdict: 'verified' | 'rejected';
  reason: string | null;
  /** How the signature would have matched, in plain words. */
  matches_if: string[];
  event_id: string | null;
  event_type: string | null;
  secret_fingerprint: string | null;
  age_seconds: number | null;
  /** What the parsed body does not show; absent if it shows everything, and for a rejected request. */
  lost?: readonly Loss[];
}

/** What to verify: a payload with its headers, a recorded delivery, or lines of `listen -o ndjson`. */
export async function readCandidates(local: LocalContext, request: VerifyRequest): Promise<Candidate[]> {
  const {source, atMs} = request;
  const named = request.signature !== undefined || request.timestamp !== undefined;
  const hasHeaders = named || request.headers !== undefined;
  if (DELIVERY_ID.test(source) && hasHeaders)
    throw new RemitError('USAGE', 'a recorded delivery has its own headers; omit the header flags');
  if (!hasHeaders) {
    if (source !== '-' && !source.startsWith('@')) return [recordedCandidate(local, source, atMs)];
    if (source === '-') return readListenLines(await readPayload(local, '-'), atMs);
    throw new RemitError('USAGE', 'the signature of this payload is missing', {
      hint: 'add --signature HEX --timestamp TS, or --headers @FILE',
    });
  }
  const headers = headersOf(local, request);
  const body = await readPayload(local, source);
  return [{delivery: null, headers, body, receivedAtMs: atMs ?? local.clock.now()}];
}

/** The delivery with this id, or the last delivery of the event with this id. */
function recordedCandidate(local: LocalContext, id: string, atMs: number | undefined): Candidate {
  const found = lastRecorded(recordFolder(local), id)?.delivery;
  if (found === undefined)
    throw new RemitError('NOT_FOUND', `no recorded delivery or event ${JSON.stringify(id)}`, {
      hint: 'see remit webhooks events list; for a file: @FILE',
    });
  const {id: delivery, headers, body, receivedAtMs} = found;
  return {delivery, headers, body, receivedAtMs: atMs ?? receivedAtMs, isCut: isCut(found)};
}

function headersOf(local: LocalContext, request: VerifyRequest): HeaderPairs {
  if (request.headers !== undefined) {
    const text = readFile(local, request.headers.replace(/^@/, '')).toString('latin1'); // one byte per character, as in HTTP
    return parseHeaderText(text);
  }
  const {signature, timestamp} = request;
  if (signature === undefined || timestamp === undefined)
    throw new RemitError('USAGE', '--signature and --timestamp must be used together');
  const {timestampHeader, signatureHeader} = formOf(request.form);
  if (timestampHeader === undefined)
    throw new RemitError(
      'USAGE',
      `the service file has the timestamp in ${signatureHeader}, or has none, so --timestamp cannot be used`,
      {hint: 'put the headers into a file: --headers @FILE'},
    );
  return [
    [timestampHeader, timestamp],
    [signatureHeader, signature],
  ];
}

/** Verifies one request; on a mismatch also tries what would have matched. */
export function verifyCandidate(
  candidate: Candidate,
  secrets: readonly WebhookSecret[],
  flags: VerifyFlags,
): VerifyResult {
  const {delivery, headers, body, receivedAtMs: nowMs} = candidate;
  const options = {headers, nowMs, ...verifyOptions(flags)};
  if (candidate.isCut) return cutResult(delivery, refuseByHeaders(options) ?? 'body_not_kept');
  const verified = verifyWebhook({body, secrets, ...options});
  const event = parseEvent(body);
  const about = {
    delivery,
    event_id: event?.id ?? null,
    event_type: event === undefined ? null : String(event.type),
  };
  if (verified.ok) {
    const {lost} = readBody(body);
    return {
      ...{...about, verdict: 'verified', reason: null, matches_if: []},
      secret_fingerprint: secretFingerprint(must(secrets[verified.secret], 'secret that matched')),
      age_seconds: verified.ageSeconds,
      ...(lost.length === 0 ? {} : {lost}),
    };
  }
  const matches = verified.reason === 'mismatch' || verified.reason === 'signature_format';
  const found = matches ? diagnose({body, headers, secrets, form: options.form}) : [];
  return {
    ...{...about, verdict: 'rejected', reason: verified.reason, secret_fingerprint: null, age_seconds: null},
    matches_if: found.map(({matchesIf}) => matchesIf),
  };
}

const cutResult = (delivery: string | null, reason: string): VerifyResult => ({
  ...{delivery, verdict: 'rejected', reason, matches_if: [], event_id: null, event_type: null},
  ...{secret_fingerprint: null, age_seconds: null},
});

/** Shows the results; exits 14 if any was rejected. */
export function concludeVerify(local: LocalContext, results: readonly VerifyResult[]): Outcome {
  const single = results.length === 1;
  const rejected = results.filter(({verdict}) => verdict === 'rejected');
  if (single && rejected[0] !== undefined) throw rejection(rejected[0]);
  for (const result of results) {
    local.out.text(resultLine(result));
    for (const loss of result.lost ?? []) local.out.warn(lossText(loss));
  }
  if (!single) local.out.note(`${results.length - rejected.length} verified, ${rejected.length} rejected`);
  return {data: single ? results[0] : results, exitCode: rejected.length > 0 ? EXIT.SIGNATURE : EXIT.OK};
}

function rejection(result: VerifyResult): RemitError {
  const {reason, matches_if: matches} = result;
  const lines = [`not verified: ${wordsOf(reason)}`, ...matches.map((match) => `matches if ${match}`)];
  return new RemitError('SIGNATURE', lines.join('\n'), {details: {...result}});
}

const wordsOf = (reason: string | null): string =>
  reason === 'body_not_kept'
    ? 'the listener rejected it and kept only the start of its large body, so the signature cannot be checked'
    : wordsOfRejection(reason);

const WORDS: Readonly<Record<string, string>> = REJECTIONS;
const wordsOfRejection = (reason: string | null): string => WORDS[reason ?? ''] ?? reason ?? '';

function resultLine({delivery, verdict, reason, matches_if: matches, ...rest}: VerifyResult): string {
  const about = [delivery, rest.event_type, rest.event_id]
    .filter((text) => text !== null)
    .map(cleanLine)
    .join('  ');
  const age = `${rest.age_seconds} s old, secret ${rest.secret_fingerprint}`;
  const facts =
    verdict === 'verified' ? age : [wordsOf(reason), ...matches.map((one) => `matches if ${one}`)].join('; ');
  return [verdict, about, facts].filter((text) => text !== '').join('  ');
}
