import {isOwnHeader, namesApproval, namesIdempotencyKey} from './own-headers.ts';
import type {ServiceFile} from '../service-file.ts';
import type {SchemaIssue} from './validate.ts';

/** Headers of an answer that are no request id; some are secret. */
const NO_REQUEST_ID = new Set(['set-cookie', 'www-authenticate', 'location', 'date']);
/** Headers that every delivery has, whatever its signature is. */
const OF_DELIVERIES = new Set(
  'host content-length content-type content-encoding transfer-encoding connection'.split(' '),
);

const APPROVES = 'cannot be a header that the service could read as an approval';

const UUID_LENGTH = 36;

export function issueInHeaders({headers, keys}: ServiceFile): SchemaIssue | undefined {
  const key = keys?.header?.toLowerCase();
  const seen = new Set<string>();
  for (const name of Object.keys(headers?.send ?? {})) {
    const path = ['headers', 'send', name];
    const plain = name.toLowerCase();
    if (isOwnHeader(name) || plain === key) return {path, allowed: 'is a header that remit sets itself'};
    if (namesIdempotencyKey(name))
      return {
        path,
        allowed: 'is a header of idempotency keys, and each payment has its own: set keys.header',
      };
    if (namesApproval(name)) return {path, allowed: APPROVES};
    if (seen.has(plain)) return {path, allowed: 'occurs twice: upper and lower case do not matter'};
    seen.add(plain);
  }
  const requestId = headers?.requestId ?? '';
  if (isOwnHeader(requestId) || NO_REQUEST_ID.has(requestId.toLowerCase()))
    return {path: ['headers', 'requestId'], allowed: 'is a header that has another meaning'};
  if (keys?.format === 'uuid' && (keys.maxLength ?? UUID_LENGTH) < UUID_LENGTH)
    return {path: ['keys', 'maxLength'], allowed: `must be at least ${UUID_LENGTH}, the length of a UUID`};
  if (key !== undefined && namesApproval(key)) return {path: ['keys', 'header'], allowed: APPROVES};
  if (key !== undefined && key !== 'idempotency-key' && isOwnHeader(key))
    return {path: ['keys', 'header'], allowed: 'is a header that remit uses for something else'};
  return undefined;
}

export function issueInWebhooks({webhooks = {}, fields}: ServiceFile): SchemaIssue | undefined {
  const {timestamp, timestampHeader, timestampPart, idHeader, signaturePrefix, signed, secret, active} =
    webhooks;
  const at = (key: string, allowed: string): SchemaIssue => ({path: ['webhooks', key], allowed});
  if (timestampPart !== undefined && timestampHeader !== undefined)
    return at('timestampPart', 'cannot be set together with timestampHeader');
  if (timestampPart !== undefined && signaturePrefix === undefined)
    return at('timestampPart', 'needs signaturePrefix, which tells signatures from the timestamp');
  if (timestampPart !== undefined && signaturePrefix?.endsWith(',') === true)
    return at('timestampPart', 'cannot be set together with a signaturePrefix that ends with a comma');
  if (signaturePrefix === `${timestampPart}=`)
    return at('timestampPart', `is also what precedes a signature (signaturePrefix is ${signaturePrefix})`);
  if (idHeader !== undefined && signed?.includes('{id}') !== true)
    return at('idHeader', 'needs {id} within signed: what is not signed can be forged');
  if (idHeader === undefined && signed?.includes('{id}') === true)
    return at('signed', 'has {id}, so idHeader must name the header with it');
  const isSigned = (signed ?? '{timestamp}').includes('{timestamp}');
  if (timestamp === 'none' && isSigned) return at('timestamp', 'is none, but {timestamp} is signed');
  if (timestamp !== 'none' && !isSigned)
    return at('signed', 'has no {timestamp}, so timestamp must be none: what is not signed can be forged');
  const own = fields?.['webhookEndpoints'] ?? {};
  if (secret !== undefined && own['signing_secret'] !== undefined)
    return at('secret', 'is also set by fields.webhookEndpoints.signing_secret');
  if (active !== undefined && own['is_active'] !== undefined)
    return at('active', 'is also set by fields.webhookEndpoints.is_active');
  return issueInFlag(active) ?? issueInNamesOfHeaders(webhooks);
}

function issueInFlag(active: NonNullable<ServiceFile['webhooks']>['active']): SchemaIssue | undefined {
  if (typeof active !== 'object') return undefined;
  const path = ['webhooks', 'active'];
  if (Object.keys(active).length < 3) return {path, allowed: 'must have field, on and off'};
  return active.on === active.off ? {path: [...path, 'off'], allowed: 'is the same as on'} : undefined;
}

function issueInNamesOfHeaders(webhooks: NonNullable<ServiceFile['webhooks']>): SchemaIssue | undefined {
  const {signatureHeader = 'X-Webhook-Signature', timestampHeader = 'X-Webhook-Timestamp'} = webhooks;
  for (const key of ['signatureHeader', 'timestampHeader', 'idHeader'] as const)
    if (OF_DELIVERIES.has(webhooks[key]?.toLowerCase() ?? ''))
      return {path: ['webhooks', key], allowed: 'is a header that has another meaning'};
  const id = webhooks.idHeader?.toLowerCase();
  const others = [signatureHeader, ...(webhooks.timestampPart === undefined ? [timestampHeader] : [])];
  if (others.some((name) => name.toLowerCase() === id))
    return {path: ['webhooks', 'idHeader'], allowed: 'is the header of the signature or of the timestamp'};
  if (webhooks.timestampPart !== undefined || signatureHeader.toLowerCase() !== timestampHeader.toLowerCase())
    return undefined;
  const key = webhooks.timestampHeader === undefined ? 'signatureHeader' : 'timestampHeader';
  return {
    path: ['webhooks', key],
    allowed: 'is the header of both the signature and the timestamp; set timestampPart instead',
  };
}
