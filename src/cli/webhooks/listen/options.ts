import {EVENT_TYPE_NAMES} from '../../../contract/events.ts';
import {type Hint, RemitError} from '../../../errors.ts';
import {
  bodyMatch,
  typePattern,
  typePatterns,
  type BodyMatch,
  type TypePattern,
} from '../../../webhooks/delivery/patterns.ts';
import {checkTarget, parseTarget} from '../../../webhooks/delivery/target.ts';
import type {ForwardRoute} from '../../../webhooks/listen/forwarder.ts';
import type {SecretFlags} from '../secrets.ts';
import type {VerifyFlags} from '../verify/flags.ts';
import type {Json} from '../../../narrow.ts';

/** The options of `webhooks listen`. */
export interface ListenFlags extends SecretFlags, VerifyFlags {
  port: number;
  host: string;
  path: string;
  tls?: boolean | undefined;
  register?: boolean | undefined;
  'public-url'?: string | undefined;
  'secret-file'?: string | undefined;
  ui?: boolean | undefined;
  'ui-port'?: number | undefined;
  events?: string[] | undefined;
  expand?: boolean | undefined;
  'allow-unverified'?: boolean | undefined;
  'no-record'?: boolean | undefined;
  'max-record-size'?: number | undefined;
  'max-record-age'?: number | undefined;
  'max-body'?: number | undefined;
  'forward-to'?: string[] | undefined;
  route?: string[] | undefined;
  'allow-external'?: boolean | undefined;
  'forward-attempts': number;
  'forward-concurrency': number;
  'forward-timeout'?: number | undefined;
  'max-backlog': number;
  ordered?: boolean | undefined;
  resign?: string | undefined;
  respond?: 'downstream' | 'at-once' | undefined;
  'show-response'?: boolean | undefined;
  'no-health-check'?: boolean | undefined;
  expect?: string | undefined;
  match?: string[] | undefined;
  timeout?: number | undefined;
}

/** The targets: --forward-to receives every type, --route the types of its pattern. */
export function readRoutes(flags: ListenFlags): ForwardRoute[] {
  const target = (text: string): string => {
    const url = parseTarget(text);
    checkTarget(url, flags['allow-external']);
    return url.href;
  };
  const all = (flags['forward-to'] ?? []).map((text) => ({target: target(text), matches: () => true}));
  const some = (flags.route ?? []).map((text) => {
    const at = text.indexOf('=');
    if (at < 1)
      throw new RemitError('USAGE', `--route ${JSON.stringify(text)} has no pattern and address`, {
        hint: "write it like --route 'payout.*=3000/payouts'",
      });
    return {target: target(text.slice(at + 1)), matches: typePattern(text.slice(0, at))};
  });
  return [...all, ...some];
}

/** The types that are shown and forwarded. */
export const wantedTypes = ({events}: ListenFlags): TypePattern =>
  events === undefined ? () => true : typePatterns(events);

/** What --expect waits for. */
export interface Expectation {
  eventType: string;
  matches: (eventType: string | null, body: Json) => boolean;
}

export function readExpectation({expect, match}: ListenFlags): Expectation | undefined {
  if (expect === undefined) return undefined;
  const ofType = typePattern(expect);
  const conditions: BodyMatch[] = (match ?? []).map(conditionOf);
  return {
    eventType: expect,
    matches: (eventType, body) => ofType(eventType) && conditions.every((condition) => condition(body)),
  };
}

/** A plain name is a field of the event's data. */
const conditionOf = (text: string): BodyMatch =>
  bodyMatch(/^[^.=]+=/.test(text) && !/^(id|type)=/.test(text) ? `data.${text}` : text);

export function checkListenFlags(flags: ListenFlags): void {
  const usage = (message: string, hint?: Hint) => new RemitError('USAGE', message, {hint});
  if (!/^\/[\x21-\x22\x24-\x3e\x40-\x7e]*$/.test(flags.path))
    throw usage(`--path ${JSON.stringify(flags.path)} is not a path`, 'write it like --path /hook');
  if (flags['ui-port'] !== undefined && !flags.ui) throw usage('--ui-port needs --ui');
  const publicUrl = flags['public-url'];
  if (publicUrl !== undefined && !flags.register) throw usage('--public-url needs --register');
  if (publicUrl !== undefined && !/^https:\/\/[^\s/]+/.test(publicUrl))
    throw usage('--public-url must be an https URL, because the service delivers only to https');
  if (flags.register && publicUrl === undefined && !flags.tls)
    throw usage(
      '--register needs an https address, because the service delivers only to https',
      'add --tls for a sandbox on this machine, or --public-url https://… for a tunnel',
    );
  if (flags.register && flags.events?.every((text) => text.includes('*') && isUnknown(text)))
    throw usage(
      `--events ${flags.events.join(',')} matches no event type, so there is nothing to register for`,
      (commands) => commands.read('webhooks', 'event-types'),
    );
  if (flags['secret-file'] !== undefined && !flags.register)
    throw usage(
      '--secret-file needs --register, which writes the secret of the new endpoint to it',
      'to read secrets, use --secret-from FILE',
    );
  if (flags.match !== undefined && flags.expect === undefined) throw usage('--match needs --expect');
  if (flags.respond === 'downstream' && readRoutes(flags).length === 0)
    throw usage('--respond downstream needs --forward-to or --route');
}

/** The types and patterns of --events and --expect that match no documented type, probably because of a typo. */
export const unknownTypes = ({events, expect}: ListenFlags): string[] =>
  [...(events ?? []), ...(expect === undefined ? [] : [expect])].filter(isUnknown);

const isUnknown = (text: string): boolean => !EVENT_TYPE_NAMES.some(typePattern(text));

/** Each target once. */
export const targetsOf = (flags: ListenFlags): string[] => [
  ...new Set(readRoutes(flags).map(({target}) => target)),
];
