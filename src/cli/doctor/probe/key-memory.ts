import {existsSync} from 'node:fs';
import {join} from 'node:path';
import {ownJson} from '../../../narrow.ts';
import {readSmallFile} from '../../../profiles/trusted-file.ts';
import {writeFileAtomic} from '../../../store/files/atomic-file.ts';
import {makeFolder} from '../../../store/files/folder.ts';
import type {Context} from '../../core/context.ts';

/** An idempotency key that a later run replays, to check whether the service still remembers it. */
export interface KeptKey {
  readonly base_url: string;
  readonly key_fingerprint: string;
  readonly idempotency_key: string;
  readonly payout_id: string;
  readonly payee_id: string;
  readonly currency_code: string;
  /** When the key was first sent; milliseconds since 1970. */
  readonly at_ms: number;
  /** The longest time after which the service still remembered it. */
  readonly known_ms: number;
}

const pathIn = (stateDir: string): string => join(stateDir, 'doctor-keys.json');

/** All kept keys, also those of other services and API keys. An unreadable file counts as empty, because nothing depends on it. */
function readAll(stateDir: string): KeptKey[] {
  const path = pathIn(stateDir);
  if (!existsSync(path)) return [];
  try {
    return [...ownJson<readonly KeptKey[]>(readSmallFile(path).text)];
  } catch {
    return [];
  }
}

const isOf =
  ({profile}: Context) =>
  ({base_url, key_fingerprint}: KeptKey): boolean =>
    base_url === profile.baseUrl && key_fingerprint === profile.keyFingerprint;

export const keptKey = (context: Context): KeptKey | undefined =>
  readAll(context.stateDir).find(isOf(context));

export function keepKey(context: Context, kept: Omit<KeptKey, 'base_url' | 'key_fingerprint'>): void {
  const {profile} = context;
  const own: KeptKey = {base_url: profile.baseUrl, key_fingerprint: profile.keyFingerprint, ...kept};
  replace(context, [own]);
}

/** Removes the kept key, which the service has forgotten. */
export const forgetKey = (context: Context): void => replace(context, []);

function replace(context: Context, own: readonly KeptKey[]): void {
  const {stateDir} = context;
  const others = readAll(stateDir).filter((one) => !isOf(context)(one));
  makeFolder(stateDir);
  writeFileAtomic(pathIn(stateDir), `${JSON.stringify([...others, ...own], null, 2)}\n`);
}
