import type {Answer} from '../../client/answers/answer.ts';
import {codeOfStatus} from '../../client/answers/verdict.ts';
import {isErrorCode, RemitError} from '../../errors.ts';
import {isObject, type JsonFields} from '../../narrow.ts';
import type {LocalContext} from '../core/context.ts';
import {notRunning} from './not-running.ts';
import {recordCommand, sandboxCommand} from './target.ts';

export interface ControlRequest {
  method: 'GET' | 'POST' | 'DELETE';
  path: `/sandbox/${string}`;
  body?: object | undefined;
}

/** A success: JSON, or for a DELETE nothing. */
export const isUsable = ({status, json, empty}: Answer, {method}: ControlRequest): boolean =>
  status < 300 && (isObject(json) || (method === 'DELETE' && empty === true));

const notOurs = (baseUrl: string): string =>
  `what answers at ${baseUrl} is not a sandbox of this version of remit`;

/** The error for an answer that is not a success. */
export function answerError(
  local: LocalContext,
  request: ControlRequest,
  answer: Answer,
  baseUrl: string,
): RemitError {
  const {status, errorCode, message, unreadable} = answer;
  const isUnclear = status < 300 || status >= 500 || status === 408 || status === 425;
  const said = message === undefined ? '' : `: ${message}`;
  if (isUnclear && request.method !== 'GET') {
    const what = answer.empty ? ' with nothing' : unreadable === undefined ? '' : ` with ${unreadable.what}`;
    const isJson = status < 300 && isObject(answer.json);
    const why = isJson ? notOurs(baseUrl) : `the sandbox answered ${status}${said === '' ? what : said}`;
    return controlCallInDoubt(local, request, {why, httpStatus: status});
  }
  if (status < 300) return notRunning(notOurs(baseUrl));
  const code = errorCode !== undefined && isErrorCode(errorCode) ? errorCode : codeOfStatus(status);
  const verb = status >= 500 ? 'failed to answer' : 'refused';
  const words = said === '' ? `: status ${status}` : said;
  return new RemitError(code, `the sandbox ${verb} ${request.method} ${request.path}${words}`, {
    httpStatus: status,
    hint: status === 404 ? listOfMissing(local, request) : undefined,
  });
}

const topicOf = ({kind}: JsonFields): string | undefined =>
  typeof kind === 'string' ? TOPICS[kind] : undefined;

/** The list that would contain the record to simulate. */
function listOfMissing(local: LocalContext, {path, body}: ControlRequest): string | undefined {
  if (path.startsWith('/sandbox/statement?')) return recordCommand(local, 'treasury', 'accounts', 'list');
  if (path !== '/sandbox/simulate' || !isObject(body)) return undefined;
  const topic = topicOf(body);
  return topic === undefined ? undefined : recordCommand(local, topic, 'list');
}

/** The request left this machine, and no usable answer came: it may have happened. The hint shows whether it did. */
export function controlCallInDoubt(
  local: LocalContext,
  request: ControlRequest,
  {why, httpStatus, cause}: {why: string; httpStatus: number | undefined; cause?: unknown},
): RemitError {
  const next = commandThatShows(local, request);
  return new RemitError(
    'IN_DOUBT',
    `in doubt, it may have taken effect in the sandbox: ${why} (${request.method} ${request.path})`,
    {
      ...{httpStatus, cause, hint: next, retryable: false},
      details: {id: null, status: null, idempotency_key: null, next, may_have_taken_effect: true},
    },
  );
}

/** The topic that has `get` and `list` for each kind of record. */
const TOPICS: Readonly<Record<string, string>> = {
  payout: 'payouts',
  payin: 'payins',
  'account-transfer': 'transfers',
  subaccount: 'subaccounts',
};

function commandThatShows(local: LocalContext, {path, body}: ControlRequest): string {
  const [, , topic, id, verb] = path.split('/').map(decodeURIComponent);
  if (topic === 'faults') return sandboxCommand(local, 'faults', 'list');
  if (topic === 'keys') return sandboxCommand(local, 'keys');
  if (topic === 'deliveries' && id !== undefined) return sandboxCommand(local, 'deliveries', 'show', id);
  if (topic === 'checkpoints' && verb === undefined) return sandboxCommand(local, 'checkpoint', 'list');
  if (topic === 'simulate' && isObject(body)) {
    const [found, {id: record}] = [topicOf(body), body];
    if (found !== undefined && typeof record === 'string') return recordCommand(local, found, 'get', record);
  }
  return sandboxCommand(local, 'status');
}
