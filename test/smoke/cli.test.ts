import assert from 'node:assert/strict';
import {existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, before, describe, it} from 'mocha';
import {PAYEE_ID, PAYOUT_ID, payout} from '../commands/fixtures.ts';
import {scriptedServer, type Scripted, type ScriptedServer} from './scripted-server.ts';
import {cleanEnv, shell, spawnCli, startCli} from './spawn-cli.ts';

const KEY = 'test_0123456789abcdef';
const CREATE = ['payouts', 'create', '--payee', PAYEE_ID, '--amount-minor', '5', '--idempotency-key', 'k-1'];

describe('the built tool', () => {
  let server: ScriptedServer;
  const script: Scripted[] = [];
  before(async () => {
    server = await scriptedServer(script);
  });
  after(() => server.close());

  /** What the service answers from now on; requests are counted from zero. */
  const answers = (...replies: Scripted[]): void => {
    server.requests.length = 0;
    script.splice(0, script.length, ...replies);
  };
  const env = (changes: Record<string, string> = {}) =>
    cleanEnv({REMIT_API_KEY: KEY, REMIT_BASE_URL: server.baseUrl, ...changes});
  const remit = (line: string) => spawnCli(line.split(' '), env());

  it('says its version', async () => {
    for (const flag of ['--version', '-v']) {
      const ran = await remit(flag);
      assert.equal(ran.code, 0);
      assert.match(ran.stdout, /^remit-cli\/\d+\.\d+\.\d+ \S+ node-v\d+\.\d+\.\d+\n$/);
    }
    assert.equal((await remit('--json -v')).stdout, (await remit('-v')).stdout);
  });

  it('helps', async () => {
    for (const line of [
      '--help',
      '-h',
      'payouts',
      'payouts create --help',
      'help',
      'help payouts create',
      'help exit-codes',
    ]) {
      const ran = await remit(line);
      assert.equal(ran.code, 0, ran.stderr);
      assert.equal(ran.stderr, '');
      assert.match(ran.stdout, /USAGE|EXIT CODES/);
    }
  });

  it('keeps its first page of help as it would write it now', async () => {
    const kept = await remit('--help');
    for (const line of ['-q --help', 'help']) assert.equal((await remit(line)).stdout, kept.stdout);
    assert.equal((await spawnCli([], env())).stdout, kept.stdout);
  });

  it('refuses what it does not know with exit 2 and a suggestion, and asks nothing', async () => {
    const ran = await remit('payots list');
    assert.deepEqual(ran, {
      code: 2,
      signal: null,
      stdout: '',
      stderr: 'Error: unknown command: remit payots list\nHint: remit payouts list\n',
    });
  });

  it('ends stderr with one line of JSON under --json, whatever failed and wherever the flag stands', async () => {
    answers({status: 404, body: {error_code: 'NOT_FOUND', message: 'no such payout'}});
    for (const [line, code, name] of [
      ['payots list --json', 2, 'USAGE'],
      ['--json payouts frob', 2, 'USAGE'],
      ['--json payouts list --frob', 2, 'USAGE'],
      ['payouts -o ndjson get', 2, 'USAGE'],
      [`--debug payouts get ${PAYOUT_ID} -o json`, 4, 'NOT_FOUND'],
      ['payouts list --json -p nobody', 4, 'NO_PROFILE'],
    ] as const) {
      const ran = await remit(line);
      assert.equal(ran.code, code, line);
      assert.equal(ran.stdout, '', line);
      const {error} = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1)!) as {
        error: Record<string, unknown>;
      };
      assert.equal(error['code'], name, line);
      assert.equal(error['exit_code'], code, line);
      assert.deepEqual(Object.keys(error), [
        'code',
        'message',
        'http_status',
        'exit_code',
        'retryable',
        'request_id',
        'hint',
        'details',
      ]);
    }
  });

  it('accepts global flags before and between the words', async () => {
    answers({status: 200, body: payout()});
    for (const line of [
      `-o id payouts get ${PAYOUT_ID}`,
      `payouts -o id get ${PAYOUT_ID}`,
      `payouts get -oid ${PAYOUT_ID}`,
    ]) {
      assert.equal((await remit(line)).stdout, `${PAYOUT_ID}\n`);
    }
  });

  const many = Array.from({length: 3000}, (_, index) =>
    payout({id: `0192a000-0000-7000-8000-${String(index).padStart(12, '0')}`, note: `${index} `.repeat(300)}),
  );

  it('writes all of a large result into a slow pipe', async () => {
    answers({status: 200, body: {data: many, next_cursor: null}});
    const ran = await shell('remit payouts list --all --json | dd bs=100 2>/dev/null', env());
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal((JSON.parse(ran.stdout) as unknown[]).length, 3000);
  });

  it('writes a short result into a pipe that is full and does not wait', async () => {
    answers({status: 200, body: payout()});
    // Node fills the pipe, and dies without taking it out of the mode in which a write to a full one fails.
    const fill = `(node -e "process.stdout.write(Buffer.alloc(65536, 46), () => process.kill(process.pid, 'SIGKILL'))"; true)`;
    const folder = mkdtempSync(join(tmpdir(), 'remit-full-pipe-'));
    const [met, report] = [join(folder, 'met'), join(folder, 'report.cjs')];
    writeFileSync(
      report,
      `const fs = require('node:fs');
const {writeSync} = fs;
fs.writeSync = (...all) => {
  try {
    return writeSync(...all);
  } catch (error) {
    if (error.code === 'EAGAIN') fs.writeFileSync(${JSON.stringify(met)}, error.code);
    throw error;
  }
};`,
    );
    // The reader takes nothing before remit has met the full pipe: reading a FIFO waits for its writer.
    const ran = await shell(
      `mkfifo '${met}'; (${fill} 2>/dev/null; NODE_OPTIONS='--require=${report}' remit payouts get ${PAYOUT_ID} -o id) | (cat '${met}' >&2; cat)`,
      env(),
    );
    rmSync(folder, {recursive: true});
    assert.deepEqual([ran.code, ran.stderr], [0, 'EAGAIN']);
    assert.equal(ran.stdout, `${'.'.repeat(65_536)}${PAYOUT_ID}\n`);
  });

  it('stops quietly when the reader goes away', async () => {
    answers({status: 200, body: {data: many, next_cursor: null}});
    for (const format of ['ndjson', 'json', 'table', 'csv --fields id,note']) {
      const ran = await shell(`remit payouts list --all -o ${format} | head -1`, env());
      assert.equal(ran.code, 0, `${format}: ${ran.stderr}`);
      assert.equal(ran.stderr, '');
      assert.equal(ran.stdout.split('\n').length, 2);
    }
  });

  if (existsSync('/dev/full')) {
    it('does not call a result that could not be written a success', async () => {
      answers({status: 200, body: payout()});
      for (const line of [`payouts get ${PAYOUT_ID}`, '--version', '--help', 'payouts create --help']) {
        const ran = await shell(`remit ${line} > /dev/full`, env());
        assert.equal(ran.code, 13, ran.stderr);
        assert.match(ran.stderr, /^Error: the output could not be written: [^\n]*\n/);
      }
    });
  }

  for (const [signal, code, name] of [
    ['SIGINT', 130, 'INTERRUPTED'],
    ['SIGTERM', 143, 'TERMINATED'],
  ] as const) {
    it(`ends with ${code} on ${signal} while a request is out, naming key and command`, async () => {
      answers('hang');
      const asked = server.nextRequest();
      const {child, ended} = startCli([...CREATE, '--json'], env());
      await asked;
      child.kill(signal);
      const ran = await ended;
      assert.equal(ran.code, code, ran.stderr);
      assert.equal(ran.stdout, '');
      const {error} = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1)!) as {
        error: {code: string; hint: string; details: Record<string, unknown>};
      };
      assert.equal(error.code, name);
      assert.equal(error.details['idempotency_key'], 'k-1');
      assert.match(error.hint, /^remit payouts create .*--idempotency-key k-1$/);
    });
  }

  it('says what exists when a wait is interrupted', async () => {
    const made = (status: string) => ({
      status: 201,
      body: payout({status, amount_in_minor_units: 5, amount_in_cents: 5}),
    });
    answers(made('approved'), made('initiated'));
    const {child, ended} = startCli([...CREATE, '--auto-approve', '--wait', '--json'], env());
    await server.nextRequest();
    await server.nextRequest(); // the first read of the wait
    child.kill('SIGHUP');
    const ran = await ended;
    assert.deepEqual([ran.code, ran.stdout], [143, '']);
    const {error} = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1)!) as {
      error: {details: Record<string, unknown>};
    };
    const {id, idempotency_key: key, next} = error.details;
    assert.deepEqual([id, key, next], [PAYOUT_ID, 'k-1', `remit payouts wait ${PAYOUT_ID}`]);
  });

  it('says what exists when the result of a write cannot be written', async () => {
    for (const redirection of [...(existsSync('/dev/full') ? ['> /dev/full'] : []), '| true']) {
      answers({status: 201, body: payout({amount_in_minor_units: 5})});
      const ran = await shell(`remit ${CREATE.join(' ')} --json ${redirection}`, env());
      assert.equal(ran.code, 13, redirection);
      const {error} = JSON.parse(ran.stderr.trimEnd().split('\n').at(-1)!) as {
        error: {code: string; details: Record<string, unknown>};
      };
      assert.deepEqual(
        [error.code, error.details['id'], error.details['idempotency_key']],
        ['STATE', PAYOUT_ID, 'k-1'],
      );
    }
  });

  it('shows the key before the request leaves', async () => {
    answers('hang');
    const asked = server.nextRequest();
    const {child, ended} = startCli([...CREATE, '-q'], env());
    let said = '';
    child.stderr!.on('data', (chunk: string) => (said += chunk));
    await asked;
    child.kill('SIGKILL');
    await ended;
    assert.match(said, /^Idempotency key: k-1\n/);
  });

  it('does not wait for stdin unless an argument asks to read it', async () => {
    answers({status: 200, body: payout()});
    const ran = await startCli(['payouts', 'get', PAYOUT_ID, '-o', 'id'], env(), 'silent').ended;
    assert.deepEqual([ran.code, ran.stdout], [0, `${PAYOUT_ID}\n`]);
  });

  it('runs in a folder that is gone', async () => {
    answers({status: 200, body: payout()});
    const ran = await shell(
      `d=$(mktemp -d); cd "$d"; rmdir "$d"; remit payouts get ${PAYOUT_ID} -o id`,
      env(),
    );
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(ran.stdout, `${PAYOUT_ID}\n`);
  });
});
