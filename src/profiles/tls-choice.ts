import type {TlsFiles} from './profile.ts';

type Env = Readonly<Record<string, string | undefined>>;

/** The variables that name such files, by the setting that each replaces. */
const VARIABLES = {
  ca_file: 'REMIT_CA_FILE',
  client_cert: 'REMIT_CLIENT_CERT',
  client_key: 'REMIT_CLIENT_KEY',
} as const;

/**
 * The active files, and where each setting comes from. The environment replaces what is stored; a certificate and its
 * key are replaced together.
 * @param stored undefined if the base URL is not that of the profile
 */
export function chooseTlsFiles(
  env: Env,
  stored: {files: TlsFiles; from: string} | undefined,
): {files: TlsFiles; sources: Record<string, string>} {
  const named = (name: keyof TlsFiles) => env[VARIABLES[name]] || undefined;
  const isPairNamed = named('client_cert') !== undefined || named('client_key') !== undefined;
  const files: TlsFiles = {};
  const sources: Record<string, string> = {};
  for (const name of ['ca_file', 'client_cert', 'client_key'] as const) {
    const isReplaced = named(name) !== undefined || (name !== 'ca_file' && isPairNamed);
    const path = isReplaced ? named(name) : stored?.files[name];
    if (path === undefined) continue;
    files[name] = path;
    sources[name] = isReplaced ? VARIABLES[name] : (stored?.from ?? '');
  }
  return {files, sources};
}
