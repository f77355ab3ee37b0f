import type {SignatureForm} from '../../../contract/signature-form.ts';
import {RemitError, EXIT, type ExitCode} from '../../../errors.ts';
import {strippedLines} from '../../../sanitize/harmful.ts';
import {parseHeaderLine} from '../../../webhooks/delivery/header-lines.ts';
import {passedOn, postBytes} from '../../../webhooks/delivery/post.ts';
import {secretFingerprint, type WebhookSecret} from '../../../webhooks/verify/secrets.ts';
import {formOf, timestampAt} from '../../../webhooks/verify/form.ts';
import {signedHeaders} from '../../../webhooks/verify/signature.ts';
import {checkTarget, parseTarget} from '../../../webhooks/delivery/target.ts';
import type {LocalContext} from '../../core/context.ts';
import {trustedCertificates} from '../listen/trust.ts';
import type {Shown} from '../../help/outputs/forms.ts';
import type {Sent, Signature} from '../../help/outputs/webhooks.ts';

export type Signed = Shown<typeof Signature>;

/** Signs with the first of the secrets. */
export function signPayload(
  local: LocalContext,
  body: Uint8Array,
  [secret, ...others]: readonly WebhookSecret[],
  {timestamp: given, form}: {timestamp?: string | undefined; form: SignatureForm | undefined},
): Signed {
  if (secret === undefined) throw new Error('no secret was read');
  if (others.length > 0) local.out.note(`Signing with the first of ${others.length + 1} secrets.`);
  const timestamp = given ?? timestampAt(local.clock.now(), formOf(form));
  if (!/^[\x21-\x7e]*$/.test(timestamp) || given === '')
    throw new RemitError('USAGE', `--timestamp ${JSON.stringify(timestamp)} is not a valid header value`);
  const headers = signedHeaders(secret, body, timestamp, form);
  const signature = headers[formOf(form).signatureHeader] ?? '';
  return {timestamp, signature, secret_fingerprint: secretFingerprint(secret), headers};
}

export interface SendRequest {
  to: string;
  body: Uint8Array;
  header: readonly string[];
  timeoutMs: number;
  allowExternal: boolean | undefined;
}

const KEEP_BYTES = 65_536;

/**
 * Characters allowed in a header value (RFC 9110, 5.5), one byte each. Node would refuse the others only when
 * sending.
 */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** @throws {RemitError} USAGE for a header that cannot be sent */
function headerToSend(line: string): [string, string] {
  const [name, value] = parseHeaderLine(line);
  if (!VALUE.test(value))
    throw new RemitError(
      'USAGE',
      `--header ${name} contains a character that is not allowed in a header: ${JSON.stringify(value)}`,
      {hint: 'headers can contain printable characters, spaces and tabs'},
    );
  return [name, value];
}

/** Posts a signed body and shows the answer. Exits 0 for a 2XX, 8 for another status, 7 without an answer. */
export async function sendSigned(
  local: LocalContext,
  request: SendRequest,
  signed: Signed,
): Promise<{data: Shown<typeof Sent>; exitCode: ExitCode}> {
  const url = parseTarget(request.to);
  checkTarget(url, request.allowExternal);
  const own = request.header.map(headerToSend);
  const isSet = (name: string) => own.some(([given]) => given.toLowerCase() === name);
  const signature = Object.entries(signed.headers).find(([name]) => isSet(name.toLowerCase()));
  if (signature !== undefined) throw new RemitError('USAGE', `--header cannot replace ${signature[0]}`);
  const [notSent] = own.filter((header) => passedOn([header]).length === 0);
  if (notSent !== undefined)
    throw new RemitError('USAGE', `--header cannot set ${notSent[0]}: it belongs to the connection`);
  const defaults: [string, string][] = [
    ['Content-Type', 'application/json'],
    ['User-Agent', 'remit'],
  ];
  const headers = [
    ...defaults.filter(([name]) => !isSet(name.toLowerCase())),
    ...own,
    ...Object.entries(signed.headers),
  ];
  const answer = await postBytes(url, headers, request.body, {
    timeoutMs: request.timeoutMs,
    keepBytes: KEEP_BYTES,
    signal: local.stop.signal,
    env: local.runtime.env,
    ca: trustedCertificates(local),
  });
  if (local.stop.reason !== undefined) throw local.stop.reason;
  if (answer.status === null)
    throw new RemitError('UNAVAILABLE', `${url.href} did not answer: ${answer.error}`, {
      hint: 'check that the receiver is running and listens on that port',
    });
  const response = answer.body.toString('utf8');
  const arrived = answer.status >= 200 && answer.status < 300;
  const {out} = local;
  out.text(
    `${out.paint(arrived ? 'green' : 'red', String(answer.status))}  ${url.href}  ${answer.latencyMs} ms`,
  );
  if (response !== '') out.text(strippedLines(response));
  if (!arrived)
    out.warn(`the receiver answered ${answer.status}: the service would send this delivery again`);
  const data = {url: url.href, status: answer.status, latency_ms: answer.latencyMs, response, ...signed};
  return {data, exitCode: arrived ? EXIT.OK : EXIT.PARTIAL};
}
