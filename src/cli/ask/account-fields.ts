import {isNumberLike} from '../../contract/markets.ts';
import type {Output} from '../../output/output.ts';
import type {Prompts} from '../runtime/prompts.ts';

/** The service accepts no longer value. */
const LONGEST = 140;

/**
 * Asks for the fields of a bank account in a country without known ones: the name of each, and its value, typed
 * invisibly because it may be the number of the account.
 */
export async function askAccountFields({
  prompts,
  out,
}: {
  prompts: Prompts;
  out: Output;
}): Promise<{name: string; value: string}[]> {
  const fields: {name: string; value: string}[] = [];
  const wrongName = (typed: string): string | undefined => {
    const name = typed.trim();
    if (name === '') return fields.length === 0 ? 'Type a name' : undefined;
    if (isNumberLike(name)) return 'Type a name; its value is asked for next';
    if (!/^[a-z]\w*$/i.test(name)) return 'Type letters, digits and underscores, such as account_number';
    if (name === 'holder_name') return 'The name of the account holder is asked for separately';
    return fields.some((field) => field.name === name) ? 'Type the name of another field' : undefined;
  };
  const wrongValue = (typed: string): string | undefined => {
    const {length} = typed.trim();
    return length > 0 && length <= LONGEST ? undefined : `Type 1 to ${LONGEST} characters`;
  };
  for (;;) {
    const question =
      fields.length === 0
        ? 'Name of the first field, as your service calls it:'
        : 'Name of the next field (empty if that was the last):';
    const name = (await prompts.line(question, '--field NAME=@FILE', wrongName)).trim();
    if (name === '') return fields;
    const value = (await prompts.hidden(`${name}:`, '--field NAME=@FILE', wrongValue)).trim();
    out.sanitizer.conceal(value);
    fields.push({name, value});
  }
}
