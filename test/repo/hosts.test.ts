import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {filesUnder, readText} from './tree.ts';

/** Hosts that src may name: this machine, examples, and the addresses of formats. Nothing connects to the others. */
const KNOWN = new Set([
  ...['127.0.0.1', 'localhost', 'host'],
  ...['api.example.com', 'example.com', 'proxy.example.com'],
  ...['json-schema.org', 'sqlite.org', 'www.w3.org'],
]);
const ADDRESS = /\b(?:https?|wss?|ftp):\/\/(?:[^\s/@'"`]*@)?([a-z0-9][a-z0-9.-]*)/g;

const foreignHosts = (path: string, text: string): string[] =>
  [...text.matchAll(ADDRESS)].flatMap(([, host]) =>
    host === undefined || KNOWN.has(host.replace(/\.$/, '')) ? [] : [`${path} names ${host}`],
  );

describe('the hosts that src names', () => {
  it('are this machine, examples, and formats: no telemetry, no check for updates', () => {
    const found = filesUnder('src').flatMap((path) => foreignHosts(path, readText(path)));
    assert.deepEqual(found, []);
  });

  it('are found in any form', () => {
    const lines = [
      "fetch('https://updates.remit.dev/latest')",
      '`https://${user}@stats.example.net/x`',
      '// http://localhost:4510 and https://example.com.',
      '"wss://10.0.0.1:9"',
    ];
    assert.deepEqual(foreignHosts('a.ts', lines.join('\n')), [
      'a.ts names updates.remit.dev',
      'a.ts names stats.example.net',
      'a.ts names 10.0.0.1',
    ]);
  });
});
