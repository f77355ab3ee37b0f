import {RemitError} from '../../errors.ts';
import type {StatementFile} from '../../sandbox/statement/statement-file.ts';

export type StatementFileFacts = Omit<StatementFile, 'text' | 'next_offset'>;

/**
 * A statement that the sandbox sends in parts, because an answer has at most 32 MB.
 * @param ask for the part that begins at an offset
 * @throws RemitError STATE if the bank reported something meanwhile
 */
export async function* statementParts(
  ask: (offset: number) => Promise<StatementFile>,
): AsyncGenerator<StatementFileFacts & {text: string}> {
  let first: string | undefined;
  for (let offset: number | null = 0; offset !== null;) {
    const {text, next_offset: next, ...facts} = await ask(offset);
    first ??= JSON.stringify(facts);
    if (first !== JSON.stringify(facts))
      throw new RemitError('STATE', 'the bank reported more lines while its statement was read', {
        hint: (commands) =>
          `run it again, or stop the clock first: ${commands.read('sandbox', 'clock', 'frozen')}`,
      });
    yield {...facts, text};
    offset = next;
  }
}
