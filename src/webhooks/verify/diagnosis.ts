import {createHmac} from 'node:crypto';
import {mustBeObject} from '../../arguments.ts';
import {isList, isObject, type Json} from '../../narrow.ts';
import {parseBody} from './event.ts';
import type {SignatureForm, TimestampFormat} from '../../contract/signature-form.ts';
import {type Form, formOf, signingKey, signedParts} from './form.ts';
import type {WebhookHeaders} from './header-values.ts';
import {checkSecrets, type WebhookSecret} from './secrets.ts';
import {checkBody, checkHeaders, verifyWebhook} from './signature.ts';
import {formatOfTimestamp, readTimestamp, writeTimestamp} from './timestamp.ts';

/** One way in which the signature would have matched. */
export interface Diagnosis {
  /** The code for machines: `body.final_newline_removed`, or several joined by `+`. */
  code: string;
  /** The words for people: `the final newline is removed`. They complete "matches if …". */
  matchesIf: string;
  /** The index of the secret. */
  secret: number;
}

interface Variant<T> {
  /** Empty for the value as it was given. */
  code: string;
  text: string;
  value: T;
}

export interface DiagnoseInput {
  body: Uint8Array;
  headers: WebhookHeaders;
  secrets: WebhookSecret | readonly WebhookSecret[];
  /** How the service signs, if not as documented. */
  form?: SignatureForm | undefined;
}

/** Larger bodies are not varied, because each variant is a copy. */
const MOST_BYTES = 4 * 1_048_576;

/**
 * Why a signature probably does not match: tries common mistakes, alone and together, and returns the smallest
 * combinations that would match. Only for a local terminal and for tests: the answer to the sender remains a plain
 * 401, and nothing found here makes a delivery valid.
 * @returns the matches with the fewest changes; empty if none was found
 * @throws {RemitError} as `verifyWebhook`
 */
export function diagnose(input: DiagnoseInput): Diagnosis[] {
  mustBeObject(input, 'the input of diagnose');
  const {body, headers, secrets, form: stated} = input;
  checkHeaders(headers);
  checkBody(body);
  const form = formOf(stated);
  const parts = signedParts(headers, form);
  const given = parts.signatures.flatMap((text) => readLoosely(text, form));
  const timestamp = parts.timestamps[0] ?? '';
  if (given.length === 0 || body.length > MOST_BYTES) return [];
  const bodies = bodyVariants(Buffer.from(body));
  const texts = textVariants(timestamp, parts.ids[0] ?? '', form);
  let best: Diagnosis[] = [];
  let fewest = Number.POSITIVE_INFINITY;
  for (const [index, secret] of checkSecrets(secrets).entries())
    for (const key of secretVariants(secret, signingKey(secret, form)))
      for (const payload of bodies)
        for (const text of texts) {
          const expected = createHmac('sha256', key.value).update(text.value).update(payload.value).digest();
          for (const signature of given) {
            if (!signature.value.equals(expected)) continue;
            const changes = [key, payload, text, signature].filter(({code}) => code !== '');
            if (changes.length === 0 || changes.length > fewest) continue; // 0: only the freshness is wrong
            if (changes.length < fewest) best = [];
            fewest = changes.length;
            best.push({
              code: changes.map(({code}) => code).join('+'),
              matchesIf: changes.map((change) => change.text).join(' and '),
              secret: index,
            });
          }
        }
  return best;
}

/**
 * The format of the timestamp of a delivery that was rejected for its format, if the signature matches. Only for a local
 * terminal, as `diagnose` is.
 */
export function otherTimestampFormat({
  body,
  headers,
  secrets,
  form,
}: DiagnoseInput): TimestampFormat | undefined {
  const {timestamps} = signedParts(headers, formOf(form));
  const format = formatOfTimestamp(timestamps[0] ?? '');
  if (format === undefined) return undefined;
  const nowMs = readTimestamp(timestamps[0] ?? '', format);
  const input = {body, headers, secrets, form, nowMs, timestampFormat: format};
  return verifyWebhook(input).ok ? format : undefined;
}

/** A signature in any encoding of 32 bytes. */
function readLoosely(text: string, {isBase64}: Form): Variant<Buffer>[] {
  const [, prefix = '', rest = ''] = /^((?:sha256|v\d+)[=,])?(.*)$/s.exec(text) ?? [];
  const [, code, what, value] =
    NOTATIONS.map(([form, ...notation]) => [form.test(rest), ...notation] as const).find(([fits]) => fits) ??
    [];
  if (value === undefined) return [];
  const [encoding, where] = !isBase64
    ? [code ?? '', what ?? '']
    : code === 'signature.base64'
      ? ['', '']
      : ['signature.hex', 'the signature is written in base64, not hexadecimal'];
  const codes = [prefix === '' ? '' : 'signature.prefix', encoding].filter((one) => one !== '');
  const texts = [
    prefix === '' ? '' : `the prefix ${JSON.stringify(prefix)} is removed from the signature`,
    where,
  ].filter((one) => one !== '');
  return [{code: codes.join('+'), text: texts.join(' and '), value: value(rest)}];
}

const NOTATIONS: readonly (readonly [RegExp, string, string, (text: string) => Buffer])[] = [
  [/^[0-9a-f]{64}$/, '', '', (text) => Buffer.from(text, 'hex')],
  [
    /^[0-9a-fA-F]{64}$/,
    'signature.uppercase',
    'the signature is written in lower case',
    (text) => Buffer.from(text, 'hex'),
  ],
  [
    /^[A-Za-z0-9+/_-]{43}=?$/,
    'signature.base64',
    'the signature is written in hexadecimal, not base64',
    (text) => Buffer.from(text, 'base64'),
  ],
];

const bytesOf = (value: string | Uint8Array): Buffer =>
  typeof value === 'string' ? Buffer.from(value) : Buffer.from(value);

function secretVariants(secret: WebhookSecret, key: WebhookSecret): Variant<WebhookSecret>[] {
  const variants: Variant<WebhookSecret>[] = [{code: '', text: '', value: key}];
  const add = (code: string, text: string, value: WebhookSecret) => {
    const isOther = variants.every((one) => !bytesOf(one.value).equals(bytesOf(value)));
    if (value.length > 0 && isOther) variants.push({code: `secret.${code}`, text, value});
  };
  if (typeof secret !== 'string') return variants;
  add('text', 'the secret is used as text, not decoded', secret);
  const bare = secret.trim();
  const plain = bare.replace(/^(["'])(.*)\1$/, '$2');
  const withoutPrefix = plain.replace(/^whsec_/, '');
  const assigned = /^(?:export\s+)?[A-Za-z_]\w*=(["']?)(.+)\1$/s.exec(bare)?.[2];
  add('trimmed', 'the white space around the secret is removed', bare);
  add('unquoted', 'the quotation marks around the secret are removed', plain);
  if (assigned !== undefined)
    add('name_removed', 'only what follows the "=" in its line is the secret', assigned);
  add('final_newline', 'a final newline belongs to the secret', `${secret}\n`);
  add('prefix_removed', 'the prefix "whsec_" is removed from the secret', withoutPrefix);
  add('prefix_added', 'the prefix "whsec_" is put before the secret', `whsec_${plain}`);
  if (/^[A-Za-z0-9+/_-]{16,}={0,2}$/.test(withoutPrefix))
    add('base64', 'the secret is decoded from base64', Buffer.from(withoutPrefix, 'base64'));
  if (/^(?:[0-9a-fA-F]{2}){8,}$/.test(withoutPrefix))
    add('hex', 'the secret is decoded from hexadecimal', Buffer.from(withoutPrefix, 'hex'));
  return variants;
}

function bodyVariants(body: Buffer): Variant<Buffer>[] {
  const variants: Variant<Buffer>[] = [{code: '', text: '', value: body}];
  const add = (code: string, text: string, value: Buffer | string | undefined) => {
    if (value === undefined) return;
    const bytes = bytesOf(value);
    if (variants.every((one) => !one.value.equals(bytes)))
      variants.push({code: `body.${code}`, text, value: bytes});
  };
  const latin1 = body.toString('latin1'); // one byte per character, so that nothing is lost
  const fromLatin1 = (text: string) => Buffer.from(text, 'latin1');
  add('final_newline_removed', 'the final newline is removed', fromLatin1(latin1.replace(/\r?\n$/, '')));
  add('final_newline_added', 'a final newline is added', fromLatin1(`${latin1}\n`));
  add('final_crlf_added', 'a final CRLF is added', fromLatin1(`${latin1}\r\n`));
  add(
    'trimmed',
    'the white space around the body is removed',
    fromLatin1(latin1.replace(/^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g, '')),
  );
  add('lf', 'CRLF line ends become LF', fromLatin1(latin1.replaceAll('\r\n', '\n')));
  add('crlf', 'LF line ends become CRLF', fromLatin1(latin1.replace(/\r?\n/g, '\r\n')));
  add(
    'bom_removed',
    'the byte order mark at its start is removed',
    fromLatin1(latin1.replace(/^\xef\xbb\xbf/, '')),
  );
  add('bom_added', 'a byte order mark is put at its start', fromLatin1(`\xef\xbb\xbf${latin1}`));
  add('utf8_replaced', 'bytes that are not UTF-8 are replaced, as a decoder does', body.toString('utf8'));
  add('double_encoded', 'it is encoded as UTF-8 a second time', latin1);
  add('base64', 'it is decoded from base64', fromBase64(latin1));
  add('empty', 'the body is empty', '');
  const value = parseBody(body);
  if (value === undefined) return variants;
  const compact = JSON.stringify(value);
  add('compact_json', 'it is parsed and printed as compact JSON', compact);
  add(
    'indented_json',
    'it is parsed and printed as JSON with an indent of 2',
    JSON.stringify(value, undefined, 2),
  );
  add('spaced_json', 'it is parsed and printed as Python does', pythonJson(value));
  add('ascii_json', 'it is parsed and printed as JSON in ASCII', escaped(compact));
  return variants;
}

/** Some platforms hand a binary body over as base64 or base64url; `base64` wraps its lines. */
function fromBase64(wrapped: string): Buffer | undefined {
  const text = wrapped.replace(/[ \t\r\n]+/g, '');
  const isPadded = text.length % 4 === 0 && /^[A-Za-z0-9+/]{8,}={0,2}$/.test(text);
  const isUrl = text.length % 4 !== 1 && /^[A-Za-z0-9_-]{8,}={0,2}$/.test(text);
  return isPadded || isUrl ? Buffer.from(text, 'base64') : undefined;
}

/** `json.dumps` puts a space after commas and colons, and escapes non-ASCII characters. */
function pythonJson(value: Json): string {
  if (isList(value)) return `[${value.map(pythonJson).join(', ')}]`;
  if (!isObject(value)) return escaped(JSON.stringify(value));
  const members = Object.entries(value).map(
    ([key, inner]) => `${escaped(JSON.stringify(key))}: ${pythonJson(inner)}`,
  );
  return `{${members.join(', ')}}`;
}

const escaped = (json: string): string =>
  json.replace(/[\u007f-\uffff]/g, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** What may precede the body in the signed text. */
function textVariants(timestamp: string, id: string, form: Form): Variant<string>[] {
  const documented = `${timestamp}.`;
  const own = form.before(timestamp, id);
  const variants: Variant<string>[] = [
    {code: '', text: '', value: own},
    ...(own === documented
      ? []
      : [{code: 'text.documented', text: 'timestamp and body are joined by a dot', value: documented}]),
    {code: 'text.body_only', text: 'the body alone is signed', value: ''},
    {code: 'text.comma', text: 'a comma separates timestamp and body', value: `${timestamp},`},
    {code: 'text.colon', text: 'a colon separates timestamp and body', value: `${timestamp}:`},
    {code: 'text.no_separator', text: 'nothing separates timestamp and body', value: timestamp},
  ];
  const format = formatOfTimestamp(timestamp);
  const ms = format === undefined ? undefined : readTimestamp(timestamp, format);
  if (ms === undefined) return variants;
  for (const other of ['seconds', 'milliseconds', 'iso8601'] as const)
    if (other !== format)
      variants.push({
        code: `timestamp.${other}`,
        text: `the timestamp is signed as ${other === 'iso8601' ? 'ISO 8601' : other}`,
        value: form.before(writeTimestamp(ms, other), id),
      });
  return variants;
}
