import {RemitError} from '../../errors.ts';
import type {InStream} from './runtime.ts';

/** All of stdin as text; only for a command that was asked to read it. */
export async function readStdin(stdin: InStream, mostCharacters: number): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > mostCharacters)
      throw new RemitError('LOCAL_VALIDATION', `stdin contains more than ${mostCharacters} characters`);
  }
  return text;
}
