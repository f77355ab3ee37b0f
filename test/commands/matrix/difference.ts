import type {TransportAnswer, TransportRequest} from '../../../src/client/transport/transport.ts';
import {isObject, stringOf} from '../../../src/narrow.ts';
import type {ServiceFile} from '../../../src/service/service-file.ts';

/** What a difference concerns: the commands that are run. */
export type Topic = 'payouts' | 'payins' | 'parties' | 'subaccounts' | 'treasury' | 'webhooks';

export type Send = (request: TransportRequest) => Promise<TransportAnswer>;

/** A difference of a service, and the lines of a service file that describe it. */
export interface Difference {
  readonly name: string;
  /** The service file of the user. */
  readonly service: ServiceFile;
  /** What the sandbox does, if it is not what `service` describes. */
  readonly sandbox?: ServiceFile;
  /** Changes requests or answers in a way that the sandbox cannot. */
  readonly twist?: (send: Send) => Send;
  /** Default: payouts. */
  readonly in?: readonly Topic[];
  /** remit also works without a service file. */
  readonly needsNone?: true;
  /** Keys, besides those of `service`, that are a way out too. */
  readonly names?: readonly string[];
  /** The commands that finish the batch, if the service file alone does not. */
  readonly repair?: readonly string[];
  /** What names the way out, if no key of a service file is one. */
  readonly way?: RegExp;
  /** Text that the commands without a service file must print. */
  readonly says?: RegExp;
}

/** The keys of a service file, such as `routes.payouts.get`, `fields.payees.name` and `paging.by`. */
export const keysOf = (file: ServiceFile): string[] =>
  Object.entries(file).flatMap(([top, part]) =>
    Object.entries(part as object).flatMap(([name, value]) =>
      top === 'fields' || top === 'filters'
        ? Object.keys(value as object).map((field) => `${top}.${name}.${field}`)
        : [`${top}.${name}`],
    ),
  );

/** Whether a text names a key; the key of a longer name does not count. */
export const isNamed = (text: string, key: string): boolean =>
  text.includes(key) && new RegExp(`(?<![\\w.])${key.replaceAll('.', '\\.')}(?![\\w]|\\.\\w)`).test(text);

/** The keys that a text tells to set. */
export const keysIn = (text: string): string[] =>
  [...text.matchAll(/set ([\w.]+)(?: and ([\w.]+))?(?: to \S+)? in the service file/g)].flatMap(
    ([, one = '', other]) => (other === undefined ? [one] : [one, other]),
  );

type Json = Readonly<Record<string, unknown>>;

/** Changes the JSON of answers that `fits` accepts. */
export const changed =
  (
    change: (json: Json, request: TransportRequest) => unknown,
    fits: (answer: TransportAnswer, request: TransportRequest) => boolean = ({status}) => status < 300,
  ) =>
  (send: Send): Send =>
  async (request) => {
    const answer = await send(request);
    if (!fits(answer, request) || answer.body.length === 0) return answer;
    const json: unknown = JSON.parse(answer.body.toString());
    return isObject(json) ? {...answer, body: Buffer.from(JSON.stringify(change(json, request)))} : answer;
  };

/** Answers each error as plain text, as some gateways do. */
export const plainErrors =
  (send: Send): Send =>
  async (request) => {
    const answer = await send(request);
    if (answer.status < 400) return answer;
    const json: unknown = JSON.parse(answer.body.toString());
    const words = isObject(json) ? stringOf(json['message']) : 'error';
    return {
      ...answer,
      headers: {...answer.headers, 'content-type': 'text/plain; charset=utf-8'},
      body: Buffer.from(`${words}\n`),
    };
  };
