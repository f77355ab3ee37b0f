import {resolve} from 'node:path';
import {Flags} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import {readSmallFile, refuseForeign, refuseReadable} from '../../profiles/trusted-file.ts';
import {fileFailure} from '../../store/files/failures.ts';
import {secretWarning, type WebhookSecret} from '../../webhooks/verify/secrets.ts';
import type {LocalContext} from '../core/context.ts';
import type {FlagValues} from '../input/flags.ts';

const VARIABLE = 'REMIT_WEBHOOK_SECRET';

const SECRET_ENCODINGS = ['utf8', 'base64', 'hex'] as const;

/** Sources of signing secrets; never the command line itself, which other users of the machine can read. */
export const secretFlags = {
  'secret-from': Flags.string({
    multiple: true,
    multipleNonGreedy: true,
    helpValue: 'FILE',
    description: `signing secrets, one per line (default: ${VARIABLE}, else a prompt)`,
  }),
  'secret-encoding': Flags.option({
    options: SECRET_ENCODINGS,
    default: 'utf8' as const,
    description: 'how secrets are written',
  })(),
};

export type SecretFlags = FlagValues<typeof secretFlags>;

/** A signing secret, and where it was found: a file, the variable, or the prompt. */
export interface NamedSecret {
  value: WebhookSecret;
  source: string;
}

/**
 * Signing secrets from files, otherwise from the environment, otherwise from a hidden prompt.
 * @throws {RemitError} NEEDS_TERMINAL if there is none and no terminal; LOCAL_VALIDATION for an empty one
 */
export async function readNamedSecrets(
  local: LocalContext,
  flags: SecretFlags,
  {question = 'Signing secret (not shown):', sources = `${VARIABLE} or --secret-from FILE`} = {},
): Promise<NamedSecret[]> {
  const given = givenNamedSecrets(local, flags);
  if (given.length > 0) return given;
  const typed = await local.runtime.prompts.hidden(question, sources);
  return [{value: checked(local, typed, 'the secret that was typed', flags), source: 'prompt'}];
}

/** The same without the prompt; empty if there is none. */
export function givenNamedSecrets(local: LocalContext, flags: SecretFlags): NamedSecret[] {
  const files = flags['secret-from'] ?? [];
  if (files.length > 0) return files.flatMap((file) => secretsOf(local, file, flags));
  const variable = local.runtime.env[VARIABLE];
  if (variable === undefined || variable === '') return [];
  return variable.split(',').map((text, at, all) => ({
    value: checked(local, text, `a secret in ${VARIABLE}`, flags),
    source: all.length > 1 ? `${VARIABLE}, number ${at + 1}` : VARIABLE,
  }));
}

/** Without where they were found. */
export const readSecrets = async (local: LocalContext, flags: SecretFlags): Promise<WebhookSecret[]> =>
  (await readNamedSecrets(local, flags)).map(({value}) => value);

export const givenSecrets = (local: LocalContext, flags: SecretFlags): WebhookSecret[] =>
  givenNamedSecrets(local, flags).map(({value}) => value);

function secretsOf(local: LocalContext, file: string, flags: SecretFlags): NamedSecret[] {
  const lines = linesIn(resolve(local.runtime.cwd, file));
  return lines.map(({text, number}) => ({
    value: checked(local, text, `a secret in ${file}`, flags),
    source: lines.length > 1 ? `${file}, line ${number}` : file,
  }));
}

/** @throws {RemitError} LOCAL_VALIDATION if it is empty */
function linesIn(file: string): {text: string; number: number}[] {
  const lines = readSecretFile(file)
    .split(/\r?\n/)
    .map((line, at) => ({text: line, number: at + 1}));
  const found = lines.filter((line) => line.text !== '');
  if (found.length > 0) return found;
  throw new RemitError('LOCAL_VALIDATION', `the secret file ${file} is empty`);
}

/** @throws {RemitError} STATE if it cannot be read, is no regular file, or is open to other users */
export function readSecretFile(path: string): string {
  let file: ReturnType<typeof readSmallFile>;
  try {
    file = readSmallFile(path);
  } catch (error) {
    throw fileFailure(error, 'read', path);
  }
  refuseForeign(path, file.stats, 'the secret file', true);
  refuseReadable(path, file.stats, 'the secret file');
  return file.text;
}

/** From now on the secret is masked in all output. */
function checked(local: LocalContext, text: string, where: string, flags: SecretFlags): WebhookSecret {
  local.out.sanitizer.conceal(text);
  return decoded(local, text, where, flags);
}

function decoded(local: LocalContext, text: string, where: string, flags: SecretFlags): WebhookSecret {
  if (text.trim() === '') throw new RemitError('LOCAL_VALIDATION', `${where} is empty`);
  const warning = secretWarning(text);
  if (warning !== undefined) local.out.warn(`${where}: ${warning}; it is used unchanged`);
  const encoding = flags['secret-encoding'] ?? 'utf8';
  if (encoding === 'utf8') return text;
  const form = encoding === 'hex' ? /^(?:[0-9a-fA-F]{2})+$/ : /^[A-Za-z0-9+/_-]+={0,2}$/;
  if (!form.test(text)) throw new RemitError('LOCAL_VALIDATION', `${where} is not written in ${encoding}`);
  return Buffer.from(text, encoding);
}
