import {readFileSync} from 'node:fs';
import {readAnswer} from '../../client/answer.ts';
import {DEFAULT_TIMEOUTS, TransportFailure} from '../../client/transport.ts';
import {ERRORS, RemitError, type ErrorCode} from '../../errors.ts';
import type {LocalContext} from '../context.ts';
import {readRecord, sandboxPlace, type RunningRecord} from './place.ts';

const notRunning = (message: string, cause?: unknown) =>
  new RemitError('NOT_RUNNING', message, {cause, hint: 'remit sandbox start'});

/** The running sandbox of this state folder. @throws {RemitError} NOT_RUNNING */
export function findRunning(local: LocalContext): RunningRecord {
  const record = readRecord(sandboxPlace(local.stateDir));
  if (!record) throw notRunning(`no sandbox is running (state folder ${local.stateDir})`);
  return record;
}

/**
 * One control call to the running sandbox: the JSON of its answer.
 * @throws {RemitError} NOT_RUNNING, or the refusal by its code.
 */
export async function callControl(
  local: LocalContext,
  method: 'GET' | 'POST' | 'DELETE',
  path: `/sandbox/${string}`,
  body?: object,
): Promise<unknown> {
  const running = findRunning(local);
  const transport = await local.runtime.transport('one-shot', running.base_url);
  try {
    const answer = await transport.send({
      method,
      path,
      headers: {
        'x-sandbox-token': readToken(local, running),
        accept: 'application/json',
        ...(body === undefined ? {} : {'content-type': 'application/json'}),
      },
      ...(body === undefined ? {} : {body: JSON.stringify(body)}),
      timeouts: DEFAULT_TIMEOUTS,
      signal: local.stop.signal,
    });
    const {status, json, errorCode, message} = readAnswer(answer, local.clock.now());
    if (status < 300) return json;
    const code =
      errorCode !== undefined && Object.hasOwn(ERRORS, errorCode) ? (errorCode as ErrorCode) : 'REFUSED';
    throw new RemitError(code, `the sandbox refused ${method} ${path}: ${message ?? `status ${status}`}`, {
      httpStatus: status,
    });
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    throw notRunning(
      `no sandbox answers at ${running.base_url} (process ${running.pid}): ${error.message}`,
      error,
    );
  } finally {
    await transport.close();
  }
}

function readToken(local: LocalContext, running: RunningRecord): string {
  const {token} = sandboxPlace(local.stateDir);
  try {
    return readFileSync(token, 'utf8').trim();
  } catch (error) {
    throw notRunning(`the control token of the sandbox at ${running.base_url} is gone from ${token}`, error);
  }
}

/** Whether the sandbox that other commands would speak to is there. */
export async function isAnswering(local: LocalContext): Promise<boolean> {
  try {
    await callControl(local, 'GET', '/sandbox/faults');
    return true;
  } catch (error) {
    if (error instanceof RemitError && error.code === 'NOT_RUNNING') return false;
    if (error instanceof RemitError && error.code === 'AUTHENTICATION_ERROR') return false; // another program has the port
    throw error;
  }
}
