import assert from 'node:assert/strict';
import {TransportFailure} from '../../../src/client/transport/transport.ts';

/** The failure of an exchange that must not be answered. */
export async function failureOf(sending: Promise<unknown>): Promise<TransportFailure> {
  const failure = await sending.then(
    (answer) => assert.fail(`answered: ${JSON.stringify(answer)}`),
    (error: unknown) => error,
  );
  assert.ok(failure instanceof TransportFailure, String(failure));
  return failure;
}
