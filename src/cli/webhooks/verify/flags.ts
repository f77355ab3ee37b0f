import {Flags} from '@oclif/core';
import type {VerifyInput} from '../../../webhooks/verify/signature.ts';
import {TIMESTAMP_FORMATS, type TimestampFormat} from '../../../contract/signature-form.ts';
import {parseDuration} from '../../input/durations.ts';
import {secretFlags} from '../secrets.ts';

const tolerance = (description: string, name: string) =>
  Flags.custom<number>({
    helpValue: 'TIME',
    description,
    parse: async (text) => parseDuration(text, `--${name}`),
  })();

/** How `listen` and `verify` verify signatures. */
export const verifyFlags = {
  ...secretFlags,
  tolerance: tolerance('maximum age of a timestamp (default 5m)', 'tolerance'),
  'tolerance-future': tolerance('how far ahead a timestamp may be (default 5m)', 'tolerance-future'),
  'timestamp-format': Flags.option({
    options: TIMESTAMP_FORMATS,
    default: 'seconds' as const,
    description: 'format of the timestamp header',
  })(),
  lenient: Flags.boolean({description: 'accept signatures in upper case or with a prefix (v1=)'}),
};

export interface VerifyFlags {
  tolerance?: number | undefined;
  'tolerance-future'?: number | undefined;
  'timestamp-format'?: TimestampFormat | undefined;
  lenient?: boolean | undefined;
}

const DEFAULT_MS = 300_000;

/** The flags as options of the verifier. */
export const verifyOptions = (
  flags: VerifyFlags,
): Pick<VerifyInput, 'toleranceSeconds' | 'timestampFormat' | 'lenient'> => ({
  toleranceSeconds: {
    past: (flags.tolerance ?? DEFAULT_MS) / 1000,
    future: (flags['tolerance-future'] ?? DEFAULT_MS) / 1000,
  },
  timestampFormat: flags['timestamp-format'],
  lenient: flags.lenient,
});
