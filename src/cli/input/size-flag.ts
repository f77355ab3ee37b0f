import {Flags} from '@oclif/core';
import {RemitError} from '../../errors.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['B', 1],
  ['KB', 1024],
  ['MB', 1024 ** 2],
  ['GB', 1024 ** 3],
]);

/** A size such as `500KB` or `256MB`, in bytes. */
export const sizeFlag = Flags.custom<number>({
  helpValue: 'SIZE',
  parse: async (text, _context, flag) => {
    const [, digits, unit = 'B'] = /^(\d{1,9})([A-Z]+)?$/i.exec(text) ?? [];
    const bytes = UNITS.get(unit.toUpperCase());
    if (digits !== undefined && bytes !== undefined) return Number(digits) * bytes;
    throw new RemitError('USAGE', `--${flag.name} ${JSON.stringify(text)} is not a size`, {
      hint: `write it like --${flag.name} 256MB`,
    });
  },
});
