import type {LocalContext} from '../core/context.ts';
import {callControl} from './control.ts';
import type {Running} from './recorded/running.ts';
import {targetSandbox} from './target.ts';

/** A link that opens the sandbox's page with its controls, once. */
export interface PageLink {
  url: string;
  /** ISO 8601, by the machine's clock. */
  expires_at: string;
}

/** Creates a link to the page of a running sandbox. @throws {RemitError} NOT_RUNNING */
export async function makePageLink(
  local: LocalContext,
  running: Running = targetSandbox(local),
): Promise<PageLink> {
  const {base_url: baseUrl} = running;
  const {path, expires_at} = await callControl<{path: string; expires_at: string}>(
    ...([local, 'POST', '/sandbox/page-links', {}, {running}] as const),
  );
  return {url: `${baseUrl}${path}`, expires_at};
}
