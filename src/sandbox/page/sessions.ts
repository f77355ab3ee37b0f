import {randomBytes} from 'node:crypto';
import type {Notice} from './page-actions.ts';

/**
 * A session of the page, opened by a link. It is kept in memory: after a restart of the sandbox a new link is needed.
 */
export interface Session {
  /** Included in every form of the page, so that no other page can send one. */
  formToken: string;
  expiresMs: number;
  /** The result of the last control, until it was shown. */
  notice: Notice | null;
  /** The control that was used last, until the page was shown: it gets the focus back. */
  control: string | null;
}

export interface SessionLink {
  /** `/?open=…` */
  path: string;
  expiresMs: number;
}

const LINK_MS = 10 * 60_000;
const SESSION_MS = 12 * 3_600_000;
/** Maximum number of each; the oldest is dropped when one more is added. */
const MOST = 50;

const secret = (): string => randomBytes(24).toString('base64url');

/**
 * Who may see the page and move its clock. A link works once and for a short time. Its cookie is valid only for the
 * page, never for the control calls, because cookies of a host are sent to every port of it.
 */
export class PageSessions {
  readonly #now: () => number;
  readonly #links = new Map<string, number>();
  readonly #sessions = new Map<string, Session>();

  /** @param now milliseconds since the epoch, by the machine's clock */
  constructor(now: () => number) {
    this.#now = now;
  }

  makeLink(): SessionLink {
    const code = secret();
    const expiresMs = this.#now() + LINK_MS;
    keep(this.#links, code, expiresMs);
    return {path: `/?open=${code}`, expiresMs};
  }

  /** The id of a new session; undefined if the code was used, has expired or was never issued. */
  redeem(code: string): string | undefined {
    const expiresMs = this.#links.get(code);
    this.#links.delete(code);
    if (expiresMs === undefined || expiresMs < this.#now()) return undefined;
    const id = secret();
    keep(this.#sessions, id, {
      ...{formToken: secret(), expiresMs: this.#now() + SESSION_MS},
      ...{notice: null, control: null},
    });
    return id;
  }

  find(id: string | undefined): Session | undefined {
    const session = id === undefined ? undefined : this.#sessions.get(id);
    return session && session.expiresMs >= this.#now() ? session : undefined;
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  const [oldest] = map.keys();
  if (map.size >= MOST && oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
