import {RemitError} from '../errors.ts';

/** A copy's name becomes that of a file, or of a schema whose name PostgreSQL would cut at 63 bytes. */
export const COPY_NAME = /^[a-z0-9][a-z0-9-]{0,29}$/;

export function checkCopyName(name: string): string {
  if (COPY_NAME.test(name)) return name;
  throw new TypeError(`${JSON.stringify(name)} is no name for a copy`);
}

export const noCopy = (name: string, place: string): RemitError =>
  new RemitError('STATE', `There is no checkpoint ${name}: ${place} is not there`, {
    hint: 'remit sandbox checkpoint list',
  });
