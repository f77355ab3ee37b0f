import type {ServiceFile} from '../../service/service-file.ts';
import {WireSide} from '../../service/wire-side.ts';
import {NO_HEADERS, type Outgoing} from '../outcomes/fault-answer.ts';
import type {SentAs} from '../outcomes/faults.ts';
import type {Exchange} from './exchange.ts';
import {modeOfKey} from '../world/keys.ts';
import type {Deliver} from './routing.ts';

/** Handles a request of the contract; `sent`: method and path as the client sent them, for the log. */
type Handle = (request: Request, how: {deliver: Deliver; sent: SentAs}) => Response | Promise<Response>;
/** Does what is done around every request, also one that is refused. */
type Around = Exchange['run'];

/** Lets the sandbox speak as the service of a service file does: it takes nothing else, and answers in no other way. */
export class SandboxDialect {
  readonly #wire: WireSide;
  readonly #handle: Handle;
  readonly #around: Around;

  constructor(service: ServiceFile, handle: Handle, around: Around) {
    this.#wire = new WireSide(service);
    this.#handle = handle;
    this.#around = around;
  }

  async fetch(request: Request, deliver: Deliver): Promise<Response> {
    const url = new URL(request.url);
    const text = await request.text();
    const body = parsed(text);
    const headers = Object.fromEntries(request.headers);
    const read = this.#wire.read({method: request.method, path: url.pathname + url.search, headers, body});
    const sent = {method: request.method, path: url.pathname};
    if ('refused' in read) return deliver(await this.#refuse(read.refused, sent, headers['x-api-key']));
    const {operation, request: canonical} = read;
    const written =
      canonical.body === undefined ? undefined : body === UNREADABLE ? text : JSON.stringify(canonical.body);
    const kept = Object.entries(canonical.headers).filter(([name]) => name !== 'content-length');
    const init = {
      method: canonical.method,
      headers: {
        ...Object.fromEntries(kept),
        ...(written === undefined ? {} : {'content-type': 'application/json'}),
      },
      ...(written === undefined || canonical.method === 'GET' ? {} : {body: written}),
    };
    return this.#handle(new Request(new URL(canonical.path, url.origin), init), {
      sent,
      deliver: (answer) =>
        deliver({
          ...answer,
          headers: this.#wire.answerHeaders(answer.headers),
          body: this.#written(operation, answer),
        }),
    });
  }

  async #refuse(
    {status, body}: {status: number; body: object},
    sent: SentAs,
    key: string | undefined,
  ): Promise<Outgoing> {
    const answer = {caller: null, status, body: JSON.stringify(body), headers: NO_HEADERS};
    const outgoing = await this.#around(
      {...sent, operation: null, mode: modeOfKey(key)},
      async (before) => (await before, answer),
    );
    return {...outgoing, headers: this.#wire.answerHeaders(outgoing.headers)};
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
