import {EXIT, RemitError} from '../../../errors.ts';
import {counted} from '../../../phrases.ts';
import {cleanLine} from '../../../sanitize/harmful.ts';
import {lossText} from '../../../webhooks/delivery/losses.ts';
import {REJECTIONS} from '../../../webhooks/verify/signature.ts';
import type {LocalContext} from '../../core/context.ts';
import type {CommandOutcome} from '../../core/outcome.ts';
import {tolerancesOf, type VerifyFlags} from './flags.ts';
import type {Shown} from '../../help/outputs/forms.ts';
import type * as schemas from '../../help/outputs/webhooks.ts';

type TriedSecret = VerifyResult['secrets_tried'][number];

/** The result of `verify` for one request. */
export type VerifyResult = Shown<typeof schemas.Verified>;

/** Shows the results; exits 14 if any was rejected. */
export function concludeVerify(
  local: LocalContext,
  results: readonly VerifyResult[],
  flags: VerifyFlags,
): CommandOutcome {
  const {out} = local;
  const single = results.length === 1;
  const rejected = results.filter(({verdict}) => verdict === 'rejected');
  if (single && rejected[0] !== undefined) throw rejection(rejected[0], flags);
  for (const result of results) {
    out.text(resultLine(result, flags));
    for (const loss of result.lost ?? []) out.warn(lossText(loss));
  }
  if (!single) {
    const tried = rejected.find(({reason}) => reason === 'mismatch')?.secrets_tried ?? [];
    if (tried.length > 0) out.note(`A mismatch was ${triedText(tried)}.`);
    out.note(`${results.length - rejected.length} verified, ${rejected.length} rejected`);
  }
  return {data: single ? results[0] : results, exitCode: rejected.length > 0 ? EXIT.SIGNATURE : EXIT.OK};
}

function rejection(result: VerifyResult, flags: VerifyFlags): RemitError {
  const {secrets_tried: tried, recorded_fingerprint: recorded} = result;
  const isKnown = recorded === null || tried.some(({fingerprint}) => fingerprint === recorded);
  const lines = [
    `not verified: ${wordsOf(result, flags)}`,
    ...(tried.length === 0 || result.secret_position !== null ? [] : [triedText(tried)]),
    ...matchTexts(result),
    ...(isKnown ? [] : [`it verified with another secret when it arrived: ${recorded}`]),
  ];
  return new RemitError('SIGNATURE', lines.join('\n'), {details: {...result}});
}

/** `verified  payout.settled  e1  5 s old, secret 0a1b2c3d (hook.secret)`. */
function resultLine(result: VerifyResult, flags: VerifyFlags): string {
  const {delivery, verdict} = result;
  const about = [delivery, result.event_type, result.event_id]
    .filter((text) => text !== null)
    .map(cleanLine)
    .join('  ');
  const facts =
    verdict === 'verified'
      ? `${spanText(result.age_seconds ?? 0)} old, ${secretText(result)}`
      : [wordsOf(result, flags), ...matchTexts(result)].join('; ');
  return [verdict, about, facts].filter((text) => text !== '').join('  ');
}

function wordsOf(result: VerifyResult, flags: VerifyFlags): string {
  const {reason, age_seconds: age} = result;
  if (reason === 'body_not_kept')
    return 'the listener rejected it and kept only the start of its large body, so the signature cannot be checked';
  const {bytes_missing: missing} = result;
  const cut =
    missing === undefined
      ? ''
      : `. The body is incomplete: it is ${counted(missing, 'byte')} shorter than its Content-Length`;
  const words = `${WORDS[reason ?? ''] ?? reason ?? ''}${cut}`;
  if (age === null) return words;
  const {past, future} = tolerancesOf(flags);
  const how =
    age > 0
      ? `${spanText(age)} old, and the limit is ${past} s (--tolerance)`
      : `${spanText(-age)} ahead, and the limit is ${future} s (--tolerance-future)`;
  return `${words}: it is ${how}. The signature matches the ${secretText(result)}`;
}

/** `600 s`; from two days on, with the days. */
const spanText = (seconds: number): string =>
  seconds < 172_800 ? `${seconds} s` : `${seconds} s (${Math.floor(seconds / 86_400)} days)`;

const WORDS: Readonly<Record<string, string>> = REJECTIONS;

/** The causes of a mismatch; with several secrets, each names its own. */
const matchTexts = ({diagnosis, secrets_tried: tried}: VerifyResult): string[] =>
  diagnosis.map(({matches_if: text, secret_position: position}) => {
    const secret = tried[position - 1];
    const which = tried.length > 1 && secret !== undefined ? ` the secret ${nameOf(secret)}` : '';
    return `matches${which} if ${text}`;
  });

/** `secret 0a1b2c3d (new.secret; 2 of 2)`. */
function secretText({secret_position: position, secrets_tried: tried}: VerifyResult): string {
  const secret = tried[(position ?? 0) - 1];
  if (secret === undefined) return 'secret';
  const {fingerprint, source} = secret;
  const which = tried.length > 1 ? `; ${position} of ${tried.length}` : '';
  return `secret ${fingerprint} (${cleanLine(source)}${which})`;
}

const MOST_NAMED = 5;

function triedText(tried: readonly TriedSecret[]): string {
  const names = tried.slice(0, MOST_NAMED).map(nameOf);
  const more = tried.length > MOST_NAMED ? [`${tried.length - MOST_NAMED} more`] : [];
  return `checked against ${tried.length === 1 ? 'the secret' : `${tried.length} secrets:`} ${[...names, ...more].join(', ')}`;
}

const nameOf = ({fingerprint, source}: TriedSecret): string => `${fingerprint} (${cleanLine(source)})`;
