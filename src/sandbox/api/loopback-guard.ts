import {ServiceError} from '../base/service-error.ts';
import type {SandboxRequest} from './request.ts';

/**
 * The host of a request, if it is one of the sandbox's: another site may let its own name resolve to this machine.
 * @throws {ServiceError} 403
 */
export function checkHost(request: SandboxRequest, hosts: readonly string[], what: string): string {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  if (hosts.includes(host.toLowerCase())) return host;
  throw new ServiceError(
    'AUTHORIZATION_ERROR',
    `${what} are not answered under the host ${JSON.stringify(host)}`,
  );
}

/** @throws {ServiceError} 403 if a browser sent it for a page of another origin */
export function checkOrigin(request: SandboxRequest, host: string, what: string): void {
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== `http://${host}`)
    throw new ServiceError('AUTHORIZATION_ERROR', `${what} are not answered to other origins`);
}
