import {RemitError} from '../../errors.ts';

/** `--metadata key=value`, repeated; undefined if there is none. Limits are checked with the whole body. */
export function readMetadata(pairs: readonly string[] | undefined): Record<string, string> | undefined {
  if (pairs === undefined || pairs.length === 0) return undefined;
  const metadata = new Map<string, string>();
  for (const pair of pairs) {
    const at = pair.indexOf('=');
    if (at < 1)
      throw new RemitError('USAGE', `--metadata ${JSON.stringify(pair)} is not of the form key=value`);
    const key = pair.slice(0, at);
    if (metadata.has(key))
      throw new RemitError('USAGE', `--metadata names the key ${JSON.stringify(key)} twice`);
    metadata.set(key, pair.slice(at + 1));
  }
  return Object.fromEntries(metadata);
}
