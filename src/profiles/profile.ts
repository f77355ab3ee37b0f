import type {Mode} from '../contract/mode.ts';
import type {ServiceFile} from '../service/service-file.ts';

/**
 * The stored form of a profile, and the form that a command uses. Wire-like snake_case, because people edit the file.
 */

/** The source of a stored profile's key; exactly one. */
export type KeySource = {stored: string} | {file: string} | {command: string};

/** Upper limits for writes. Amounts are minor units by currency; a currency without a cap is refused. */
export interface Caps {
  max_amount_minor?: Readonly<Record<string, number>>;
  max_batch_total_minor?: Readonly<Record<string, number>>;
  max_batch_rows?: number;
  /** Rails that may be used; if set, a write without a rail is refused. */
  rails?: readonly string[];
}

/** Files that TLS needs, as absolute paths; each is read at each use. */
export interface TlsFiles {
  /** Only these authorities are trusted, instead of the system's. */
  ca_file?: string | undefined;
  /** The client's certificate, with its chain. */
  client_cert?: string | undefined;
  /** Its private key; without it the key is in the file of the certificate. */
  client_key?: string | undefined;
}

/** A policy file as it was when it was pinned: with other content it is refused. */
export interface PinnedPolicy {
  /** Absolute. */
  path: string;
  sha256: string;
}

export interface StoredProfile {
  base_url: string;
  key: KeySource;
  /** Mode of the key when the profile was created; a key of another mode is refused later. */
  mode: Mode;
  read_only?: boolean;
  /** Batches may approve a staged record by its id once its key is past the horizon. */
  approve_by_id?: boolean;
  /** Money of batches moves only with the approvals that this policy requires. */
  approval_policy?: PinnedPolicy;
  /** File of the SSH key with which this profile signs, as a maker or an approver. */
  approval_key?: string;
  caps?: Caps;
  /** How the service differs from the contract: the content of a service file. */
  service?: ServiceFile;
  tls?: TlsFiles;
}

/** config.json. */
export interface ConfigFile {
  version: 1;
  default?: string;
  profiles: Readonly<Record<string, StoredProfile>>;
}

export const EMPTY_CONFIG: ConfigFile = {version: 1, profiles: {}};

/** The profile that a command runs with. `key` must never be printed; `masked` may. */
export interface ActiveProfile {
  /** Null if environment variables replace the profile. */
  name: string | null;
  /** Normalised. */
  baseUrl: string;
  mode: Mode;
  key: string;
  /** First 16 hex digits of the key's SHA-256: distinguishes keys without revealing them. */
  keyFingerprint: string;
  masked: string;
  caps: Caps;
  readOnly: boolean;
  approveById: boolean;
  approvalPolicy?: PinnedPolicy | undefined;
  approvalKey?: string | undefined;
  /** Empty for a service that keeps to the contract. */
  service: ServiceFile;
  tls: TlsFiles;
  /** Where each value came from, for `whoami`. */
  sources: Readonly<Record<string, string>>;
  /** Warnings to show before the key is used. */
  warnings: readonly string[];
}

export const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/i;
