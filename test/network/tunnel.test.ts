import assert from 'node:assert/strict';
import net from 'node:net';
import {describe, it} from 'mocha';
import {parseProxy} from '../../src/network/proxy.ts';
import {openTunnel} from '../../src/network/tunnel.ts';
import {forwardProxy} from './forward-proxy.ts';

describe('a tunnel', () => {
  const open = (url: string, signal?: AbortSignal) =>
    openTunnel({proxy: parseProxy(url, 'X'), host: '2001:db8::1', port: 443, timeoutMs: 5_000, signal});

  it('names an IPv6 address as the proxy expects it', async () => {
    const proxy = await forwardProxy();
    await assert.rejects(open(proxy.url), /refused to connect to \[2001:db8::1\]:443 \(502\)/);
    assert.deepEqual(proxy.connects, ['[2001:db8::1]:443']);
    await proxy.close();
  });

  it('ends with its signal, and the connection to the proxy with it', async () => {
    const proxy = await forwardProxy({isSilent: true});
    const stop = new AbortController();
    const opening = open(proxy.url, stop.signal);
    setTimeout(() => stop.abort(), 20);
    await assert.rejects(opening, /no connection to the proxy .*: given up/);
    await proxy.close();
    await assert.rejects(open(proxy.url, AbortSignal.abort()), /given up/);
  });

  it('leaves a limit of this machine as it is, so that a batch sends fewer requests at a time', async () => {
    const {prototype} = net.Socket;
    const original = Object.getOwnPropertyDescriptor(prototype, 'connect') ?? {};
    prototype.connect = function (this: net.Socket) {
      setImmediate(() => this.destroy(Object.assign(new Error('too many open files'), {code: 'EMFILE'})));
      return Object.assign(this, {connecting: true});
    };
    try {
      await assert.rejects(open('http://127.0.0.1:9'), {code: 'EMFILE'});
    } finally {
      Object.defineProperty(prototype, 'connect', original);
    }
  });
});
