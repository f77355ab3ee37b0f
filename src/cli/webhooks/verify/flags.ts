import {Flags} from '@oclif/core';
import type {VerifyOptions} from '../../../webhooks/verify/signature.ts';
import {type SignatureForm, TIMESTAMP_FORMATS} from '../../../contract/signature-form.ts';
import {type FlagValues} from '../../input/flags.ts';
import {duration} from '../../input/global-flags.ts';
import {secretFlags} from '../secrets.ts';

/** What `listen` and `verify` accept as a signature. */
export const formFlags = {
  tolerance: duration({description: 'maximum age of a timestamp (default 5m)'}),
  'tolerance-future': duration({description: 'how far ahead a timestamp may be (default 5m)'}),
  'timestamp-format': Flags.option({
    options: TIMESTAMP_FORMATS,
    description: 'format of the timestamp (default: seconds, or that of the service file)',
  })(),
  lenient: Flags.boolean({description: 'accept signatures in upper case or with a prefix (v1=)'}),
};

export const verifyFlags = {...secretFlags, ...formFlags};

export interface VerifyFlags extends FlagValues<typeof verifyFlags> {
  /** How the service signs, from the service file in force. */
  form?: SignatureForm | undefined;
}

const DEFAULT_MS = 300_000;

/** How signatures are verified: as the service signs, unless a flag says otherwise. */
export const verifyOptions = (flags: VerifyFlags): VerifyOptions => ({
  toleranceSeconds: tolerancesOf(flags),
  form: statedForm(flags),
  lenient: flags.lenient,
});

/** In seconds. */
export const tolerancesOf = (flags: VerifyFlags): {past: number; future: number} => ({
  past: (flags.tolerance ?? DEFAULT_MS) / 1000,
  future: (flags['tolerance-future'] ?? DEFAULT_MS) / 1000,
});

/** The form of the service file, with the format of timestamps that a flag names. */
export function statedForm({form, 'timestamp-format': timestamp}: VerifyFlags): SignatureForm | undefined {
  return timestamp === undefined ? form : {...form, timestamp};
}
