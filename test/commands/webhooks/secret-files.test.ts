import assert from 'node:assert/strict';
import {execFileSync} from 'node:child_process';
import {chmodSync, chownSync, rmSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {runCli, scratch} from '../../cli/run-cli.ts';

describe('a secret file that is open to other users', () => {
  const COMMANDS = [
    ['sign', '@body.json'],
    ['send', '127.0.0.1:1/hook', '@body.json'],
    ['verify', '@body.json', '--signature', '00', '--timestamp', '1770000000'],
    ['listen', '--port', '0'],
    ['listen', '--port', '0', '--allow-unverified', '--resign', 'hook.secret'],
  ];
  const isRoot = process.getuid?.() === 0;
  for (const [title, spoil, message, hint] of [
    ['others can write', (file: string) => chmodSync(file, 0o602), /other users can change/, /^chmod 600 /],
    [
      'others can write and read',
      (file: string) => chmodSync(file, 0o666),
      /other users can change/,
      /^chmod 600 /,
    ],
    ['others can read', (file: string) => chmodSync(file, 0o604), /other users can read/, /^chmod 600 /],
    ['its group can read', (file: string) => chmodSync(file, 0o640), /other users can read/, /^chmod 600 /],
    ...(isRoot
      ? [
          [
            'another user has',
            (file: string) => chownSync(file, 1234, 1234),
            /another user/,
            /owner/,
          ] as const,
        ]
      : []),
    [
      'is a pipe',
      (file: string) => {
        rmSync(file);
        execFileSync('mkfifo', [file]);
      },
      /not a regular file/,
      undefined,
    ],
  ] as const)
    it(`is refused, before anything is signed or sent: ${title}`, async () => {
      const cwd = scratch();
      writeFileSync(join(cwd, 'body.json'), '{}');
      writeFileSync(join(cwd, 'hook.secret'), 'whsec_0123456789abcdef\n', {mode: 0o600});
      const run = (argv: readonly string[]) => runCli(['webhooks', ...argv], {cwd, env: {HOME: cwd}});
      spoil(join(cwd, 'hook.secret'));
      for (const words of COMMANDS) {
        const from = words.includes('--resign') ? [] : ['--secret-from', 'hook.secret'];
        const ran = await run([...words, ...from, '-o', 'json']);
        assert.deepEqual([ran.exitCode, ran.error().code, ran.stdout], [13, 'STATE', ''], ran.stderr);
        assert.match(ran.error().message, message);
        assert.match(ran.error().hint ?? '', hint ?? /^$/);
      }
    });
});
