import {readFileSync} from 'node:fs';
import {RemitError} from '../../errors.ts';
import {codeOf, type Json, type JsonValue, messageOf, parseJson} from '../../narrow.ts';
import {type Loss, unshownIn} from '../../json/losses.ts';
import {type StdinUser, readStdin} from '../runtime/stdin.ts';

const MOST_CHARACTERS = 10_000_000;

/** `--data` as JSON: the text itself, `@file`, or `-` for stdin. */
export async function readData(data: string | undefined, input: StdinUser): Promise<Json> {
  if (data === undefined) return undefined;
  const text =
    data === '-'
      ? await readStdin(input, 'JSON', MOST_CHARACTERS)
      : data.startsWith('@')
        ? readFile(data.slice(1))
        : data;
  const json = parse(text);
  refuseUnshown(text);
  return json;
}

function parse(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `--data is not JSON: ${withoutSource(messageOf(error))}`);
  }
}

/**
 * Readers differ in which of two values of one name they take, and so could remit and the service. A number that a
 * double cannot hold would be sent as another one.
 */
function refuseUnshown(text: string): void {
  const unshown = unshownIn(text, ['duplicate_key', 'too_deep', 'number']);
  if (unshown === undefined) return;
  throw new RemitError('LOCAL_VALIDATION', `--data${wordsOf(unshown)}`);
}

/** The number itself may be that of an account. */
function wordsOf({kind, path}: Loss): string {
  if (kind === 'too_deep') return ' is nested too deeply';
  if (kind === 'duplicate_key') return `: ${path} is given twice`;
  return `: ${path === '' ? 'the number' : path} has more digits than can be sent exactly; use a number with fewer digits, or a string`;
}

/** The parser quotes the text around the error, which may be a number or a secret. */
const withoutSource = (message: string): string =>
  message.replace(/,? (?:\.\.\.)?".*" is not valid JSON$/s, '');

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `--data: ${unreadable(path, error)}`, {cause: error});
  }
}

function unreadable(path: string, error: unknown): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return `there is no file ${path}`;
  if (code === 'EISDIR') return `${path} is a folder`;
  if (code === 'EACCES' || code === 'EPERM') return `${path} cannot be read: permission denied`;
  return `${path} cannot be read: ${messageOf(error)}`;
}
