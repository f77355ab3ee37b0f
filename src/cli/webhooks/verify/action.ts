import {existsSync} from 'node:fs';
import {resolve} from 'node:path';
import {RemitError} from '../../../errors.ts';
import {DELIVERY_ID, isCut, type HeaderPairs} from '../../../webhooks/delivery/delivery.ts';
import {
  diagnose,
  type DiagnoseInput,
  type Diagnosis,
  otherTimestampFormat,
} from '../../../webhooks/verify/diagnosis.ts';
import {parseEvent} from '../../../webhooks/verify/event.ts';
import {readBody} from '../../../webhooks/delivery/losses.ts';
import {parseHeaderText} from '../../../webhooks/delivery/header-lines.ts';
import {lastRecorded} from '../../../webhooks/record/find.ts';
import {headerValues} from '../../../webhooks/verify/header-values.ts';
import {secretFingerprint} from '../../../webhooks/verify/secrets.ts';
import {formOf} from '../../../webhooks/verify/form.ts';
import {refuseByHeaders, verifyWebhook} from '../../../webhooks/verify/signature.ts';
import type {LocalContext} from '../../core/context.ts';
import {readFile, readPayload} from './payload.ts';
import {recordFolder} from '../place.ts';
import {type Candidate, readListenLines} from '../listen/lines.ts';
import type {NamedSecret} from '../secrets.ts';
import type {VerifyResult} from './conclusion.ts';
import {verifyOptions, type VerifyFlags} from './flags.ts';

export interface VerifyRequest extends VerifyFlags {
  source: string;
  signature?: string | undefined;
  timestamp?: string | undefined;
  headers?: string | undefined;
  /** Freshness is checked at this time. */
  atMs?: number | undefined;
}

const ANY_AGE = Number.MAX_SAFE_INTEGER;

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
      hint: existsSync(resolve(local.runtime.cwd, id))
        ? `for the file of this name: @${id}`
        : 'see remit webhooks events list; for a file: @FILE',
    });
  const {id: delivery, headers, body, receivedAtMs, secret} = found;
  return {delivery, headers, body, receivedAtMs: atMs ?? receivedAtMs, isCut: isCut(found), secret};
}

function headersOf(local: LocalContext, request: VerifyRequest): HeaderPairs {
  if (request.headers !== undefined) {
    const text = readFile(local, request.headers.replace(/^@/, '')).toString('latin1'); // one byte per character, as in HTTP
    return parseHeaderText(text);
  }
  const {signature, timestamp} = request;
  if (signature === undefined || timestamp === undefined)
    throw new RemitError('USAGE', '--signature and --timestamp must be used together');
  const {timestampHeader, signatureHeader, idHeader} = formOf(request.form);
  if (idHeader !== undefined)
    throw new RemitError(
      'USAGE',
      `the service file has a signed id in ${idHeader}, so --timestamp and --signature are not enough`,
      {hint: 'put the headers into a file: --headers @FILE'},
    );
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
  named: readonly NamedSecret[],
  flags: VerifyFlags,
): VerifyResult {
  const {delivery, headers, body, receivedAtMs: nowMs} = candidate;
  const options = {headers, nowMs, ...verifyOptions(flags)};
  if (candidate.isCut) return untried(delivery, refuseByHeaders(options) ?? 'body_not_kept');
  const secrets = named.map(({value}) => value);
  const verified = verifyWebhook({body, secrets, ...options});
  const event = parseEvent(body);
  const isStale = !verified.ok && (verified.reason === 'too_old' || verified.reason === 'in_the_future');
  const matched = isStale ? verifyWebhook({body, secrets, ...options, toleranceSeconds: ANY_AGE}) : verified;
  const tried = named.map(({value, source}, at) => ({
    ...{position: at + 1, fingerprint: secretFingerprint(value), source},
  }));
  const secret = matched.ok ? tried[matched.secret] : undefined;
  const facts = {
    delivery,
    event_id: event?.id ?? null,
    event_type: event === undefined ? null : String(event.type),
    ...{secret_fingerprint: secret?.fingerprint ?? null, secret_position: secret?.position ?? null},
    ...{secret_source: secret?.source ?? null, age_seconds: matched.ok ? matched.ageSeconds : null},
    recorded_fingerprint: candidate.secret ?? null,
  };
  if (verified.ok) {
    const {lost} = readBody(body);
    return {
      ...{...facts, verdict: 'verified', reason: null, matches_if: [], diagnosis: [], secrets_tried: tried},
      ...(lost.length === 0 ? {} : {lost}),
    };
  }
  const missing = statedLength(headers) - body.length;
  const matches = verified.reason === 'mismatch' || verified.reason === 'signature_format';
  const asked = {body, headers, secrets, form: options.form};
  const found = matches ? diagnose(asked) : verified.reason === 'timestamp_format' ? formatFound(asked) : [];
  return {
    ...{...facts, verdict: 'rejected', reason: verified.reason},
    matches_if: found.map(({matchesIf}) => matchesIf),
    diagnosis: found.map(({code, matchesIf, secret: at}) => ({
      ...{code, matches_if: matchesIf, secret_position: at + 1},
    })),
    secrets_tried: matches || isStale ? tried : [],
    ...(verified.reason === 'mismatch' && missing > 0 ? {bytes_missing: missing} : {}),
  };
}

/** Content-Length; 0 if there is none, or it is unreadable. */
function statedLength(headers: HeaderPairs): number {
  const [text = ''] = headerValues(headers, 'content-length');
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}

/** The timestamp that makes a right signature fail, and the flag that reads it. */
function formatFound(asked: DiagnoseInput): Diagnosis[] {
  const format = otherTimestampFormat(asked);
  if (format === undefined) return [];
  return [
    {
      code: `timestamp_format.${format}`,
      matchesIf: `the timestamp is read with --timestamp-format ${format}`,
      secret: 0,
    },
  ];
}

/** A rejection for which no secret matters. */
const untried = (delivery: string | null, reason: string): VerifyResult => ({
  ...{delivery, verdict: 'rejected', reason, matches_if: [], diagnosis: [], event_id: null, event_type: null},
  ...{secret_fingerprint: null, secret_position: null, secret_source: null, secrets_tried: []},
  ...{recorded_fingerprint: null, age_seconds: null},
});
