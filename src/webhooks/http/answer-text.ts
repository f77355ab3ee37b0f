import {STATUS_CODES} from 'node:http';

/** A client may keep an idle connection for this long. */
export const KEEP_ALIVE_MS = 5000;

export interface AnswerText {
  status: number;
  text?: string;
  /** Lines such as `Allow: POST`. */
  headers?: readonly string[];
}

/** An answer as it is sent. */
export function httpAnswerText(
  {status, text = '', headers = []}: AnswerText,
  keepsAlive: boolean,
  nowMs: number,
): string {
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Unknown'}`,
    `Date: ${new Date(nowMs).toUTCString()}`,
    ...headers,
    ...(keepsAlive
      ? ['Connection: keep-alive', `Keep-Alive: timeout=${KEEP_ALIVE_MS / 1000}`]
      : ['Connection: close']),
    ...(status === 204 || status === 304 ? [] : [`Content-Length: ${text.length}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}

/** The answer to nearly all deliveries, built once per second. */
export class GoodAnswer {
  #second = Number.NaN;
  #text = '';

  at(nowMs: number): string {
    const second = Math.floor(nowMs / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#text = httpAnswerText({status: 200}, true, nowMs);
    }
    return this.#text;
  }
}
