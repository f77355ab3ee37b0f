import assert from 'node:assert/strict';
import {join} from 'node:path';
import {signatureHeaders} from '../../src/webhooks/verify/signature.ts';
import {WITHOUT_IDS} from '../../src/cli/input/without-ids.ts';
import {BASE_URL, type CliResult, runCli, scratch} from '../cli/run-cli.ts';
import {readJson} from '../repo/tree.ts';
import {activeIn, API_KEY, ECHO, filesUnder, secretsIn, SIGNING_SECRET} from '../sanitize/canaries.ts';
import {delivery, forward, idOf, record} from '../webhooks/record/deliveries.ts';
import {HOSTILE_ANSWERS, LEAKS} from './hostile-service.ts';
import {SERVICE_CALLS} from './service-calls.ts';

/** Commands that read what a listener recorded, or sign and verify: run against a record of hostile deliveries. */
const WEBHOOKS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  'webhooks:events:export': [[], ['--out', 'events.out']],
  'webhooks:events:list': [[]],
  'webhooks:events:prune': [['--older-than', '1d']],
  'webhooks:events:replay': [
    ['--failed', '--forward-to', '9', '--show-response'],
    [idOf(1), '--forward-to', '9', '--resign'],
  ],
  'webhooks:events:show': [[idOf(1)]],
  'webhooks:send': [['http://127.0.0.1:9/', '-']],
  'webhooks:sign': [['-']],
  'webhooks:verify': [[idOf(1)], [idOf(2)]],
};

/** Commands that say nothing of a service, and why they are not tried here. */
const NOT_HERE: Readonly<Record<string, string>> = {
  demo: 'it has a sandbox of its own',
  help: 'it prints our own pages',
  explain: 'it prints our own tables',
  commands: 'it prints our own manifest',
  schema: 'it prints our own contract',
  'reconcile:confirm': 'it asks no service',
  'reconcile:forget': 'it asks no service',
  'reconcile:ignore': 'it asks no service',
  'reconcile:reject': 'it asks no service',
  'reconcile:statements': 'it asks no service',
  'webhooks:events:inspect': 'it serves the page of the listener, until it is stopped',
  'webhooks:events:tail': 'it shows the rows of list, until it is stopped',
  'webhooks:listen': 'it shows the rows of list, as they arrive',
};
/** Topics of which no command calls a foreign service: the sandbox is ours, a profile or a script is only read and written. */
const NOT_HERE_TOPICS = /^(?:sandbox|profiles|completion)(?::|$)/;
/** test/commands/canary-batch.sweep.test.ts runs these. */
const BATCHES = /^(?:payouts|payins):batch:/;

const FORMS = [
  [],
  ['-o', 'json'],
  ['-o', 'csv'],
  ['-o', 'yaml'],
  ['-o', 'id'],
  ['-o', 'ndjson'],
  ['--query', '[@]'],
  ['--fields', 'id,account_number,signing-secret,api_key', '-o', 'json'],
];
/** Without -o id where it is refused before anything is done. */
const formsOf = (id: string, words: readonly string[]): readonly string[][] =>
  WITHOUT_IDS.has(id) || words.includes('--summary') || words.includes('--history')
    ? FORMS.filter((form) => !form.includes('id'))
    : FORMS;
const isLong = process.env['REMIT_CANARY'] === 'long';

describe('secrets of a hostile service', function () {
  this.timeout(isLong ? 600_000 : 180_000);

  it('are looked for in every command of the manifest', () => {
    const {commands} = readJson('.oclif.manifest.json') as {commands: Record<string, unknown>};
    const ids = Object.keys(commands);
    const isElsewhere = (id: string) =>
      Object.hasOwn(NOT_HERE, id) || BATCHES.test(id) || NOT_HERE_TOPICS.test(id);
    const missing = ids.filter(
      (id) => !Object.hasOwn({...SERVICE_CALLS, ...WEBHOOKS}, id) && !isElsewhere(id),
    );
    assert.deepEqual(missing, [], 'add them to SERVICE_CALLS in test/commands/service-calls.ts');
    assert.deepEqual(
      Object.keys({...SERVICE_CALLS, ...WEBHOOKS}).filter((id) => !ids.includes(id)),
      [],
    );
  });

  for (const [id, calls] of Object.entries(SERVICE_CALLS))
    it(`are in nothing that ${id.replaceAll(':', ' ')} writes`, async () => {
      let nth = 0;
      for (const words of calls) {
        const forms = formsOf(id, words);
        for (const [shape, service] of Object.entries(HOSTILE_ANSWERS))
          for (const form of isLong ? forms : [forms[nth++ % forms.length]!])
            if (id !== 'whoami' || !form.includes('--fields'))
              await scan([...id.split(':'), ...words, ...form], {
                shape,
                service,
                columns: isLong || nth % 2 === 0,
              });
      }
    });

  for (const [id, calls] of Object.entries(WEBHOOKS))
    it(`are in nothing that ${id.replaceAll(':', ' ')} writes of hostile deliveries`, async () => {
      for (const words of calls)
        for (const form of formsOf(id, words).filter((one) => !one.includes('--fields'))) {
          const home = scratch();
          const env = {
            HOME: home,
            REMIT_STATE_DIR: join(home, 'state'),
            REMIT_WEBHOOK_SECRET: SIGNING_SECRET,
            REMIT_API_KEY: API_KEY,
          };
          await recordHostile(join(home, 'state', 'webhooks', 'record'));
          const argv = [...id.split(':'), ...words, ...form];
          check(await runCli(argv, {env, cwd: home, stdin: HOSTILE_BODY}), argv.join(' '));
        }
    });
});

const HOSTILE_BODY = JSON.stringify({id: ECHO, type: ECHO, data: {payout_id: ECHO, ...LEAKS}});

/** One that verifies, and one that was refused. */
async function recordHostile(folder: string): Promise<void> {
  const body = Buffer.from(HOSTILE_BODY);
  const headers = [...Object.entries(signatureHeaders(SIGNING_SECRET, body, delivery(1).receivedAtMs))];
  const odd = [...headers, ['Authorization', `Bearer ${API_KEY}`], ['X-Echo', ECHO]] as [string, string][];
  const hostile = {body, headers: odd, eventId: ECHO, eventType: ECHO, path: `/${ECHO}`};
  const bad = {
    body: Buffer.from(ECHO),
    verdict: 'rejected',
    reason: 'mismatch',
    eventId: null,
    eventType: null,
  } as const;
  await record(folder, [
    {kind: 'delivery', delivery: delivery(1, {...hostile, targets: ['http://localhost:3000/']})},
    {kind: 'forward', forward: forward(1, {status: null, error: ECHO, gaveUp: true})},
    {kind: 'delivery', delivery: delivery(2, {...hostile, ...bad})},
  ]);
}

async function scan(
  argv: readonly string[],
  {shape, service, columns}: {shape: string; service: (typeof HOSTILE_ANSWERS)[string]; columns: boolean},
): Promise<void> {
  const home = scratch();
  const ran = await runCli([...argv, '--debug'], {
    env: {HOME: home, REMIT_API_KEY: API_KEY, REMIT_BASE_URL: BASE_URL},
    service,
    ...(columns ? {columns: 80} : {}),
  });
  check(ran, `${argv.join(' ')}\nto ${shape}`, columns);
  for (const {path, text} of filesUnder(home))
    if (!path.endsWith('.secret')) assert.deepEqual(secretsIn(text), [], `${path} after ${argv.join(' ')}`);
}

function check(ran: CliResult, what: string, columns = false): void {
  const where = `${what} (exit ${ran.exitCode}):\n${ran.stdout}\n${ran.stderr}`;
  for (const [stream, written] of [
    ['stdout', ran.stdout],
    ['stderr', ran.stderr],
  ] as const) {
    const plain = (columns ? withoutColours(written) : written).replace(BYTES, '');
    assert.deepEqual(secretsIn(plain), [], `${stream} of ${where}`);
    assert.deepEqual(activeIn(plain), [], `${stream} of ${where}`);
  }
  assert.notEqual(ran.exitCode, 1, where);
  // A record of another kind does not have the fields that were asked for.
  if (!ran.stderr.includes('--fields names'))
    assert.notEqual(ran.exitCode, 2, `${where}\n(the words are wrong, so nothing was tried)`);
}

/** The bytes of a recorded delivery, which its signature is over. */
const BYTES = /[\w+/]{300,}=*/g;

/** Colours, the progress line and the screen of a wait are ours: bold, dim, red …, and the rewriting of lines. */
const withoutColours = (text: string): string =>
  text.replace(/\u001b\[(?:\d{1,2}(?:;\d{1,2})*m|\d*A|K)|\r(?=\u001b\[K)/g, '');
