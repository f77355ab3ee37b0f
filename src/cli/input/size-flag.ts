import {Flags} from '@oclif/core';
import {RemitError} from '../../errors.ts';

const UNITS = {B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3} as const;

/** A size such as `500KB` or `256MB`, in bytes. */
export const sizeFlag = Flags.custom<number>({
  helpValue: 'SIZE',
  parse: async (text, _context, flag) => {
    const [, digits, unit = 'B'] = /^(\d{1,9})(B|KB|MB|GB)?$/i.exec(text) ?? [];
    if (digits !== undefined) return Number(digits) * UNITS[unit.toUpperCase() as keyof typeof UNITS];
    throw new RemitError('USAGE', `--${flag.name} ${JSON.stringify(text)} is not a size`, {
      hint: `write it like --${flag.name} 256MB`,
    });
  },
});
