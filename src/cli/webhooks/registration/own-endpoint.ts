import {RemitError} from '../../../errors.ts';
import {messageOf} from '../../../narrow.ts';
import {plainValue} from '../../../output/records/view.ts';
import type {EndpointLine} from '../../../webhooks/delivery/lines.ts';
import type {Context} from '../../core/context.ts';
import {deleteCommand} from './remove-endpoint.ts';
import {endpointsAt, hrefOf, readEndpoint} from '../endpoints.ts';

export type WatchContext = Pick<Context, 'client' | 'clock' | 'out' | 'commands'>;

/** Time between two checks, and the shortest time between two that rejected deliveries cause. */
const EVERY_MS = 30_000;

type Found = Omit<EndpointLine, 'type' | 'endpoint_id'> & {url?: string};

/**
 * Reads the endpoint of a running listener periodically, and after deliveries that do not match its secret: without
 * it, the listener would wait for events that are never sent. Reports each change once, and changes nothing.
 */
export class OwnEndpoint {
  readonly #context: WatchContext;
  readonly #endpoint: {id: string; url: string};
  readonly #onLine: (line: EndpointLine) => void;
  readonly #ended = new AbortController();
  #last: Found = {state: 'active', error: null, same_url: []};
  #explainedAtMs = Number.NEGATIVE_INFINITY;
  /** Checks are made one after the other. */
  #checked = Promise.resolve();

  constructor(
    context: WatchContext,
    endpoint: {id: string; url: string},
    onLine: (line: EndpointLine) => void,
  ) {
    this.#context = context;
    this.#endpoint = endpoint;
    this.#onLine = onLine;
  }

  /** Checks until `end`. */
  async watch(): Promise<void> {
    const {signal} = this.#ended;
    for (;;) {
      await this.#context.clock.sleep(EVERY_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.check();
    }
  }

  end(): void {
    this.#ended.abort();
  }

  /** A delivery did not match: another endpoint may send to the same URL, or replace this one. */
  mismatch(): void {
    const nowMs = this.#context.clock.monotonic();
    if (nowMs - this.#explainedAtMs < EVERY_MS) return;
    this.#explainedAtMs = nowMs;
    void this.check(true);
  }

  /** @param listsOthers also looks for other endpoints with the URL; otherwise only if this one is gone */
  check(listsOthers = false): Promise<void> {
    return (this.#checked = this.#checked.then(() => this.#check(listsOthers)));
  }

  async #check(listsOthers: boolean): Promise<void> {
    const {signal} = this.#ended;
    if (signal.aborted) return;
    let found = await this.#read();
    if (found.state === 'deleted' || listsOthers) found = await this.#withOthers(found);
    else found = {...found, same_url: this.#last.same_url};
    if (!signal.aborted) this.#report(found);
  }

  async #read(): Promise<Found> {
    const {id, url} = this.#endpoint;
    const found = (state: Found['state'], error: string | null = null): Found => ({
      ...{state, error, same_url: []},
    });
    try {
      const {url: its, is_active: active} = await readEndpoint(this.#context, id, this.#ended.signal);
      if (its !== undefined && hrefOf(its) !== hrefOf(url)) return {...found('changed'), url: its};
      return found(active === false ? 'disabled' : 'active');
    } catch (error) {
      if (error instanceof RemitError && error.httpStatus === 404) return found('deleted');
      return found('unknown', messageOf(error));
    }
  }

  /** The list decides whether the endpoint is gone: a 404 may also mean that the path is another one. */
  async #withOthers(found: Found): Promise<Found> {
    const {id, url} = this.#endpoint;
    try {
      const ids = await endpointsAt(this.#context, url, this.#ended.signal);
      const same_url = ids.filter((one) => one !== id);
      if (found.state !== 'deleted' || !ids.includes(id)) return {...found, same_url};
      return {...found, state: 'unknown', error: 'the service answered 404, but still lists it', same_url};
    } catch (error) {
      return found.state === 'deleted' ? {...found, state: 'unknown', error: messageOf(error)} : found;
    }
  }

  #report(found: Found): void {
    const before = this.#last;
    const added = found.same_url.filter((id) => !before.same_url.includes(id));
    this.#last = {...found, same_url: [...before.same_url, ...added]};
    if (found.state === before.state && added.length === 0) return;
    const {id} = this.#endpoint;
    const {state, error, same_url} = found;
    this.#onLine({type: 'endpoint', endpoint_id: id, state, error, same_url});
    if (this.#context.out.settings.quiet) return;
    if (state !== before.state) this.#say(found);
    if (added.length > 0) nameOthers(this.#context, id, added);
  }

  #say({state, error, url}: Found): void {
    const {out, commands} = this.#context;
    const {id, url: own} = this.#endpoint;
    if (state === 'active') return out.note(`The endpoint ${id} is active again.`);
    if (state === 'unknown') return out.warn(`the endpoint ${id} could not be checked: ${String(error)}`);
    if (state === 'deleted')
      return out.warn(
        `the endpoint ${id} does not exist any more, so no events arrive here. Stop this listener with Ctrl-C and start it again to register a new one`,
      );
    if (state === 'disabled') {
      out.warn(`the endpoint ${id} is disabled, so no events arrive here`);
      return out.hint(commands.write('webhooks', 'endpoints', 'enable', id));
    }
    out.warn(`the endpoint ${id} now has the URL ${plainValue(url)}, so events are not sent here`);
    out.hint(commands.write('webhooks', 'endpoints', 'update', id, '--url', own));
  }
}

/** Endpoints with the URL of this listener that it did not create: they are named, and never deleted. */
export function nameOthers(
  {out, commands}: Pick<Context, 'out' | 'commands'>,
  id: string,
  others: readonly string[],
): void {
  for (const other of others) {
    out.warn(
      `the endpoint ${plainValue(other)} has the same URL as the endpoint ${id} of this listener, but another signing secret. If no receiver needs it:`,
    );
    out.hint(deleteCommand({commands}, other));
  }
}
