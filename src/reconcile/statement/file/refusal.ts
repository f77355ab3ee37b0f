import {RemitError} from '../../../errors.ts';

/** Where in a statement something is wrong: a line of the file, or an element. */
export type StatementPlace = {readonly line: number} | {readonly element: string} | undefined;

/** Creates the errors of one file. Its name is a path, or `the statement`. */
export type Refuse = (place: StatementPlace, why: string, hint?: string, cause?: unknown) => RemitError;

const HINT = 'download the statement again, or ask the bank for it; nothing of this file was recorded';

/** Texts of a bank in messages are short, so that no message shows a whole account or page. */
const LONGEST_SHOWN = 40;

export const refusals =
  (name: string): Refuse =>
  (place, why, hint = HINT, cause) => {
    const at =
      place === undefined ? '' : 'line' in place ? `, line ${place.line}` : `, element ${place.element}`;
    return new RemitError('STATEMENT_INVALID', `${name}${at}: ${why}`, {hint, cause, details: place});
  };

/** A text of the file, quoted for a message; digits of long numbers are masked. */
export function shortQuote(text: string): string {
  const cut = text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text;
  return JSON.stringify(cut.replace(/\d{8,}/g, (digits) => `…${digits.slice(-4)}`));
}

/** `…1234` */
export const maskedNumber = (number: string): string => `…${number.slice(-4)}`;
