import type {Readable} from 'node:stream';
import {RemitError} from '../../errors.ts';
import type {InStream, Runtime} from './runtime.ts';

/** What reading stdin needs of a process. */
export type StdinUser = Pick<Runtime, 'stdin' | 'stderr' | 'stop'>;

/**
 * Stdin, for a command that was asked to read it. At a terminal, a line on stderr says what is read, since there is
 * no prompt; Ctrl-C ends the read.
 */
export function openStdin({stdin, stderr, stop}: StdinUser, what: string): InStream {
  if (stdin.isTTY === true) stderr.write(`Reading ${what} from the terminal; end with Ctrl-D\n`);
  const stream = stdin as Readable; // NodeJS.ReadableStream is the older of its two types
  stop.signal.addEventListener('abort', () => stream.destroy(stop.reason), {once: true});
  return stdin;
}

/** All of stdin as text; only for a command that was asked to read it. */
export async function readStdin(input: StdinUser, what: string, mostCharacters: number): Promise<string> {
  let text = '';
  for await (const chunk of openStdin(input, what)) {
    text += String(chunk);
    if (text.length > mostCharacters)
      throw new RemitError('LOCAL_VALIDATION', `stdin contains more than ${mostCharacters} characters`);
  }
  return text;
}
