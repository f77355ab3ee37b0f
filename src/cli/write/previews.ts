import type {Preview} from '../../client/requests/built.ts';
import {safeJson} from '../../sanitize/sanitizer.ts';
import type {Output} from '../../output/output.ts';
import type {Context} from '../core/context.ts';
import {curlCommand, isMaskedHeader} from './curl.ts';
import type {JsonFields} from '../../narrow.ts';
import type * as forms from '../help/outputs/forms.ts';

/** The result of a dry run: the request, with the key masked. */
export type DryRun = forms.Shown<typeof forms.DryRun>;

/** Shows a request that is not sent, with `--curl` as a command for the shell. */
export function showPreview(
  {out, flags, profile}: Pick<Context, 'out' | 'flags' | 'profile'>,
  preview: Preview,
): DryRun {
  const isRead = preview.method === 'GET' && preview.body === undefined;
  const live = profile.mode !== 'live' ? '' : isRead ? LIVE_READ : LIVE_WRITE;
  const curl = wantsCurl(flags) ? live + curlCommand(preview) : undefined;
  if (curl === undefined) showRequest(out, preview);
  else showCurl(out, curl, preview);
  out.note('Dry run: nothing was sent.');
  return {
    dry_run: true,
    method: preview.method,
    url: preview.url,
    headers: preview.headers,
    body: preview.body ?? null,
    idempotency_key: preview.idempotencyKey ?? null,
    ...(curl === undefined ? {} : {curl}),
  };
}

/** The command may be run much later, by a person who did not see the profile. */
const LIVE_WRITE = '# LIVE: with a live key, this changes real records and may move real money\n';
const LIVE_READ = '# LIVE: with a live key, this reads real records\n';

/** Commands with `--dry-run` have `--curl` among their flags. */
const wantsCurl = (flags: JsonFields): boolean => flags['curl'] === true;

function showRequest(out: Output, preview: Preview): void {
  const headers = Object.entries(preview.headers).map(([name, value]) => `${name}: ${value}`);
  const body = preview.body === undefined ? [] : ['', safeJson(preview.body, 2)];
  out.text([`${preview.method} ${preview.url}`, ...headers, ...body].join('\n'));
}

/** In one piece, however wide the terminal is: a line break within quotes would become a part of the body. */
function showCurl(out: Output, curl: string, preview: Preview): void {
  if (out.forPeople && out.settings.query === undefined)
    void out.bytes(Buffer.from(`${out.sanitizer.layout(curl)}\n`));
  out.note('Set REMIT_API_KEY to the key before you run it.');
  if (isMaskedHeader(preview))
    out.warn('account and card numbers are masked (…): replace them before you run it');
}
