import {closeSync, constants, openSync, readSync} from 'node:fs';

/**
 * Discards what was typed before a question is shown, such as `y` and Enter while a command was still running, so that it
 * does not answer the question. Node's streams hold some of it, which the prompt discards by itself. The rest is in the
 * terminal, and Node has no call to flush it.
 * @param stdin only a real terminal has `setRawMode`
 */
export function discardTypedAhead(stdin: {setRawMode?: ((raw: boolean) => unknown) | undefined}): void {
  if (stdin.setRawMode === undefined || process.platform === 'win32') return;
  stdin.setRawMode(true); // otherwise the terminal holds back a line that has not ended
  let terminal: number | undefined;
  try {
    terminal = openSync('/dev/tty', constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    while (readSync(terminal, Buffer.alloc(1024)) > 0);
  } catch {
    // EAGAIN: nothing is left. Without a controlling terminal there is nothing to read.
  } finally {
    if (terminal !== undefined) closeSync(terminal);
  }
}
