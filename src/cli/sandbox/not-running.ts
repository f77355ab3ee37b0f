import {RemitError} from '../../errors.ts';
import {sandboxStartAt} from '../runtime/sandbox-port.ts';

/** @param baseUrl where a sandbox was expected, if one can be started there */
export const notRunning = (message: string, baseUrl?: string, cause?: unknown): RemitError =>
  new RemitError('NOT_RUNNING', message, {
    cause,
    hint: (baseUrl === undefined ? undefined : sandboxStartAt(baseUrl)) ?? 'remit sandbox start',
  });
