import {cleanLine} from '../../../sanitize/harmful.ts';
import {secretFingerprint} from '../../../webhooks/verify/secrets.ts';
import type {NamedSecret} from '../secrets.ts';
import {targetsOf, type ListenFlags} from './options.ts';
import type {Registration} from '../registration/register.ts';

/** The certificate of --tls is for localhost. */
const shownHost = ({host, tls}: ListenFlags): string =>
  tls ? 'localhost' : host.includes(':') ? `[${host}]` : host;

/** Where the listener accepts deliveries. */
export const listenerUrl = (flags: ListenFlags, port: number): string =>
  `${flags.tls ? 'https' : 'http'}://${shownHost(flags)}:${port}${flags.path}`;

interface ReadyFacts {
  registration: Registration | undefined;
  given: readonly NamedSecret[];
  ui_url: string | null;
}

export function readyText(
  url: string,
  flags: ListenFlags,
  {registration, given, ui_url: page}: ReadyFacts,
): string[] {
  const targets = targetsOf(flags);
  return [
    `Listening on ${url}`,
    ...(page === null ? [] : [`Inspect deliveries at ${page}`]),
    ...(registration === undefined
      ? []
      : [
          `${registration.isUsedAgain ? 'Uses' : 'Registered as'} endpoint ${registration.id}; it is removed on exit.`,
        ]),
    ...(flags['secret-file'] === undefined
      ? []
      : [`Its signing secret is in ${flags['secret-file']}, which is removed with the endpoint.`]),
    ...(given.length === 0 ? [] : [`Verifying with ${secretsText(given)}`]),
    ...(targets.length === 0 ? [] : [`Forwarding to ${targets.join(', ')}`]),
    ...(flags['allow-unverified'] ? ['Signatures are not required (--allow-unverified).'] : []),
    ...(flags['no-record'] ? ['Deliveries are not recorded (--no-record).'] : []),
  ];
}

/** Fingerprints, which `webhooks verify` and `endpoints rotate` print as well. */
export const secretsText = (given: readonly NamedSecret[]): string =>
  `secret${given.length === 1 ? '' : 's'} ${given.map(({value, source}) => `${secretFingerprint(value)} (${cleanLine(source)})`).join(', ')}`;
