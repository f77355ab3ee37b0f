import {targetsOf, type ListenFlags} from './options.ts';
import type {Registration} from './register.ts';

/** The certificate of --tls is for localhost. */
export const shownHost = ({host, tls}: ListenFlags): string =>
  tls ? 'localhost' : host.includes(':') ? `[${host}]` : host;

export function readyText(
  url: string,
  flags: ListenFlags,
  {registration, ui_url: page}: {registration: Registration | undefined; ui_url: string | null},
): string[] {
  const targets = targetsOf(flags);
  return [
    `Listening on ${url}`,
    ...(page === null ? [] : [`Inspect deliveries at ${page}`]),
    ...(registration === undefined
      ? []
      : [`Registered as endpoint ${registration.id}; it is removed on exit.`]),
    ...(flags['secret-file'] === undefined
      ? []
      : [`Its signing secret is in ${flags['secret-file']}, which is removed with the endpoint.`]),
    ...(targets.length === 0 ? [] : [`Forwarding to ${targets.join(', ')}`]),
    ...(flags['allow-unverified'] ? ['Signatures are not required (--allow-unverified).'] : []),
    ...(flags['no-record'] ? ['Deliveries are not recorded (--no-record).'] : []),
  ];
}
