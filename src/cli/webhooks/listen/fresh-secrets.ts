import {statSync} from 'node:fs';
import {resolve} from 'node:path';
import {messageOf} from '../../../narrow.ts';
import type {WebhookSecret} from '../../../webhooks/verify/secrets.ts';
import type {LocalContext} from '../../core/context.ts';
import {givenNamedSecrets, type NamedSecret, type SecretFlags} from '../secrets.ts';

/** The files are checked at most once in this time, even if many deliveries do not match. */
const EVERY_MS = 1000;

/**
 * Reads the files of --secret-from again when a delivery does not match and a file has changed, so that a running
 * listener accepts a new secret.
 */
export class FreshSecrets {
  readonly #local: LocalContext;
  readonly #flags: SecretFlags;
  readonly #files: readonly string[];
  readonly #onRead: (now: readonly NamedSecret[], before: readonly WebhookSecret[]) => void;
  #given: readonly NamedSecret[];
  #versions: string;
  #checkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(
    local: LocalContext,
    flags: SecretFlags,
    given: readonly NamedSecret[],
    onRead: (now: readonly NamedSecret[], before: readonly WebhookSecret[]) => void,
  ) {
    this.#local = local;
    this.#flags = flags;
    this.#files = (flags['secret-from'] ?? []).map((file) => resolve(local.runtime.cwd, file));
    this.#onRead = onRead;
    this.#given = given;
    this.#versions = this.#versionsNow();
  }

  /** Whether there are other secrets now than at the last call. */
  read(): boolean {
    const nowMs = this.#local.clock.monotonic();
    if (this.#files.length === 0 || nowMs - this.#checkedAtMs < EVERY_MS) return false;
    this.#checkedAtMs = nowMs;
    const versions = this.#versionsNow();
    if (versions === this.#versions || this.#files.some((file) => versionOf(file) === '')) return false;
    this.#versions = versions;
    try {
      const before = this.#given.map(({value}) => value);
      this.#given = givenNamedSecrets(this.#local, this.#flags);
      this.#onRead(this.#given, before);
      return true;
    } catch (error) {
      this.#local.out.warn(`${messageOf(error)}; the secrets that were read before stay in use`);
      return false;
    }
  }

  #versionsNow(): string {
    return this.#files.map(versionOf).join();
  }
}

/** Empty for what is not a regular file: reading a pipe again would wait for its writer. */
function versionOf(file: string): string {
  try {
    const found = statSync(file);
    return found.isFile() ? `${found.mtimeMs} ${found.size} ${found.ino}` : '';
  } catch {
    return '';
  }
}
