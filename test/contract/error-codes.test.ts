import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {SERVICE_ERRORS, SHARED_ERRORS, type ServiceErrorCode} from '../../src/contract/error-codes.ts';
import {allOperations} from '../../src/contract/operations/operations.ts';
import {ERRORS, EXIT} from '../../src/errors.ts';

const codes = Object.keys(SERVICE_ERRORS) as ServiceErrorCode[];

describe('error codes of the service', () => {
  it('are those of the interface document, with their statuses', () => {
    const given = codes.filter((code) => SERVICE_ERRORS[code].origin.kind === 'given');
    assert.deepEqual(Object.fromEntries(given.map((code) => [code, SERVICE_ERRORS[code].status])), {
      VALIDATION_ERROR: 400,
      AUTHENTICATION_ERROR: 401,
      AUTHORIZATION_ERROR: 403,
      PAYER_NOT_FOUND: 404,
      PAYMENT_METHOD_NOT_FOUND: 404,
      NOT_FOUND: 404,
      IDEMPOTENCY_KEY_CONFLICT: 409,
      INVALID_PAYMENT_DETAILS: 422,
    });
  });

  it('each have an exit code, except a 503, whose meaning depends on what was asked', () => {
    const unknown = codes.filter((code) => !(code in ERRORS));
    assert.deepEqual(unknown, ['SERVICE_UNAVAILABLE'], 'add the code to ERRORS in src/errors.ts');
  });

  it('keep the exit code that their status asks for', () => {
    const exitOf: Record<number, number> = {
      400: EXIT.INVALID,
      401: EXIT.CREDENTIALS,
      403: EXIT.CREDENTIALS,
      404: EXIT.NOT_FOUND,
      409: EXIT.CONFLICT,
      422: EXIT.INVALID,
    };
    for (const code of codes)
      if (code in ERRORS)
        assert.equal(ERRORS[code as keyof typeof ERRORS].exit, exitOf[SERVICE_ERRORS[code].status], code);
  });

  it('can each be answered by some operation', () => {
    const answered = new Set<string>([
      ...SHARED_ERRORS,
      ...allOperations().flatMap(({operation}) => operation.fails),
    ]);
    assert.deepEqual(
      codes.filter((code) => !answered.has(code)),
      [],
    );
  });
});
