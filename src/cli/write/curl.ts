import type {Preview} from '../../client/requests/built.ts';
import {safeJson} from '../../sanitize/sanitizer.ts';
import {posixWord} from '../../shell-word.ts';

/** What masked values contain: `test_…cdef`. */
const MASKED = '…';

/** The same request for curl. The key is never in it: the shell takes it from an environment variable. */
export function curlCommand({method, url, headers, body}: Preview): string {
  const lines = [`curl -sS${asWritten(url)} -X ${posixWord(method)} ${posixWord(url)}`];
  for (const [name, value] of Object.entries(headers))
    if (name !== 'user-agent') lines.push(header(name, value));
  if (body !== undefined) lines.push(`--data-raw ${posixWord(safeJson(body))}`);
  return lines.join(' \\\n  ');
}

/** curl would send one request for each of `{a,b}` or `[1-9]`, and would shorten `/a/../b`. */
const asWritten = (url: string): string =>
  (/[{}[\]]/.test(url) ? ' --globoff' : '') + (/\/\.{1,2}(?:[/?]|$)/.test(url) ? ' --path-as-is' : '');

/** Whether an account number or another secret is masked, so that the command cannot be run as it is. */
export const isMaskedHeader = ({url, body}: Preview): boolean =>
  url.includes(MASKED) || safeJson(body ?? null).includes(MASKED);

function header(name: string, value: string): string {
  if (!value.includes(MASKED)) return `-H ${posixWord(`${name}: ${value}`)}`;
  const variable = name === 'x-api-key' ? 'REMIT_API_KEY' : name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
  return `-H ${posixWord(`${name}: `)}"$${variable}"`;
}
