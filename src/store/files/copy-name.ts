import {RemitError} from '../../errors.ts';

/** The name of a copy becomes the name of a file, or of a schema, which PostgreSQL would truncate at 63 bytes. */
export const COPY_NAME = /^[a-z0-9][a-z0-9-]{0,29}$/;

export function checkCopyName(name: string): string {
  if (COPY_NAME.test(name)) return name;
  throw new TypeError(`${JSON.stringify(name)} is not a valid name for a copy`);
}

export const noCopy = (name: string, place: string): RemitError =>
  new RemitError('STATE', `There is no checkpoint ${name}: ${place} does not exist`, {
    hint: 'remit sandbox checkpoint list',
  });
