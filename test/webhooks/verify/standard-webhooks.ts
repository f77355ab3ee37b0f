import type {SignatureForm} from '../../../src/contract/signature-form.ts';

/** The form of https://www.standardwebhooks.com, as a service file describes it. */
export const STANDARD: SignatureForm = {
  ...{signatureHeader: 'webhook-signature', timestampHeader: 'webhook-timestamp', idHeader: 'webhook-id'},
  ...{signaturePrefix: 'v1,', signatureEncoding: 'base64', secretEncoding: 'base64'},
  signed: '{id}.{timestamp}.{payload}',
};
