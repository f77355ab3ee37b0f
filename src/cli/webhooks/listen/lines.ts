import {RemitError} from '../../../errors.ts';
import {isObject, parseJson, stringOf, type Json} from '../../../narrow.ts';
import type {HeaderPairs} from '../../../webhooks/delivery/delivery.ts';

/** One request to verify, and when it was received. */
export interface Candidate {
  delivery: string | null;
  headers: HeaderPairs;
  body: Uint8Array;
  receivedAtMs: number;
  /** The body was not kept completely: only the headers can be checked. */
  isCut?: boolean;
  /** The fingerprint of the secret with which it verified when it arrived. */
  secret?: string | null;
}

/**
 * The requests among lines of `listen -o ndjson`: those with headers and a body.
 * @throws {RemitError} LOCAL_VALIDATION for any other text
 */
export function readListenLines(text: Buffer, atMs: number | undefined): Candidate[] {
  const found = text
    .toString('utf8')
    .split('\n')
    .flatMap((line, index) => (line.trim() === '' ? [] : readLine(line, index + 1, atMs)));
  if (found.length > 0) return found;
  throw new RemitError(
    'LOCAL_VALIDATION',
    'stdin contains no line of `remit webhooks listen -o ndjson` with a body',
    {
      hint: 'to verify a payload on stdin, add --signature HEX --timestamp TS, or --headers @FILE',
    },
  );
}

function readLine(line: string, number: number, atMs: number | undefined): Candidate[] {
  const refuse = (cause?: unknown) =>
    new RemitError(
      'LOCAL_VALIDATION',
      `line ${number} of stdin is not a line of \`remit webhooks listen -o ndjson\``,
      {
        hint: 'to verify a payload on stdin, add --signature HEX --timestamp TS, or --headers @FILE',
        cause,
      },
    );
  let value: Json;
  try {
    value = parseJson(line);
  } catch (error) {
    throw refuse(error);
  }
  if (!isObject(value) || typeof value['type'] !== 'string') throw refuse();
  const {headers, body_base64: body, body_bytes: bodyBytes, received_at: received, delivery, reason} = value;
  const {secret_fingerprint: secret} = value;
  if (body === undefined) return []; // a line about something else
  const receivedAtMs = Date.parse(stringOf(received));
  if (typeof body !== 'string' || !isPairs(headers) || Number.isNaN(receivedAtMs)) throw refuse();
  const id = typeof delivery === 'string' ? delivery : null;
  return [
    {
      ...{delivery: id, headers, body: Buffer.from(body, 'base64'), receivedAtMs: atMs ?? receivedAtMs},
      isCut: bodyBytes !== undefined || reason === 'body_too_large',
      secret: typeof secret === 'string' ? secret : null,
    },
  ];
}

const isPairs = (value: Json): value is [string, string][] =>
  Array.isArray(value) &&
  value.every(
    (pair) => Array.isArray(pair) && pair.length === 2 && pair.every((one) => typeof one === 'string'),
  );
