import type {RequestBuilder} from '../../client/requests/built.ts';
import type {AnyOptions} from '../../client/requests/resource.ts';
import type {TransportRequest} from '../../client/transport/transport.ts';
import type {OperationId} from '../../contract/operations/operations.ts';
import {RemitError} from '../../errors.ts';
import type {BatchPermits, BatchStep} from '../../batch/answers/wire.ts';
import {paramsOf, type Route, routeOf} from '../../service/routes.ts';
import type {ServiceFile} from '../../service/service-file.ts';
import type {Json} from '../../narrow.ts';

/** A write as a command plans it: an operation, or any request. */
export type PlannedWrite =
  | {operation: OperationId; params?: Readonly<Record<string, string>> | undefined; body?: Json}
  | ({method: string; path: string; body?: Json} & Pick<AnyOptions, 'headers' | 'isRaw'>);

/** One step of a batch: where it is sent, and what the code that builds its requests puts on them. */
interface BatchGrant {
  operation: OperationId;
  method: string;
  /** The path on the wire, around the id of a record; `after` is undefined if there is none. */
  before: string;
  after: string | undefined;
}

const ID = /^[A-Za-z0-9._~%-]+$/;

/**
 * The writes that the guard of this command has allowed. A grant is an operation, a method, a path and a body, as they
 * are sent; it covers every repetition of that request. A write without a grant is a defect of remit, or a service
 * file that turns one request into another, so it is refused.
 */
export class Grants {
  readonly #builder: () => RequestBuilder;
  readonly #exact = new Set<string>();
  readonly #steps = new Map<object, BatchGrant>();
  readonly #probes = new Set<OperationId | undefined>();

  /** @param builder builds requests as the client of this command does */
  constructor(builder: () => RequestBuilder) {
    this.#builder = builder;
  }

  /** The request of a planned write, as it would be sent. */
  requestOf(write: PlannedWrite): TransportRequest {
    if ('operation' in write) {
      const {operation, ...input} = write;
      return this.#builder().operation(operation, input).request;
    }
    const {method, path, ...input} = write;
    return this.#builder().any(method, path, input).request;
  }

  allow(write: PlannedWrite): void {
    this.#exact.add(textOf(this.requestOf(write)));
  }

  /**
   * The steps of a confirmed batch. Its requests are too many to be listed, so each is recognized by what the code that
   * builds them from the rows of the journal puts on it, and its route is compared.
   */
  allowBatch(
    steps: readonly BatchStep[],
    permits: BatchPermits,
    operations: Readonly<Record<'create' | 'approve' | 'cancel', OperationId>>,
    service: ServiceFile,
  ): void {
    for (const step of steps) {
      const operation = operations[step === 'release' ? 'create' : step];
      this.#steps.set(permits[step], grantOf(operation, routeOf(operation, service)));
    }
  }

  /** Any request of these operations: a probe tries several forms of each, with a test key. */
  allowProbes(operations: readonly OperationId[]): void {
    for (const operation of operations) this.#probes.add(operation);
  }

  /** @throws {RemitError} GUARD_WRITE for a write that was not allowed */
  check(write: TransportRequest): void {
    const {permit} = write;
    if (permit !== undefined) {
      const step = this.#steps.get(permit);
      if (step !== undefined && covers(step, write)) return;
    } else if (this.#exact.has(textOf(write)) || this.#probes.has(write.operation)) return;
    throw notGranted(write);
  }
}

const textOf = ({operation, method, path, body}: TransportRequest): string =>
  JSON.stringify([operation ?? null, method, path, body ?? null]);

function grantOf(operation: OperationId, {method, path}: Route): BatchGrant {
  const [name] = paramsOf(path);
  const [before = '', after] = name === undefined ? [path] : path.split(`{${name}}`);
  return {operation, method, before, after};
}

function covers({operation, method, before, after}: BatchGrant, write: TransportRequest): boolean {
  const {path} = write;
  if (write.operation !== operation || write.method !== method) return false;
  if (after === undefined) return path === before;
  return (
    path.startsWith(before) &&
    path.endsWith(after) &&
    ID.test(path.slice(before.length, path.length - after.length))
  );
}

function notGranted({operation, method, path}: TransportRequest): RemitError {
  const [route = ''] = path.split('?');
  return new RemitError(
    'GUARD_WRITE',
    `refused to send ${method} ${route}${operation === undefined ? '' : ` as ${operation}`}: this command did not ask for this write; nothing was sent`,
    {
      details: {operation: operation ?? null, method, path: route},
      hint: 'check the routes in the service file of the profile; if they are correct, this is a bug in remit',
    },
  );
}
