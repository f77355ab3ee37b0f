import type {IncomingMessage} from 'node:http';
import type {Agent, RequestOptions} from 'node:https';
import type {Socket} from 'node:net';
import type {Duplex} from 'node:stream';
import type {ConnectionOptions} from 'node:tls';
import {lookupLocally} from './local.ts';
import type {Proxy} from './proxy.ts';
import {tlsOptions, type TlsSettings} from './settings.ts';

// A tunnel through a forward proxy (RFC 9110, 9.3.6). The proxy sees only the host name and encrypted bytes.

/** What a proxy did instead of connecting. Nothing was sent to the service. */
export type ProxyTrouble =
  | 'proxy-unreachable'
  | 'proxy-credentials' // 407
  | 'proxy-denied' // 403
  | 'proxy-failed'; // any other answer, or none

class ProxyFailure extends Error {
  override readonly name = 'ProxyFailure';
  readonly code = 'ERR_REMIT_PROXY';
  readonly trouble: ProxyTrouble;

  constructor(trouble: ProxyTrouble, message: string, cause?: unknown) {
    super(message, {cause});
    this.trouble = trouble;
  }
}

export interface TunnelOptions {
  proxy: Proxy;
  host: string;
  port: number | string;
  /** Ends the attempt; without it, a silent proxy is given up after `timeoutMs`. */
  signal?: AbortSignal | undefined;
  timeoutMs: number;
  /** Authorities, besides those of the system, that may sign the certificate of an https proxy; PEM. */
  ca?: string | undefined;
}

/**
 * A socket whose bytes the proxy passes to the host and back.
 * @throws {ProxyFailure} and the error of Node when this machine has no socket left; nothing else
 */
export async function openTunnel(options: TunnelOptions): Promise<Socket> {
  const {proxy, host, port, signal, timeoutMs} = options;
  const target = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const driver = proxy.secure ? await import('node:https') : await import('node:http');
  const tls = proxy.secure ? await proxyTls(options) : {};
  return new Promise((resolve, reject) => {
    const asking = driver.request({
      ...{
        host: proxy.host,
        lookup: lookupLocally,
        port: proxy.port,
        method: 'CONNECT',
        path: target,
        agent: false,
        timeout: timeoutMs,
      },
      headers: {
        host: target,
        ...(proxy.authorization === undefined ? {} : {'proxy-authorization': proxy.authorization}),
      },
      ...tls,
    });
    const giveUp = () => asking.destroy(new Error('given up'));
    signal?.addEventListener('abort', giveUp, {once: true});
    const end = () => signal?.removeEventListener('abort', giveUp);
    if (signal?.aborted) giveUp();
    const late = setTimeout(() => asking.destroy(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
    asking.on('error', (error: NodeJS.ErrnoException) => {
      clearTimeout(late);
      end();
      reject(OWN_LIMIT.test(error.code ?? '') ? error : unreachable(proxy, error));
    });
    asking.on('connect', (answer, socket, head) => {
      clearTimeout(late);
      end();
      socket.setTimeout(0);
      if (answer.statusCode === undefined || answer.statusCode < 200 || answer.statusCode > 299) {
        socket.destroy();
        reject(refusedBy(proxy, answer, target));
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    asking.end();
  });
}

async function proxyTls({proxy, ca}: TunnelOptions): Promise<ConnectionOptions> {
  const {rootCertificates} = await import('node:tls');
  const {isIP} = await import('node:net');
  return {
    ...(ca === undefined ? {} : {ca: [...rootCertificates, ca]}),
    ...(isIP(proxy.host) === 0 ? {servername: proxy.host} : {}),
    ALPNProtocols: ['http/1.1'],
  };
}

/** Fewer requests at a time solve these; a batch recognises them by their code. */
const OWN_LIMIT = /^(EMFILE|ENFILE|ENOBUFS|EADDRNOTAVAIL)$/;

function unreachable({shown}: Proxy, error: NodeJS.ErrnoException): ProxyFailure {
  const why = error.code === undefined ? error.message : `${wordsOf(error.code)} (${error.code})`;
  return new ProxyFailure('proxy-unreachable', `no connection to the proxy ${shown}: ${why}`, error);
}

function wordsOf(code: string): string {
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) return 'its host name was not found';
  if (code === 'ECONNRESET') return 'it closed the connection without an answer';
  if (code.startsWith('HPE_')) return 'its answer is not HTTP';
  return 'the connection failed';
}

function refusedBy({shown}: Proxy, {statusCode = 0}: IncomingMessage, target: string): ProxyFailure {
  const said = `the proxy ${shown} refused to connect to ${target} (${statusCode}`;
  if (statusCode === 407)
    return new ProxyFailure('proxy-credentials', `${said}: it requires a user name and password)`);
  if (statusCode === 403) return new ProxyFailure('proxy-denied', `${said}: not allowed)`);
  return new ProxyFailure('proxy-failed', `${said})`);
}

/** Options of a request through a tunnel. */
export interface TunnelRequest extends RequestOptions {
  /** Ends the attempt to connect. */
  gaveUp?: AbortSignal | undefined;
}

/** An agent for node:https that connects through the proxy. */
export async function tunnelAgent(
  proxy: Proxy,
  {timeoutMs, tls, ...options}: {keepAlive: boolean; timeoutMs: number; tls: TlsSettings},
): Promise<Agent> {
  const https = await import('node:https');
  class TunnelAgent extends https.Agent {
    override createConnection(
      to: TunnelRequest,
      done: (error: Error | null, stream: Duplex) => void,
    ): undefined {
      const {host, port, gaveUp} = to;
      openTunnel({proxy, host: host ?? '', port: port ?? 443, timeoutMs, ca: tls.ca, signal: gaveUp}).then(
        (socket) => {
          const through = {...to, socket}; // missing in the types, which omit the options of tls.connect
          const secure = super.createConnection(through);
          if (secure) done(null, secure);
        },
        (error: unknown) => done(error as Error, undefined as never), // openTunnel throws errors only
      );
      return undefined;
    }
  }
  return new TunnelAgent({ALPNProtocols: ['http/1.1'], ...tlsOptions(tls), ...options});
}
