import {createServer, type IncomingMessage, type Server, type ServerResponse} from 'node:http';
import type {Socket} from 'node:net';
import {portOf} from '../narrow.ts';
import {systemClock} from '../clock.ts';
import {RemitError} from '../errors.ts';
import type {Outgoing} from './outcomes/fault-answer.ts';
import {createSandbox, type SandboxOptions} from './sandbox.ts';
import {errorBody, ServiceError} from './base/service-error.ts';
import type {Sandbox} from './control/sandbox-interface.ts';
import {SocketRequest} from './socket-request.ts';
import type {OnBug} from './base/on-bug.ts';

const HOST = '127.0.0.1';

export interface ServerOptions extends Omit<SandboxOptions, 'background' | 'allowedHosts'> {
  /** 0, or absent, picks a free one. */
  port?: number | undefined;
  /** A whole request must have arrived within this time; slower clients get a 400 and are disconnected. */
  requestTimeoutMs?: number | undefined;
  /** Whether the process runs for as long as the server does; default true. */
  keepsAlive?: boolean | undefined;
}

export interface RunningSandbox {
  baseUrl: string;
  /** Address of the control routes: `{baseUrl}/sandbox`. */
  controlUrl: string;
  testKey: string;
  liveKey: string;
  controlToken: string;
  sandbox: Sandbox;
  /** Ends connections, waits for running answers, closes the store. Safe to call twice. */
  close(): Promise<void>;
}

/**
 * Serves a sandbox on loopback.
 * @throws {RemitError} PORT_IN_USE, and what `createSandbox` throws.
 */
export async function startSandbox(options: ServerOptions): Promise<RunningSandbox> {
  let hosts: readonly string[] = [];
  const sandbox = await createSandbox({...options, background: true, allowedHosts: () => hosts});
  const server = serve(
    sandbox,
    options.requestTimeoutMs ?? 30_000,
    options.onBug ?? ((error) => process.emitWarning(String(error))),
  );
  if (options.keepsAlive === false) {
    server.unref();
    server.on('connection', (socket) => socket.unref());
  }
  try {
    await listen(server, options.port ?? 0);
  } catch (error) {
    await sandbox.close();
    throw error;
  }
  const port = portOf(server);
  hosts = [HOST, 'localhost', '[::1]'].map((name) => `${name}:${port}`);
  const baseUrl = `http://${HOST}:${port}`;
  let closing: Promise<void> | undefined;
  return {
    baseUrl,
    controlUrl: `${baseUrl}/sandbox`,
    testKey: sandbox.testKey,
    liveKey: sandbox.liveKey,
    controlToken: sandbox.controlToken,
    sandbox,
    close: () => (closing ??= stop(server).then(() => sandbox.close())),
  };
}

function serve(sandbox: Sandbox, requestTimeoutMs: number, onBug: OnBug): Server {
  const answer = async (incoming: IncomingMessage): Promise<Outgoing> => {
    try {
      return await sandbox.answer(new SocketRequest(incoming));
    } catch (error) {
      return refusal(error, onBug);
    }
  };
  // Node checks for late clients only at intervals.
  const timeouts = {
    requestTimeout: requestTimeoutMs,
    headersTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.min(requestTimeoutMs / 2, 5000),
  };
  const server = createServer(
    timeouts,
    (incoming, outgoing) =>
      void answer(incoming)
        .then((given) => send(incoming, outgoing, given))
        .catch((error: unknown) => {
          onBug(error);
          outgoing.destroy();
        }),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => refuseSocket(error, socket));
  return server;
}

function send(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  {status, body, headers, socket, dripMs}: Outgoing,
): void {
  if (socket === 'reset') {
    outgoing.socket?.resetAndDestroy();
    return;
  }
  if (!incoming.complete) outgoing.once('finish', () => closeSoon(incoming));
  outgoing.writeHead(status, headerLines(headers, body));
  if (dripMs !== undefined) void drip(outgoing, body ?? '', dripMs);
  else if (socket === 'cut')
    outgoing.write((body ?? '').slice(0, (body ?? '').length / 2), () => outgoing.destroy());
  else outgoing.end(body ?? undefined); // as text it is sent in one write with the headers
}

/** How long a client may continue to send a request that was answered. */
const LATE_MS = 5000;

/** Many clients read an answer only when they have sent everything. */
function closeSoon(incoming: IncomingMessage): void {
  setTimeout(() => {
    if (!incoming.complete) incoming.socket.destroySoon();
  }, LATE_MS).unref();
}

/** Names and values alternating, which Node writes unchanged. */
function headerLines(headers: Outgoing['headers'], body: string | null): string[] {
  const lines: string[] = [];
  for (const [name, value] of Object.entries(headers)) lines.push(name, value);
  if (body !== null) lines.push('content-length', String(Buffer.byteLength(body)));
  return lines;
}

const DRIPS = 10;

/** A body in pieces, as over a slow line. */
async function drip(outgoing: ServerResponse, body: string, ms: number): Promise<void> {
  outgoing.flushHeaders();
  const bytes = Buffer.from(body);
  for (let piece = 0; piece < DRIPS && !outgoing.destroyed; piece += 1) {
    await systemClock.sleep(ms / DRIPS);
    outgoing.write(bytes.subarray((bytes.length * piece) / DRIPS, (bytes.length * (piece + 1)) / DRIPS));
  }
  outgoing.end();
}

/** What the sandbox did not turn into an answer itself. */
function refusal(error: unknown, onBug: OnBug): Outgoing {
  if (error instanceof ServiceError) return refused(error.status, error.code, error.message);
  onBug(error);
  return error instanceof RemitError
    ? refused(503, 'SERVICE_UNAVAILABLE', 'the sandbox cannot use its store; its log has details')
    : refused(
        500,
        'INTERNAL_ERROR',
        'an internal error of the sandbox (a bug in remit); its log has details',
      );
}

const refused = (status: number, code: string, message: string): Outgoing => ({
  ...{status, body: JSON.stringify(errorBody(code, message))},
  headers: {'content-type': 'application/json'},
});

/**
 * Bytes that are not HTTP, headers that are too long, or a client that is too slow: answers in the documented shape,
 * then closes.
 */
function refuseSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
  const body = JSON.stringify(
    errorBody('VALIDATION_ERROR', late ? 'the request took too long' : 'this is not HTTP'),
  );
  socket.end(
    `HTTP/1.1 400 Bad Request\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n` +
      `connection: close\r\n\r\n${body}`,
  );
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new RemitError('PORT_IN_USE', `cannot listen on ${HOST}:${port}: the port is taken`, {
              hint: 'remit sandbox start --port 0',
              cause: error,
            })
          : error,
      );
    });
    server.listen(port, HOST, () => resolve());
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // Some clients keep a connection open longer. Until then it keeps the process alive, as the server may not.
    const late = setTimeout(() => server.closeAllConnections(), 2000);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}
