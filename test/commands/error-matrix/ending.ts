import {EXIT} from '../../../src/errors.ts';
import type {WritingCommand} from '../written-commands.ts';

/** What a script has to be told. `refused`: it did not happen, and why. `in doubt`: it may have happened. */
export type Ending = {
  is: 'refused' | 'in doubt';
  exit: number;
  status: number | null;
  code?: string | undefined;
};

/** design.md, section 4, restated: which exit code each status of a write has. */
export function endOf(
  status: number,
  code: string | undefined,
  {safety}: Pick<WritingCommand, 'safety'>,
): Ending {
  const refused = (exit: number): Ending => ({is: 'refused', exit, status, code});
  const inDoubt: Ending = {is: 'in doubt', exit: EXIT.IN_DOUBT, status};
  if (status < 300) return inDoubt; // an error body: neither a record nor a confirmation
  if (status < 400) return inDoubt; // a redirect is never followed, and may follow the work
  if (status >= 500 || status === 408 || status === 425) return inDoubt;
  if (status === 401 || status === 403) return refused(EXIT.CREDENTIALS);
  if (status === 404) return refused(EXIT.NOT_FOUND);
  // Without the documented code, an earlier request with the key may still be running.
  if (status === 409) return code === undefined && safety === 'keyed' ? inDoubt : refused(EXIT.CONFLICT);
  if (status === 429) return refused(EXIT.UNAVAILABLE);
  return refused(EXIT.INVALID);
}
