import {RemitError} from '../../errors.ts';
import type {StatementFile} from '../../sandbox/statement/statement-file.ts';

/**
 * A statement that the sandbox sends in parts, because an answer has at most 32 MB.
 * @param ask for the part that begins at an offset
 * @throws RemitError STATE if the bank reported something meanwhile
 */
export async function wholeStatement(
  ask: (offset: number) => Promise<StatementFile>,
): Promise<Omit<StatementFile, 'characters' | 'next_offset'>> {
  const parts: string[] = [];
  let total: number | undefined;
  for (let offset = 0; ;) {
    const {text, characters, next_offset: next, ...facts} = await ask(offset);
    if (total !== undefined && total !== characters)
      throw new RemitError('STATE', 'the bank reported more lines while its statement was read', {
        hint: (commands) =>
          `run it again, or stop the clock first: ${commands.read('sandbox', 'clock', 'frozen')}`,
      });
    total = characters;
    parts.push(text);
    if (next === null) return {...facts, text: parts.join('')};
    offset = next;
  }
}
