import {assumed, given, type Origin} from './origin/origin.ts';

/** Interface document, "Errors": every error code, with its status and the operations that may answer it. */
export const SERVICE_ERRORS = {
  VALIDATION_ERROR: {status: 400, origin: given('Errors')},
  AUTHENTICATION_ERROR: {status: 401, origin: given('Errors')},
  AUTHORIZATION_ERROR: {status: 403, origin: given('Errors')},
  PAYER_NOT_FOUND: {status: 404, origin: given('Errors')},
  PAYMENT_METHOD_NOT_FOUND: {status: 404, origin: given('Errors')},
  NOT_FOUND: {status: 404, origin: given('Errors')},
  IDEMPOTENCY_KEY_CONFLICT: {status: 409, origin: given('Errors')},
  INVALID_PAYMENT_DETAILS: {status: 422, origin: given('Errors')},
  /** The status is given; this value of `error_code` is assumed. */
  SERVICE_UNAVAILABLE: {status: 503, origin: assumed(44)},
} as const satisfies Record<string, {status: number; origin: Origin}>;

export type ServiceErrorCode = keyof typeof SERVICE_ERRORS;

/** Codes that any operation may answer; they are not repeated in each declaration. */
export const SHARED_ERRORS = [
  'VALIDATION_ERROR',
  'AUTHENTICATION_ERROR',
  'AUTHORIZATION_ERROR',
] as const satisfies readonly ServiceErrorCode[];
