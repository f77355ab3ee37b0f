/**
 * What the sandbox reads of a request. A standard Request has all of it. Requests of a socket are no standard
 * Requests, because those load undici, which costs each start up to 10 ms and 6 MB.
 */
export interface SandboxRequest {
  readonly method: string;
  /** `http://host:port/path?query` */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Absent if `text` limits the size of a body by itself. */
  readonly body?: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
}

export interface RequestHeaders extends Iterable<[name: string, value: string]> {
  /** `name` in lower case. Values of a repeated header are joined. */
  get(name: string): string | null;
}
