import type {ServiceFile} from '../../service/service-file.ts';
import {WireSide} from '../../service/wire-side.ts';
import type {Outgoing} from '../outcomes/fault-answer.ts';
import type {Deliver} from './routing.ts';

/** Handles a request of the contract. */
type Handle = (request: Request, deliver: Deliver) => Response | Promise<Response>;

/** Lets the sandbox speak as the service of a service file does: it takes nothing else, and answers in no other way. */
export class SandboxDialect {
  readonly #wire: WireSide;
  readonly #handle: Handle;

  constructor(service: ServiceFile, handle: Handle) {
    this.#wire = new WireSide(service);
    this.#handle = handle;
  }

  async fetch(request: Request, deliver: Deliver): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    const body = parsed(text);
    const headers = Object.fromEntries(request.headers);
    const read = this.#wire.read({method: request.method, path: url.pathname + url.search, headers, body});
    if ('refused' in read) {
      const {status, body: refusal} = read.refused;
      return deliver({
        status,
        body: JSON.stringify(refusal),
        headers: this.#wire.answerHeaders({
          'content-type': 'application/json',
          'x-request-id': 'req_refused',
        }),
      });
    }
    const {operation, request: canonical} = read;
    const sent =
      canonical.body === undefined ? undefined : body === UNREADABLE ? text : JSON.stringify(canonical.body);
    const kept = Object.entries(canonical.headers).filter(([name]) => name !== 'content-length');
    const init = {
      method: canonical.method,
      headers: {
        ...Object.fromEntries(kept),
        ...(sent === undefined ? {} : {'content-type': 'application/json'}),
      },
      ...(sent === undefined || canonical.method === 'GET' ? {} : {body: sent}),
    };
    return this.#handle(new Request(new URL(canonical.path, url.origin), init), (answer) =>
      deliver({
        ...answer,
        headers: this.#wire.answerHeaders(answer.headers),
        body: this.#written(operation, answer),
      }),
    );
  }

  #written(operation: Parameters<WireSide['answer']>[0], {status, body}: Outgoing): string | null {
    if (body === null) return null;
    const json = parsed(body);
    return json === UNREADABLE ? body : JSON.stringify(this.#wire.answer(operation, status, json));
  }
}

/** Stands for a text that is not JSON. */
const UNREADABLE = Symbol('not JSON');

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return UNREADABLE;
  }
}
