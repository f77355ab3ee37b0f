import {readFileSync} from 'node:fs';
import {RemitError} from '../../errors.ts';
import {messageOf} from '../../narrow.ts';
import type {InStream} from '../runtime/runtime.ts';
import {readStdin} from '../runtime/stdin.ts';

const MOST_CHARACTERS = 10_000_000;

/** `--data` as JSON: the text itself, `@file`, or `-` for stdin. */
export async function readData(data: string | undefined, stdin: InStream): Promise<unknown> {
  if (data === undefined) return undefined;
  const text =
    data === '-'
      ? await readStdin(stdin, MOST_CHARACTERS)
      : data.startsWith('@')
        ? readFile(data.slice(1))
        : data;
  try {
    const json: unknown = JSON.parse(text);
    return json;
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `--data is not JSON: ${withoutSource(messageOf(error))}`);
  }
}

/** The parser quotes the text around the error, which may be a number or a secret. */
const withoutSource = (message: string): string =>
  message.replace(/,? (?:\.\.\.)?".*" is not valid JSON$/s, '');

function readFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new RemitError('LOCAL_VALIDATION', `${path} cannot be read: ${messageOf(error)}`, {
      cause: error,
    });
  }
}
