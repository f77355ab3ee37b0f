import {Flags} from '@oclif/core';
import {inGroup} from '../input/flags.ts';
import {count} from '../input/global-flags.ts';

/** Flags of the commands that create and change profiles. */

const many = {multiple: true, multipleNonGreedy: true} as const;

/** A key is never an argument, because other users of the machine could read it there. */
export const keyFlags = inGroup('KEY', {
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
    description: 'run this command at each use; its output is the key',
  }),
});

export const guardFlags = inGroup('LIMIT', {
  'max-amount': Flags.string({
    ...many,
    helpValue: 'USD=5000.00',
    description: 'maximum amount of a single write',
  }),
  'max-batch-total': Flags.string({
    ...many,
    helpValue: 'USD=100000.00',
    description: 'maximum total of a batch',
  }),
  'max-batch-rows': count(1, 100_000_000)({description: 'maximum number of rows in a batch'}),
  'allow-rail': Flags.string({
    ...many,
    helpValue: 'RAIL',
    description: 'allow only these rails; may be repeated',
  }),
  'read-only': Flags.boolean({description: 'refuse all writes'}),
  'approve-by-id': Flags.boolean({
    description: 'let batches approve staged records by id once their keys are past the horizon',
  }),
  'approval-policy': Flags.string({
    helpValue: 'FILE',
    description: 'release batches only as this policy allows',
  }),
  'approval-key': Flags.string({helpValue: 'FILE', description: 'SSH key, or .pub file, that signs batches'}),
});

export const serviceFlags = inGroup('SERVICE', {
  service: Flags.string({
    helpValue: 'FILE',
    description: 'service file; the profile keeps a copy',
  }),
  route: Flags.string({
    ...many,
    helpValue: "'OPERATION=METHOD /path'",
    description: 'route of one operation (service file)',
  }),
  field: Flags.string({
    ...many,
    helpValue: 'OPERATION.FIELD=NAME',
    description: 'name of one field (service file)',
  }),
});

export const tlsFlags = inGroup('TLS', {
  'ca-file': Flags.string({
    helpValue: 'PATH',
    description: 'trust only the certificate authorities in this PEM file',
  }),
  'client-cert': Flags.string({
    helpValue: 'PATH',
    description: 'PEM file of the client certificate that the service requires',
  }),
  'client-key': Flags.string({
    helpValue: 'PATH',
    description: 'PEM file of its private key (default: in the same file)',
    dependsOn: ['client-cert'],
  }),
});

/** The settings that `profiles unset` removes. */
export const unsetFlags = {
  'max-amount': Flags.boolean({description: 'remove the cap on single amounts, for all currencies'}),
  'max-batch-total': Flags.boolean({description: 'remove the cap on batch totals, for all currencies'}),
  'max-batch-rows': Flags.boolean({description: 'remove the cap on batch rows'}),
  'allow-rail': Flags.boolean({description: 'allow all rails'}),
  'read-only': Flags.boolean({description: 'allow writes'}),
  'approve-by-id': Flags.boolean({description: 'stop letting batches approve records by id'}),
  'ca-file': Flags.boolean({description: "trust the system's certificate authorities again"}),
  'client-cert': Flags.boolean({description: 'use no client certificate and key'}),
  ...inGroup('SERVICE', {
    service: Flags.boolean({description: 'remove the service file, with its routes and fields'}),
    route: Flags.string({...many, helpValue: 'OPERATION', description: 'use the assumed route again'}),
    field: Flags.string({
      ...many,
      helpValue: 'OPERATION.FIELD',
      description: 'use the assumed field name again',
    }),
  }),
};
