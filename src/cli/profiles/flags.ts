import {Flags} from '@oclif/core';
import {count} from '../input/flags.ts';

/** Flags of the commands that make and change profiles. */

const many = {multiple: true, multipleNonGreedy: true} as const;

/** A key is never an argument, since other users of the machine could read it there. */
export const keyFlags = {
  'key-stdin': Flags.boolean({
    description: 'read the key from stdin',
    exclusive: ['key-file', 'key-command'],
  }),
  'key-file': Flags.string({
    helpValue: 'PATH',
    description: 'read the key from this file at each use',
    exclusive: ['key-command'],
  }),
  'key-command': Flags.string({
    helpValue: 'COMMAND',
    description: 'run this at each use; its output is the key',
  }),
};

export const guardFlags = {
  'max-amount': Flags.string({...many, helpValue: 'USD=5000.00', description: 'largest single amount'}),
  'max-batch-total': Flags.string({...many, helpValue: 'USD=100000.00', description: 'largest batch'}),
  'max-batch-rows': count(1, 100_000_000)({description: 'longest batch'}),
  'allow-rail': Flags.string({...many, helpValue: 'RAIL', description: 'only these rails'}),
  'read-only': Flags.boolean({description: 'refuse every write'}),
  'approve-by-id': Flags.boolean({
    description: 'batches may approve staged records by id once their keys are past the horizon',
  }),
};

export const overrideFlags = {
  route: Flags.string({
    ...many,
    helpValue: "'OPERATION=METHOD /path'",
    description: 'where an assumed operation really is',
  }),
  field: Flags.string({
    ...many,
    helpValue: 'OPERATION.FIELD=NAME',
    description: 'how an assumed field is really called',
  }),
};

/** What `profiles unset` removes. */
export const unsetFlags = {
  'max-amount': Flags.boolean({description: 'remove the cap on single amounts, for all currencies'}),
  'max-batch-total': Flags.boolean({description: 'remove the cap on batch totals, for all currencies'}),
  'max-batch-rows': Flags.boolean({description: 'remove the cap on the length of a batch'}),
  'allow-rail': Flags.boolean({description: 'allow all rails'}),
  'read-only': Flags.boolean({description: 'allow writes'}),
  'approve-by-id': Flags.boolean({description: 'batches may no longer approve records by id'}),
  route: Flags.string({...many, helpValue: 'OPERATION', description: 'use the assumed route again'}),
  field: Flags.string({
    ...many,
    helpValue: 'OPERATION.FIELD',
    description: 'use the assumed field name again',
  }),
};
