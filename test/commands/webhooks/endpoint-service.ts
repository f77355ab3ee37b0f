import type {Script} from '../../client/transport/fake-transport.ts';
import {answer} from '../../client/transport/fake-transport.ts';

export interface StoredEndpoint {
  id: string;
  url: string;
  event_types: string[];
  description: string | null;
  is_active: boolean;
  secret: string;
}

export interface ServiceAnswer {
  status: number;
  body?: unknown;
}

/** The webhook endpoints of a service, in memory. */
export class EndpointService {
  readonly endpoints = new Map<string, StoredEndpoint>();
  /** `POST /…` and so on, in order. */
  readonly requests: string[] = [];
  #made = 0;

  add(changes: Partial<StoredEndpoint> = {}): StoredEndpoint {
    this.#made += 1;
    const endpoint: StoredEndpoint = {
      id: `0192a000-0000-7000-8000-${String(this.#made).padStart(12, '0')}`,
      url: 'https://example.com/hooks',
      event_types: ['payout.settled', 'payin.failed'],
      description: null,
      is_active: true,
      secret: `whsec_${String(this.#made).padStart(32, '0')}`,
      ...changes,
    };
    this.endpoints.set(endpoint.id, endpoint);
    return endpoint;
  }

  get ids(): string[] {
    return [...this.endpoints.keys()];
  }

  handle(method: string, path: string, body: string | undefined): ServiceAnswer {
    const [, id] = /^\/api\/webhooks\/endpoints(?:\/([^/?]+))?/.exec(path) ?? [];
    this.requests.push(`${method} ${id === undefined ? 'all' : id.slice(-2)}`);
    if (id === undefined && method === 'GET')
      return {status: 200, body: {data: [...this.endpoints.values()].map(shown), next_cursor: null}};
    if (id === undefined) {
      const made = this.add(JSON.parse(body ?? '{}') as Partial<StoredEndpoint>);
      return {status: 201, body: {...shown(made), signing_secret: made.secret}};
    }
    const endpoint = this.endpoints.get(id);
    if (endpoint === undefined)
      return {status: 404, body: {error_code: 'NOT_FOUND', message: `no webhook endpoint ${id}`}};
    if (method === 'GET') return {status: 200, body: shown(endpoint)};
    if (method === 'PATCH') {
      const changed = {...endpoint, ...(JSON.parse(body ?? '{}') as Partial<StoredEndpoint>)};
      this.endpoints.set(id, changed);
      return {status: 200, body: shown(changed)};
    }
    this.endpoints.delete(id);
    return {status: 204};
  }

  /** For the transport of a test. `before` may answer in its place, or throw. */
  script(before: (request: string) => ReturnType<Script> | undefined = () => undefined): Script {
    return ({method, path, body}) => {
      const {status, body: said} = this.handle(method, path, body);
      return before(this.requests.at(-1)!) ?? answer(status, said);
    };
  }
}

const shown = ({id, url, event_types, description, is_active}: StoredEndpoint) => ({
  ...{id, url, event_types, description, is_active},
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
});
