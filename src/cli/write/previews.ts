import type {Preview} from '../../client/requests/built.ts';
import {safeJson} from '../../sanitize/sanitizer.ts';
import type {Output} from '../../output/output.ts';

/** The result of a dry run: the request, with the key masked. */
export interface DryRun {
  dry_run: true;
  method: string;
  url: string;
  headers: Readonly<Record<string, string>>;
  body: unknown;
  idempotency_key: string | null;
}

/** Shows a request that is not sent. */
export function showPreview(out: Output, preview: Preview): DryRun {
  const headers = Object.entries(preview.headers).map(([name, value]) => `${name}: ${value}`);
  const body = preview.body === undefined ? [] : ['', safeJson(preview.body, 2)];
  out.text([`${preview.method} ${preview.url}`, ...headers, ...body].join('\n'));
  out.note('Dry run: nothing was sent.');
  return {
    dry_run: true,
    method: preview.method,
    url: preview.url,
    headers: preview.headers,
    body: preview.body ?? null,
    idempotency_key: preview.idempotencyKey ?? null,
  };
}
