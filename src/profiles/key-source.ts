import {homeFolder} from './folders.ts';
import {join} from 'node:path';
import {RemitError} from '../errors.ts';
import {messageOf} from '../narrow.ts';
import {maskKey} from '../sanitize/secret-shapes.ts';
import type {KeySource} from './profile.ts';
import {exposure, readSmallFile, refuseForeign} from './trusted-file.ts';

/** A secrets manager may ask for a touch or a PIN; one that hangs must not block remit forever. */
const KEY_COMMAND_TIMEOUT_MS = 60_000;

/** `the key in file /etc/key`: the key of a source, in messages. A new profile's key is not stored yet. */
export function nameOfKey(source: KeySource, stored = 'stored in the profile'): string {
  if ('stored' in source) return `the key ${stored}`;
  if ('file' in source) return `the key in ${describeSource(source)}`;
  return `the key printed by ${describeSource(source)}`;
}

/** The name of a source in messages and in `whoami`. Contains no secret, but the text of a command. */
export function describeSource(source: KeySource): string {
  if ('stored' in source) return 'stored in the profile';
  if ('file' in source) return `file ${source.file}`;
  return `command ${shownCommand(source.command)}`;
}

/** A command is not secret, unless it contains the key. */
const shownCommand = (command: string): string =>
  JSON.stringify(command.replace(/(?:test|live)_[\w-]{8,}/g, (key) => maskKey(key)));

/** The key itself, read at each use. */
export async function readKey(source: KeySource, options: {timeoutMs?: number} = {}): Promise<string> {
  if ('stored' in source) return source.stored;
  if ('file' in source) return readKeyFile(source.file);
  return runKeyCommand(source.command, options.timeoutMs ?? KEY_COMMAND_TIMEOUT_MS);
}

function readKeyFile(path: string): string {
  const full = fullPath(path);
  let file: ReturnType<typeof readSmallFile>;
  try {
    file = readSmallFile(full);
  } catch (error) {
    throw new RemitError('BAD_KEY', `the key file ${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  refuseForeign(full, file.stats, 'the key file', true);
  const {text} = file;
  if (text.trim() === '') throw new RemitError('BAD_KEY', `the key file ${path} is empty`);
  return text.trim();
}

const fullPath = (path: string): string =>
  path.startsWith('~/') ? join(homeFolder(process.env), path.slice(2)) : path;

/** A warning if other users can read the key. */
export const keyExposure = (source: KeySource): string | undefined =>
  'file' in source ? exposure(fullPath(source.file), `the key file ${source.file}`) : undefined;

/**
 * Runs the user's own command through the shell and returns its stdout, trimmed. It inherits stdin and stderr, so
 * that it can ask for a passphrase; its stdout is never shown.
 */
async function runKeyCommand(command: string, timeoutMs: number): Promise<string> {
  const {spawn} = await import('node:child_process');
  const failed = (what: string, cause?: unknown) =>
    new RemitError('BAD_KEY', `the key command ${shownCommand(command)} ${what}`, {
      cause,
      hint: 'run it by hand to see its output',
    });
  return new Promise((resolve, reject) => {
    // It has its own process group, so that a timeout ends both the shell and its children.
    const child = spawn(command, {
      shell: true,
      stdio: ['inherit', 'pipe', 'inherit'],
      detached: process.platform !== 'win32',
    });
    let out = '';
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      endGroup(child.pid);
    }, timeoutMs);
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      if (out.length < 65_536) out += chunk;
    });
    child.on('error', (error) => {
      clearTimeout(timer);
      reject(failed(`could not be started: ${error.message}`, error));
    });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      if (late) reject(failed(`did not end within ${timeoutMs / 1000} s`));
      else if (code !== 0) reject(failed(`ended with ${signal ?? `exit code ${code}`}`));
      else if (out.trim() === '') reject(failed('printed nothing'));
      else resolve(out.trim());
    });
  });
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // It has ended by itself in the meantime.
  }
}
