import type {Transport, TransportAnswer, TransportRequest} from '../../../client/transport/transport.ts';
import {isList, isObject, type JsonObject} from '../../../narrow.ts';
import type {DocumentOperation, OpenApiDocument} from './document.ts';
import {sampleOf} from './sample.ts';

import {NO_SUCH_ID} from '../reads/errors.ts';

/** A transport that answers as the document describes. Nothing leaves this machine. */
export class DescribedService implements Transport {
  readonly #document: OpenApiDocument;

  constructor(document: OpenApiDocument) {
    this.#document = document;
  }

  async send({method, path}: TransportRequest): Promise<TransportAnswer> {
    const [route = '', search = ''] = path.split('?');
    const found = this.#document.operations.find(
      (one) => one.method === method && patternOf(one.path).test(route),
    );
    if (found === undefined) return answer(404, undefined);
    if (route.includes(NO_SUCH_ID)) return this.#failure(found, '404');
    return this.#refuses(found, new URLSearchParams(search))
      ? this.#failure(found, '400')
      : this.#success(found, new URLSearchParams(search));
  }

  async close(): Promise<void> {}

  /** Whether a query value is not allowed by the schema of its parameter. */
  #refuses({operation}: DocumentOperation, query: URLSearchParams): boolean {
    return this.#parameters(operation).some(({name, schema}) => {
      const value = query.get(name);
      if (value === null) return false;
      const {maximum, enum: words} = this.#document.follow(schema);
      if (typeof maximum === 'number' && Number(value) > maximum) return true;
      return isList(words) && !words.includes(value);
    });
  }

  #parameters(operation: JsonObject): {name: string; schema: unknown}[] {
    const list = isList(operation['parameters']) ? operation['parameters'] : [];
    return list.map((one) => {
      const {name, schema} = this.#document.follow(one);
      return {name: String(name), schema};
    });
  }

  #success({operation}: DocumentOperation, query: URLSearchParams): TransportAnswer {
    const json = this.#bodyOf(operation, /^2(\d\d|XX)$/);
    const known = new Set(this.#parameters(operation).map(({name}) => name));
    const used = new URLSearchParams([...query].filter(([name]) => known.has(name)));
    return answer(200, paged(json, used), this.#headersOf(operation));
  }

  #failure({operation}: DocumentOperation, status: '400' | '404'): TransportAnswer {
    const exact = this.#bodyOf(operation, new RegExp(`^${status}$`));
    return answer(Number(status), exact ?? this.#bodyOf(operation, /^(4XX|4\d\d|default)$/));
  }

  #response(operation: JsonObject, status: RegExp): JsonObject {
    const responses = isObject(operation['responses']) ? operation['responses'] : {};
    const name = Object.keys(responses).find((one) => status.test(one));
    return name === undefined ? {} : this.#document.follow(responses[name]);
  }

  #bodyOf(operation: JsonObject, status: RegExp): unknown {
    const {content} = this.#response(operation, status);
    const types = isObject(content) ? Object.entries(content) : [];
    const media = types.find(([type]) => /json/.test(type))?.[1];
    return isObject(media) && media['schema'] !== undefined
      ? sampleOf(this.#document, media['schema'])
      : undefined;
  }

  #headersOf(operation: JsonObject): Record<string, string> {
    const {headers} = this.#response(operation, /^2/);
    return Object.fromEntries(
      Object.keys(isObject(headers) ? headers : {}).map((name) => [name.toLowerCase(), 'x']),
    );
  }
}

/** Imitates paging of a list with two records: by page size, by cursor, and in reverse for an ascending order. */
function paged(json: unknown, query: URLSearchParams): unknown {
  const names = [...query.keys()];
  const isSmall = names.some(
    (name) => /limit|size|count|per_page|max/i.test(name) && query.get(name) === '1',
  );
  const isNext = names.some((name) => /cursor|after|token/i.test(name));
  const isTurned = names.some(
    (name) => /order|sort|direction/i.test(name) && /asc|old|^created/i.test(query.get(name) ?? ''),
  );
  const turn = (value: unknown): unknown => {
    if (isList(value)) {
      const items = isTurned ? value.toReversed() : value;
      return isSmall ? items.slice(isNext ? 1 : 0, isNext ? 2 : 1) : items;
    }
    return isObject(value)
      ? Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, turn(inner)]))
      : value;
  };
  return turn(json);
}

const patternOf = (path: string): RegExp =>
  new RegExp(`^${path.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&').replaceAll(/\{[^{}]*\}/g, '[^/]+')}$`);

function answer(status: number, body: unknown, headers: Record<string, string> = {}): TransportAnswer {
  return {status, headers, body: Buffer.from(body === undefined ? '' : JSON.stringify(body))};
}
