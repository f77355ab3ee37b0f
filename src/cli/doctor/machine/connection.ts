import {sslCodeOf, TLS_WORDS, tlsTroubleOf} from '../../../network/tls-trouble.ts';
import type {NetworkSettings} from '../../../network/settings.ts';
import {messageOf, must} from '../../../narrow.ts';
import type {Context} from '../../core/context.ts';
import type {ServiceReply} from '../survey/asker.ts';
import type {PeerCertificate} from './certificate.ts';
import {type Finding, findings} from '../survey/finding.ts';

const {holds, differs, unknown} = findings('connection');
const DAY_MS = 86_400_000;
const SOON_DAYS = 21;
const SKEW_MS = 60_000;

/** Checks how the service is reached: the active settings, and the certificate of the service. */
export async function checkConnection(context: Context): Promise<Finding[]> {
  const {profile, runtime, out, clock} = context;
  const url = new URL(profile.baseUrl);
  const {name, mode, masked, sources} = profile;
  const found = [
    holds(
      'key',
      `${mode} key ${masked}, ${originOf(sources['key'])}${name === null ? '' : ` (profile ${name})`}`,
    ),
    holds('base url', `${profile.baseUrl}, from ${sources['base_url']}`),
  ];
  const {proxyFor} = await import('../../../network/proxy.ts');
  const proxy = proxyFor(url, runtime.env);
  if (proxy !== undefined) out.sanitizer.conceal(...proxy.secrets);
  found.push(holds('proxy', proxy === undefined ? 'no proxy' : proxy.shown));
  if (url.protocol !== 'https:') return [...found, holds('tls', 'plain http, allowed only on this machine')];
  const {readTlsFiles} = await import('../../../profiles/tls-files.ts');
  return [...found, ...(await checkTls(url, {...readTlsFiles(profile.tls), proxy}, clock.now()))];
}

/** `from REMIT_API_KEY`, or `stored in the profile`. */
const originOf = (source = 'an unknown source'): string =>
  source.startsWith('stored') ? source : `from ${source}`;

async function checkTls(url: URL, network: NetworkSettings, nowMs: number): Promise<Finding[]> {
  const {peerCertificate} = await import('./certificate.ts');
  try {
    return certificateFindings(await peerCertificate(url, network), nowMs);
  } catch (error) {
    const trouble = tlsTroubleOf(sslCodeOf(error as NodeJS.ErrnoException) ?? '');
    return [differs('tls', trouble === undefined ? messageOf(error) : TLS_WORDS[trouble])];
  }
}

export function certificateFindings(
  {subject, issuer, validToMs, protocol}: PeerCertificate,
  nowMs: number,
): Finding[] {
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  const until = `valid until ${new Date(validToMs).toISOString().slice(0, 10)} UTC (${days} days)`;
  const shown = `${subject}, issued by ${issuer}, ${until}`;
  return [
    holds('tls', protocol),
    days < SOON_DAYS
      ? differs('certificate', shown, {fix: 'ask the operator of the service to renew its certificate'})
      : holds('certificate', shown),
  ];
}

/** Checks clock and latency with the answers of the other checks. */
export function checkAnswers(replies: readonly ServiceReply[], clock: {readonly nowMs: number}): Finding[] {
  const answered = replies.filter(({status}) => status > 0);
  const last = answered.at(-1);
  if (last === undefined) return [unknown('clock', 'no answer'), unknown('latency', 'no answer')];
  const times = answered.map(({ms}) => Math.round(ms)).sort((a, b) => a - b);
  const median = must(times[Math.floor(times.length / 2)], 'latency of an answer');
  return [
    checkClock(last, clock.nowMs),
    holds('latency', `${median} ms (median of ${times.length} requests, slowest ${times.at(-1)} ms)`),
  ];
}

function checkClock({headers}: ServiceReply, nowMs: number): Finding {
  const at = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(at)) return unknown('clock', 'answers have no Date header');
  const skewMs = nowMs - at;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  if (Math.abs(skewMs) <= SKEW_MS) return holds('clock', `${seconds} s difference from the service`);
  return differs('clock', `this machine is ${seconds} s ${skewMs > 0 ? 'ahead of' : 'behind'} the service`, {
    fix: 'set the clock of this machine, for example with an NTP service',
  });
}
