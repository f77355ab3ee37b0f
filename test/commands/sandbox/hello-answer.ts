import {proofOf} from '../../../src/sandbox/control/proof.ts';
import type {TransportAnswer} from '../../../src/client/transport/transport.ts';
import {answer} from '../../client/transport/fake-transport.ts';

/** What a sandbox with this token answers when it is asked for its proof; undefined for any other request. */
export function helloAnswer({path}: {path: string}, token: string): TransportAnswer | undefined {
  const nonce = /^\/sandbox\/hello\?nonce=(\w+)$/.exec(path)?.[1];
  return nonce === undefined ? undefined : answer(200, {proof: proofOf(token, nonce)});
}
