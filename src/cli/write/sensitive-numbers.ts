import {numberNames} from '../../service/sensitive.ts';
import {closeSync, openSync, readSync} from 'node:fs';
import {resolve} from 'node:path';
import {RemitError} from '../../errors.ts';
import {messageOf, type Json, parseJson} from '../../narrow.ts';
import {sensitiveValues} from '../../sanitize/protected-values.ts';
import type {Context} from '../core/context.ts';
import {digitsOf} from '../../contract/card-number.ts';
import {readStdin} from '../runtime/stdin.ts';

/** Account and card numbers are far shorter. */
const MOST_CHARACTERS = 4096;

const onArgv = (what: string, hint: string): RemitError =>
  new RemitError(
    'GUARD_ARGUMENT',
    `refused: with a live key, ${what} is not taken from the command line, where other users of the machine can read it`,
    {hint},
  );

/**
 * Reads an account or card number from a file or stdin, from a hidden prompt or, with a test key only, from a flag.
 * @throws RemitError GUARD_ARGUMENT, NEEDS_TERMINAL or LOCAL_VALIDATION; no message contains the number
 */
export async function readNumber(
  {profile, runtime}: Pick<Context, 'profile' | 'runtime'>,
  asked: {
    question: string;
    flag: string;
    given: string | undefined;
    file: string | undefined;
    /** It was typed at a hidden prompt before. */
    prompted?: string | undefined;
    /** The number as it is sent; undefined if it cannot be one. Default: only digits. */
    normal?: (typed: string) => string | undefined;
  },
): Promise<string> {
  const {question, flag, given, file, prompted, normal = digitsOf} = asked;
  if (given !== undefined && profile.mode === 'live')
    throw onArgv(
      flag,
      'omit the flag to be prompted for the number, or add --number-file FILE (- for stdin)',
    );
  const raw =
    given ??
    prompted ??
    (await readNumberFile(file, runtime)) ??
    (await runtime.prompts.hidden(`${question}:`, '--number-file FILE'));
  const number = normal(raw);
  if (number === undefined)
    throw new RemitError('LOCAL_VALIDATION', `the ${question.toLowerCase()} must contain only digits`);
  return number;
}

/**
 * A value that may be an account number, or not: `@FILE`, or with a test key the value itself. It is hidden in all output.
 * @throws RemitError GUARD_ARGUMENT or LOCAL_VALIDATION; no message contains the value
 */
export function readValueOf(
  {profile, runtime, out}: Pick<Context, 'profile' | 'runtime' | 'out'>,
  {flag, typed}: {flag: string; typed: string},
): string {
  if (!typed.startsWith('@') && profile.mode === 'live')
    throw onArgv(`the value of ${flag}`, `put it into a file: ${flag}=@FILE`);
  const value = (typed.startsWith('@') ? readFileOf(flag, typed.slice(1), runtime) : typed).trim();
  if (value === '') throw new RemitError('LOCAL_VALIDATION', `${flag} is empty`);
  out.sanitizer.conceal(value);
  return value;
}

/** Refuses a typed body with an account or card number; routing numbers are public. */
export function refuseTypedNumbers(
  {profile}: Pick<Context, 'profile'>,
  data: string | undefined,
  body: Json,
): void {
  if (profile.mode !== 'live' || data === undefined || data === '-' || data.startsWith('@')) return;
  const renamed = numberNames(profile.service).filter((name) => !/routing/i.test(name));
  const secret: Json = parseJson(
    JSON.stringify(body ?? null, (name, value: Json) => (/routing/i.test(name) ? undefined : value)),
  );
  if (sensitiveValues(secret, renamed).length > 0)
    throw onArgv(
      'an account or card number within --data',
      'put the body into a file: --data @FILE, or - for stdin',
    );
}

async function readNumberFile(
  file: string | undefined,
  runtime: Context['runtime'],
): Promise<string | undefined> {
  if (file === undefined) return undefined;
  if (file === '-') return readStdin(runtime, 'the number', MOST_CHARACTERS);
  return readFileOf('--number-file', file, runtime);
}

function readFileOf(flag: string, file: string, runtime: Context['runtime']): string {
  try {
    return readStart(resolve(runtime.cwd, file));
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `${flag} cannot be read: ${messageOf(error)}`, {cause: error});
  }
}

/** A pipe such as `<(pass show …)` is fine here; an endless one is not. */
function readStart(path: string): string {
  const descriptor = openSync(path, 'r');
  const bytes = Buffer.alloc(MOST_CHARACTERS + 1);
  try {
    let length = 0;
    for (let read = -1; read !== 0 && length < bytes.length; length += read)
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
    if (length > MOST_CHARACTERS) throw new Error(`it contains more than ${MOST_CHARACTERS} characters`);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}
