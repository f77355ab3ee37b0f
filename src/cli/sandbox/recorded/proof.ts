import {randomBytes, timingSafeEqual} from 'node:crypto';
import {
  TransportFailure,
  type Transport,
  type TransportRequest,
} from '../../../client/transport/transport.ts';
import {isObject, parseJson} from '../../../narrow.ts';
import {HELLO_PATH, proofOf} from '../../../sandbox/control/proof.ts';
import type {Runtime} from '../../runtime/runtime.ts';

/** What each process has checked: address and token. */
const checked = new WeakMap<Runtime, Set<string>>();

/**
 * Whether the program at an address has the control token, which is not sent. A process asks once for each address and
 * token. Without a token the result is false if anything answers.
 * @throws {TransportFailure} if nothing answers; it is never `sent`, because only the question was.
 */
export async function hasToken(
  runtime: Runtime,
  transport: Transport,
  asked: Pick<TransportRequest, 'timeouts' | 'signal'> & {baseUrl: string; token: string | undefined},
): Promise<boolean> {
  const {baseUrl, token, ...limits} = asked;
  const known = checked.get(runtime) ?? new Set();
  checked.set(runtime, known);
  if (known.has(`${baseUrl} ${token}`)) return true;
  const nonce = randomBytes(16).toString('hex');
  const request = {method: 'GET', path: `${HELLO_PATH}?nonce=${nonce}`, headers: {}, ...limits};
  const {status, body} = await transport.send(request).catch((error: unknown) => {
    throw error instanceof TransportFailure ? unsent(error) : error;
  });
  const isProven = token !== undefined && status === 200 && isProof(body.toString(), proofOf(token, nonce));
  if (isProven) known.add(`${baseUrl} ${token}`);
  return isProven;
}

const unsent = (failure: TransportFailure): TransportFailure => {
  const {kind, why, trouble} = failure;
  return new TransportFailure(kind, why, {sent: false, trouble, cause: failure});
};

function isProof(text: string, expected: string): boolean {
  const [a, b] = [Buffer.from(proofIn(text)), Buffer.from(expected)];
  return a.length === b.length && timingSafeEqual(a, b);
}

function proofIn(text: string): string {
  try {
    const answer = parseJson(text);
    return isObject(answer) && typeof answer['proof'] === 'string' ? answer['proof'] : '';
  } catch {
    return '';
  }
}
