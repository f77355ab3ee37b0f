import {redactor} from '../client/redact.ts';

const redact = redactor();
/** As long as an account number may be; ids with letters or dashes in them are none. */
const LONG_NUMBER = /(?<![\w.-])\d(?:[ -]?\d){7,18}(?![\w-])/g;

/** Words of the service: keys, card numbers and whatever may be an account number lose all but their end. */
export const maskedWords = (text: string): string =>
  redact.text(text).replace(LONG_NUMBER, (digits) => `…${digits.replace(/\D/g, '').slice(-4)}`);
