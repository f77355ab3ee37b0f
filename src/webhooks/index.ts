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
} from './signature.ts';
export {
  parseEvent,
  type KnownWebhookEvent,
  type PayinEventData,
  type PayoutEventData,
  type SubaccountCreditEventData,
  type UnknownEventType,
  type UnknownWebhookEvent,
  type WebhookEvent,
} from './event.ts';
export {BodyTooLargeError, readRawBody, type BodySource} from './raw-body.ts';
export {ReplayMemory, type Replays, type Seen} from './replay-memory.ts';
export {diagnose, type Diagnosis} from './diagnosis.ts';
export {secretFingerprint, type WebhookSecret} from './secrets.ts';
export {TIMESTAMP_FORMATS, type TimestampFormat} from './timestamp.ts';
export type {FetchHeaders, WebhookHeaders} from './header-values.ts';
export {RemitError} from '../errors.ts';
