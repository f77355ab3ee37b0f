import {readFileSync} from 'node:fs';
import {resolve} from 'node:path';
import {Flags} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';
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

/**
 * Signing secrets from files, otherwise from the environment, otherwise from a hidden prompt.
 * @throws {RemitError} NEEDS_TERMINAL if there is none and no terminal; LOCAL_VALIDATION for an empty one
 */
export async function readSecrets(local: LocalContext, flags: SecretFlags): Promise<WebhookSecret[]> {
  const given = givenSecrets(local, flags);
  if (given.length > 0) return given;
  const question = 'Signing secret (not shown):';
  const typed = await local.runtime.prompts.hidden(question, `${VARIABLE} or --secret-from FILE`);
  return [checked(local, typed, 'the secret that was typed', flags)];
}

/** The same without the prompt; empty if there is none. */
export function givenSecrets(local: LocalContext, flags: SecretFlags): WebhookSecret[] {
  const files = flags['secret-from'] ?? [];
  const found = files.flatMap((file) =>
    secretsIn(resolve(local.runtime.cwd, file)).map((text) =>
      checked(local, text, `a secret in ${file}`, flags),
    ),
  );
  if (files.length > 0) return found;
  const variable = local.runtime.env[VARIABLE];
  if (variable === undefined || variable === '') return [];
  return variable.split(',').map((text) => checked(local, text, `a secret in ${VARIABLE}`, flags));
}

function secretsIn(file: string): string[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new RemitError('STATE', `the secret file ${file} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  if (lines.length > 0) return lines;
  throw new RemitError('LOCAL_VALIDATION', `the secret file ${file} is empty`);
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
