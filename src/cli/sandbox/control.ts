import {readAnswer} from '../../client/answers/answer.ts';
import {DEFAULT_TIMEOUTS, TransportFailure} from '../../client/transport/transport.ts';
import {RemitError} from '../../errors.ts';
import type {LocalContext} from '../core/context.ts';
import {answerError, controlCallInDoubt, isUsable, type ControlRequest} from './control-errors.ts';
import {notRunning} from './not-running.ts';
import {hasDeclaredShape} from './control-shape.ts';
import {readPlace, readToken, sandboxPlace} from './recorded/place.ts';
import {hasToken} from './recorded/proof.ts';
import {lifeOfSandbox, type Running} from './recorded/running.ts';
import {targetSandbox} from './target.ts';
import {unproven, UnprovenSandbox} from './recorded/unproven.ts';
import type {Json, Printable} from '../../narrow.ts';

export interface ControlTarget {
  /** Default: the sandbox that this command is about. */
  running?: Running | undefined;
  /** Ends the call; default: the first Ctrl-C or SIGTERM. */
  signal?: AbortSignal | undefined;
}

/**
 * One control call to a running sandbox; returns the JSON of its answer. Another server may have the port by now, so the
 * answer must have the fields of the call.
 * @throws {RemitError} NOT_RUNNING; IN_DOUBT for a change that may have happened; or the refusal by its code.
 */
export async function callControl<Answer extends Printable = Json>(
  local: LocalContext,
  method: ControlRequest['method'],
  path: ControlRequest['path'],
  body?: object,
  {running = targetSandbox(local), signal = local.stop.signal}: ControlTarget = {},
): Promise<Answer> {
  const request: ControlRequest = {method, path, body};
  const token = tokenOf(running);
  const transport = await local.runtime.transport('one-shot', running.base_url);
  const limits = {timeouts: DEFAULT_TIMEOUTS, signal};
  try {
    if (!(await hasToken(local.runtime, transport, {baseUrl: running.base_url, token, ...limits})))
      throw unproven(running, 'the control token');
    const answer = await transport.send({
      method,
      path,
      headers: {
        'x-sandbox-token': token,
        accept: 'application/json',
        ...(body === undefined ? {} : {'content-type': 'application/json'}),
      },
      ...(body === undefined ? {} : {body: JSON.stringify(body)}),
      ...limits,
    });
    const read = readAnswer(answer, local.clock.now());
    const isOurs =
      isUsable(read, request) && (read.empty === true || (await hasDeclaredShape(request, read.json)));
    if (isOurs) return read.json as Answer;
    throw answerError(local, request, read, running.base_url);
  } catch (error) {
    if (!(error instanceof TransportFailure)) throw error;
    if (error.kind === 'aborted' && signal.reason instanceof RemitError) throw signal.reason;
    if (method !== 'GET' && error.sent)
      throw controlCallInDoubt(local, request, {why: error.message, httpStatus: error.status, cause: error});
    throw notRunning(
      `no sandbox answers at ${running.base_url} (process ${running.pid}): ${error.message}`,
      running.base_url,
      error,
    );
  } finally {
    await transport.close();
  }
}

function tokenOf({place, base_url: url}: Running): string {
  const token = readToken(place);
  if (token !== undefined) return token;
  throw notRunning(`the control token of the sandbox at ${url} is missing: ${place.token}`, url);
}

/** Whether the default sandbox of this state folder is running. */
export async function isAnswering(local: LocalContext): Promise<boolean> {
  const place = sandboxPlace(local.stateDir);
  const record = readPlace(place);
  if (record === undefined) return false;
  const running = {...record, place};
  try {
    await callControl(local, 'GET', '/sandbox/faults', undefined, {running});
    return true;
  } catch (error) {
    if (error instanceof UnprovenSandbox) return lifeOfSandbox(running) === 'alive'; // of an earlier version
    if (error instanceof RemitError && error.code === 'NOT_RUNNING') return false;
    if (error instanceof RemitError && error.code === 'AUTHENTICATION_ERROR') return false; // another program has the port
    throw error;
  }
}
