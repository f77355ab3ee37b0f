import {SERVICE_ERRORS, type ServiceErrorCode} from '../../contract/error-codes.ts';
import type {FieldIssue} from '../../contract/schemas/registry.ts';

/**
 * A refusal by the simulated service: interface document, "Errors". The router answers it in the documented shape.
 */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly code: ServiceErrorCode;
  readonly status: number;
  readonly details: readonly FieldIssue[] | undefined;

  constructor(code: ServiceErrorCode, message: string, details?: readonly FieldIssue[]) {
    super(message);
    this.code = code;
    this.status = SERVICE_ERRORS[code].status;
    this.details = details;
  }
}

/** A 400 about one field; the issue is also the message. */
export const invalid = (field: string, issue: string): ServiceError =>
  new ServiceError('VALIDATION_ERROR', field === '' ? issue : `${field}: ${issue}`, [{field, issue}]);

/** The documented body (assumption 42). */
export function errorBody(code: string, message: string, details?: readonly FieldIssue[]): object {
  return {error_code: code, message, ...(details === undefined ? {} : {details})};
}
