import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import type {HeaderPairs} from '../../../src/webhooks/delivery/delivery.ts';
import {replayCurlCommand} from '../../../src/webhooks/inspector/curl.ts';

const TARGET = "http://localhost:3000/hook?a=1&b='2'";

/** Runs the command in a shell in which `curl` writes down its arguments and its input. */
function run(command: string): {args: string[]; body: Buffer} {
  const script = `curl() { for one in "$@"; do printf '%s\\0' "$one"; done; printf 'END'; case "$*" in *@-) cat;; esac; }\n${command}\n`;
  const {stdout, stderr, status} = spawnSync('sh', {input: script});
  assert.equal(status, 0, String(stderr));
  const end = stdout.indexOf('\0END') + 1;
  const args = stdout
    .subarray(0, end - 1)
    .toString('utf8')
    .split('\0');
  const data = args.at(-1)!;
  return {args, body: data === '@-' ? stdout.subarray(end + 3) : Buffer.from(data)};
}

describe('copy as curl', () => {
  const HEADERS: HeaderPairs = [
    ['Host', 'localhost:4600'],
    ['Content-Type', 'application/json'],
    ['X-Webhook-Signature', 'ab'],
    ['X-Odd', `it's "$HOME" \`id\` \\ !`],
    ['X-Empty', ''],
    ['X-Two', '1'],
    ['X-Two', '2'],
    ['X-Utf8', Buffer.from('é').toString('latin1')],
    ['Content-Length', '2'],
    ['Connection', 'keep-alive'],
  ];

  it('sends any bytes unchanged', () => {
    for (const body of [
      Buffer.from('{"a":1}'),
      Buffer.from(''),
      Buffer.from("it's $HOME `id` \\ !\r\n\ttwo\n\n"),
      Buffer.from('@/etc/passwd'),
      Buffer.from('@-'),
      Buffer.from('\ufeff{"é":"水"}\n'),
      Buffer.from([0x00, 0xff, 0x0a, 0x27]),
      Buffer.from('x'.repeat(200_000)),
    ])
      assert.deepEqual(run(replayCurlCommand({headers: HEADERS, body}, TARGET)).body, body);
  });

  it('sends the headers unchanged, and none of its own', () => {
    const {args} = run(replayCurlCommand({headers: HEADERS, body: Buffer.from('{}')}, TARGET));
    assert.deepEqual(args, [
      ...['-X', 'POST', TARGET],
      ...['-H', 'Content-Type: application/json', '-H', 'X-Webhook-Signature: ab'],
      ...['-H', `X-Odd: it's "$HOME" \`id\` \\ !`, '-H', 'X-Empty;', '-H', 'X-Two: 1', '-H', 'X-Two: 2'],
      ...['-H', 'X-Utf8: é', '-H', 'Accept:', '-H', 'User-Agent:', '-H', 'Expect:'],
      ...['--data-binary', '{}'],
    ]);
  });
});
