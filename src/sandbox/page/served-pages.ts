import {ICON, pageHeaders} from '../../html/page-frame.ts';
import {checkHost, checkOrigin} from '../api/loopback-guard.ts';
import type {SandboxRequest} from '../api/request.ts';
import {ServiceError, errorBody} from '../base/service-error.ts';
import {sameToken} from '../control/control.ts';
import type {Outgoing} from '../outcomes/fault-answer.ts';
import {LIVE_HEADER, LIVE_SCRIPT} from './live-script.ts';
import {act, type Actions, FORMS} from './page-actions.ts';
import type {PageData} from './page-data.ts';
import {lockedPage, sandboxPage} from './page-html.ts';
import {PAGE_STYLE} from './page-style.ts';
import {addressOf, readView, type PageView} from './page-view.ts';
import {PageSessions, type SessionLink, type Session} from './sessions.ts';

/** Maximum size of a form of the page. */
const FORM_BYTES_MAX = 2000;
const CLOSED = 'It shows records and can move the clock, so it can only be opened with a link.';
const GONE = 'The link was already used or has expired, or the sandbox has been restarted since.';

const HEADERS = pageHeaders({style: PAGE_STYLE, script: true});

/** Browsers request the last one automatically. */
const READ = new Set(['/', '/openapi.json', '/favicon.ico']);
const WHAT = 'the pages of the sandbox';

export interface PageSource extends Actions {
  read: (view: PageView) => Promise<PageData>;
}

/** `/`, `/page/…` and `/openapi.json`: what people and tools can see of the sandbox without an API key. */
export class ServedPages {
  readonly #source: PageSource;
  readonly #hosts: () => readonly string[];
  readonly #sessions: PageSessions;
  readonly #documents = new Map<string, Promise<string>>();

  constructor(source: PageSource, options: {hosts: () => readonly string[]; machineNow: () => number}) {
    this.#source = source;
    this.#hosts = options.hosts;
    this.#sessions = new PageSessions(options.machineNow);
  }

  makeLink(): SessionLink {
    return this.#sessions.makeLink();
  }

  /** Whether a request is for one of these pages; all others are for the API. */
  static owns(method: string, path: string): boolean {
    if (path.startsWith('/page/')) return true;
    return READ.has(path) && (method === 'GET' || method === 'HEAD');
  }

  async answer(request: SandboxRequest): Promise<Outgoing> {
    const answer = await this.#route(request).catch(refusal);
    return request.method === 'HEAD' ? {...answer, body: null} : answer;
  }

  async #route(request: SandboxRequest): Promise<Outgoing> {
    const host = checkHost(request, this.#hosts(), WHAT);
    checkOrigin(request, host, WHAT);
    const {pathname} = new URL(request.url);
    const reads = request.method !== 'POST';
    if (pathname === '/openapi.json') return this.#openApi(`http://${host}`);
    if ((pathname === '/page/icon.svg' || pathname === '/favicon.ico') && reads)
      return respond(200, 'image/svg+xml', ICON);
    if (pathname === '/page/live.js' && reads) return respond(200, 'text/javascript', LIVE_SCRIPT);
    if (Object.hasOwn(FORMS, pathname) && !reads) return this.#act(request, host, pathname);
    if (pathname === '/') return this.#page(request, host);
    throw new ServiceError('NOT_FOUND', `no page ${request.method} ${pathname}`);
  }

  async #openApi(server: string): Promise<Outgoing> {
    let made = this.#documents.get(server);
    if (!made) {
      made = import('../control/openapi.ts').then(({sandboxOpenApi}) =>
        JSON.stringify(sandboxOpenApi(server)),
      );
      this.#documents.set(server, made);
    }
    return respond(200, 'application/json', await made);
  }

  async #page(request: SandboxRequest, host: string): Promise<Outgoing> {
    const code = new URL(request.url).searchParams.get('open');
    if (code !== null) return this.#open(request, code, host);
    const session = this.#session(request, host);
    if (!session) return html(200, lockedPage(hasCookie(request, host) ? GONE : CLOSED));
    const view = readView(new URL(request.url).searchParams);
    const data = await this.#source.read(view);
    // An update must not take the notice and the focus from the page that the person is about to see.
    const isUpdate = request.headers.get(LIVE_HEADER) !== null;
    const page = sandboxPage(data, isUpdate ? {...session, notice: null, control: null} : session, {
      host,
      view,
    });
    if (request.method === 'GET' && !isUpdate) {
      session.notice = null;
      session.control = null;
    }
    return html(200, page);
  }

  /** Removes the code from the address, so that it stays neither in the history nor on the screen. */
  #open(request: SandboxRequest, code: string, host: string): Outgoing {
    if (request.method === 'HEAD') return html(200, lockedPage(CLOSED)); // a HEAD request does not use it up
    const id = this.#sessions.redeem(code);
    if (id === undefined) return html(403, lockedPage(GONE));
    return redirect('/', {'set-cookie': `${cookieName(host)}=${id}; Path=/; HttpOnly; SameSite=Strict`});
  }

  async #act(request: SandboxRequest, host: string, path: string): Promise<Outgoing> {
    requireOrigin(request);
    const session = this.#session(request, host);
    if (!session) return html(403, lockedPage(GONE));
    const form = await readForm(request);
    if (!sameToken(form.get('form') ?? '', session.formToken))
      throw new ServiceError('AUTHORIZATION_ERROR', 'the form is not one of this page');
    const {notice, control} = await act(path, form, this.#source);
    session.notice = notice;
    session.control = control;
    return redirect(addressOf(readView(new URLSearchParams(form.get('back') ?? ''))));
  }

  #session(request: SandboxRequest, host: string): Session | undefined {
    return this.#sessions.find(readCookie(request, cookieName(host)));
  }
}

/** A browser says where a form comes from; clients that do not can use the control calls. */
function requireOrigin(request: SandboxRequest): void {
  const site = request.headers.get('sec-fetch-site');
  if (request.headers.get('origin') === null || (site !== null && site !== 'same-origin'))
    throw new ServiceError('AUTHORIZATION_ERROR', 'only the page itself may send its forms');
}

async function readForm(request: SandboxRequest): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  const length = Number(request.headers.get('content-length') ?? Number.NaN);
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type) || !(length <= FORM_BYTES_MAX))
    throw new ServiceError('VALIDATION_ERROR', 'a short form is expected');
  return new URLSearchParams(await request.text());
}

/** The name has the port: all sandboxes of this machine share a host, and therefore its cookies. */
const cookieName = (host: string): string => `remit_sandbox_${/:(\d+)$/.exec(host)?.[1] ?? '80'}`;

function readCookie(request: SandboxRequest, name: string): string | undefined {
  const pairs = (request.headers.get('cookie') ?? '').split(/;\s*/);
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1);
}

const hasCookie = (request: SandboxRequest, host: string): boolean =>
  readCookie(request, cookieName(host)) !== undefined;

const respond = (status: number, type: string, body: string): Outgoing => ({
  status,
  body,
  headers: {...HEADERS, 'content-type': `${type}; charset=utf-8`},
});
const html = (status: number, page: string): Outgoing => respond(status, 'text/html', page);
const redirect = (location: string, headers: Record<string, string> = {}): Outgoing => ({
  status: 303,
  body: null,
  headers: {...HEADERS, location, ...headers},
});

/** Refusals have the documented shape, as everywhere else. */
function refusal(error: unknown): Outgoing {
  if (!(error instanceof ServiceError)) throw error;
  return respond(error.status, 'application/json', JSON.stringify(errorBody(error.code, error.message)));
}
