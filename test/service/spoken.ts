import assert from 'node:assert/strict';
import type {Transport} from '../../src/client/transport/transport.ts';
import {isObject, type Json, parseJson} from '../../src/narrow.ts';
import type {ServiceFile} from '../../src/service/service-file.ts';
import {WireSide} from '../../src/service/wire-side.ts';

/** A service of the contract that speaks the dialect of a service file; the client must write nothing else. */
export function spoken(inner: Transport, file: ServiceFile): Transport {
  const side = new WireSide(file);
  return {
    async send(request) {
      const body: Json = request.body === undefined ? undefined : parseJson(request.body);
      const read = side.read({...request, body});
      if ('refused' in read)
        assert.fail(`${request.method} ${request.path}: ${JSON.stringify(read.refused)}`);
      const {operation, request: canonical} = read;
      const text = canonical.body === undefined ? undefined : JSON.stringify(approvalLast(canonical.body));
      const answer = await inner.send({...request, ...canonical, operation, body: text});
      return {
        ...answer,
        headers: side.answerHeaders(answer.headers),
        body: Buffer.from(
          written(answer.body.toString('utf8'), (json) => side.answer(operation, answer.status, json)),
        ),
      };
    },
    close: () => inner.close(),
  };
}

/** A body that is cut off, or not JSON, stays as it is. */
function written(text: string, write: (json: Json) => Json): string {
  if (text === '') return text;
  let json: Json;
  try {
    json = parseJson(text);
  } catch {
    return text;
  }
  return JSON.stringify(write(json));
}

/** The order of fields on the wire is that of the dialect; a batch writes this one last. */
function approvalLast(body: Json): Json {
  if (!isObject(body) || body['auto_approve'] === undefined) return body;
  const {auto_approve, ...rest} = body;
  return {...rest, auto_approve};
}
