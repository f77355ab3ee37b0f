import type {Outgoing} from '../outcomes/fault-answer.ts';

/** An answer as a standard Response, if there is no socket to close. */
export function toResponse({status, body, headers, socket}: Outgoing): Response {
  if (socket === 'reset') throw new Error('connection reset by an injected fault');
  return new Response(socket === 'cut' ? halfOf(body ?? '') : body, {status, headers});
}

/** The first half of a body, then an error. */
function halfOf(body: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(Buffer.from(body.slice(0, body.length / 2)));
      controller.error(new Error('connection cut by an injected fault'));
    },
  });
}
