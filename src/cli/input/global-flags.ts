import {Args, Flags, type Interfaces} from '@oclif/core';
import {RemitError} from '../../errors.ts';
import {FORMATS} from '../../output/formats.ts';
import {parseDuration} from './durations.ts';

/** What every command has. Nothing else is here: making a flag takes time at each start. */

const GLOBAL = 'GLOBAL';

/** A whole number; oclif's own integer accepts 1e20 and rounds it. */
export const count = (min: number, max: number) =>
  Flags.custom<number>({
    helpValue: 'N',
    parse: async (text, _context, flag) => {
      const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN;
      if (value >= min && value <= max) return value;
      throw new RemitError(
        'USAGE',
        `--${flag.name} ${JSON.stringify(text)} is not a whole number from ${min} to ${max}`,
      );
    },
  });

/** A duration such as `90s` or `15m`, in milliseconds. */
export const duration = Flags.custom<number>({
  helpValue: 'TIME',
  parse: async (text, _context, flag) => parseDuration(text, `--${flag.name}`),
});

/** Flags of every command, allowed before or after its name. Environment and files are read in `settings.ts`. */
export const globalFlags = {
  profile: Flags.string({char: 'p', helpGroup: GLOBAL, helpValue: 'NAME', description: 'profile to use'}),
  output: Flags.string({
    char: 'o',
    helpGroup: GLOBAL,
    options: [...FORMATS],
    helpValue: 'FORMAT',
    description: `${FORMATS.join(', ')} (default table)`,
  }),
  json: Flags.boolean({helpGroup: GLOBAL, description: 'same as -o json', exclusive: ['output']}),
  fields: Flags.string({helpGroup: GLOBAL, helpValue: 'a,b.c', description: 'show only these fields'}),
  query: Flags.string({
    helpGroup: GLOBAL,
    helpValue: 'JMESPATH',
    description: 'reshape the result with a JMESPath expression',
  }),
  quiet: Flags.boolean({char: 'q', helpGroup: GLOBAL, description: 'no progress, notes or hints'}),
  'no-color': Flags.boolean({helpGroup: GLOBAL, description: 'no colour'}),
  debug: Flags.boolean({helpGroup: GLOBAL, description: 'show redacted HTTP on stderr'}),
  'request-timeout': duration({
    helpGroup: GLOBAL,
    description: 'time limit for each request (default 90s; doctor 20s)',
  }),
  retries: count(
    0,
    20,
  )({helpGroup: GLOBAL, description: 'retries after the first attempt (default 2; doctor 1)'}),
  live: Flags.boolean({helpGroup: GLOBAL, description: 'allow a write with a live key'}),
  yes: Flags.boolean({char: 'y', helpGroup: GLOBAL, description: 'confirm without a prompt'}),
};

export type GlobalFlags = Interfaces.InferredFlags<typeof globalFlags>;

/** An id; `named`: what a person can type instead, see `resolveId`. */
export const idArg = (noun: string, named?: 'name' | 'label') =>
  Args.string({
    required: true,
    description: `${noun} id (UUID)${named === undefined ? '' : `; at a terminal also a ${named}`}`,
  });
