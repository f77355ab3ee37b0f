/** The library: `import {verifyWebhook} from 'remit-cli/webhooks'`. */
export {
  REJECTIONS,
  signatureHeaders,
  signWebhook,
  TOLERANCE_SECONDS,
  verifyWebhook,
  type Leniency,
  type Rejected,
  type RejectReason,
  type Verification,
  type Verified,
  type VerifyInput,
} from './verify/signature.ts';
export {
  parseEvent,
  type KnownWebhookEvent,
  type PayinEventData,
  type PayoutEventData,
  type SubaccountCreditEventData,
  type UnknownEventFields,
  type UnknownEventType,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from './verify/event.ts';
export {BodyTooLargeError, readRawBody, type BodySource} from './verify/raw-body.ts';
export {ReplayMemory, type Replays, type Seen} from './verify/replay-memory.ts';
export {diagnose, type Diagnosis} from './verify/diagnosis.ts';
export {secretFingerprint, type WebhookSecret} from './verify/secrets.ts';
export {TIMESTAMP_FORMATS, type SignatureForm, type TimestampFormat} from '../contract/signature-form.ts';
export type {FetchHeaders, WebhookHeaders} from './verify/header-values.ts';
export {RemitError} from '../errors.ts';
