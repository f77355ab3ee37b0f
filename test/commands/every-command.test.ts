import assert from 'node:assert/strict';
import {before, describe, it} from 'mocha';
import type {Config} from '@oclif/core';
import {helpText} from '../../src/cli/help/help.ts';
import {RemitCommand} from '../../src/cli/core/command.ts';
import {filesUnder} from '../repo/tree.ts';
import {runCli, sourceConfig} from '../cli/run-cli.ts';

const ids = filesUnder('src/commands').map((path) =>
  path
    .replace(/^src\/commands\//, '')
    .replace(/\.ts$/, '')
    .replaceAll('/', ':'),
);

describe('every command', () => {
  let config: Config;
  before(async () => {
    config = await sourceConfig();
  });

  for (const id of ids) {
    const words = id.split(':');

    it(`${words.join(' ')}: has a summary, an example and the base class`, async () => {
      const command = config.findCommand(id, {must: true});
      assert.match(command.summary ?? '', /^[A-Z].{5,90}[^.]$/, 'a summary is one line without a full stop');
      const examples = (command.examples ?? []) as string[];
      assert.ok(examples.length > 0);
      for (const example of examples)
        assert.match(example, new RegExp(`^<%= config.bin %> ${words.join(' ')}`));
      const loaded = await command.load();
      assert.ok(loaded.prototype instanceof RemitCommand);
    });

    it(`${words.join(' ')}: has help that fits a screen of 80 columns`, async () => {
      const text = await helpText(config, id, {stdout: process.stdout, env: {}});
      const lines = text.trimEnd().split('\n');
      const examples = lines.findIndex((line) => line === 'EXAMPLES');
      for (const line of lines.slice(0, examples)) assert.ok(line.length <= 80, line);
      assert.ok(
        lines.length <= (id.includes('batch') || id === 'webhooks:listen' ? 84 : 58),
        `${lines.length} lines`,
      );
      assert.doesNotMatch(text, /<%|undefined|\[object/);
    });

    it(`${words.join(' ')}: refuses an unknown flag with exit 2, in text and JSON`, async () => {
      const text = await runCli([...words, '--frobnicate', 'x'], {columns: 80});
      assert.equal(text.exitCode, 2);
      assert.equal(text.stdout, '');
      const json = await runCli([...words, '--json', '--frobnicate']);
      assert.equal(json.exitCode, 2);
      assert.equal(json.stdout, '');
      assert.equal(json.error().code, 'USAGE');
      assert.equal(json.error().exit_code, 2);
      assert.ok(json.error().hint?.startsWith('remit '));
      assert.deepEqual([text.requests, json.requests], [[], []]);
    });
  }

  it('refuses a missing argument, flag or value in the words of what is missing', async () => {
    for (const [line, says] of [
      ['payouts get', /missing argument:\n *ID {2}payout id/],
      [
        'payouts batch run',
        /^(?!.*multiple values).*missing argument:\s+FILE {2}CSV or \.xlsx file .*id of a batch/s,
      ],
      ['api GET', /^(?!.*multiple values).*missing argument:\s+PATH {2}/s],
      ['sandbox faults add', /EFFECT {2}kind of fault: latency, status, .*, stale-timestamp$/m],
      [
        'sandbox simulate',
        /missing arguments:\n *KIND {5}kind of record: payout, [^\n]*, payment-method\n *ID {7}id of the record/,
      ],
      ['payouts batch find', /\n *usage: remit payouts batch find REFERENCE \[FLAGS\]$/m],
      ['webhooks send 3000', /PAYLOAD {2}@FILE.*\n *usage: remit webhooks send TO PAYLOAD \[FLAGS\]$/m],
      ['payouts batch report', /\n *usage: remit payouts batch report BATCH \[FILE\] \[FLAGS\]$/m],
      ['payouts create', /missing required flag --payee/],
      ['payouts create --payee', /--payee needs a value/],
      ['payouts list --limit 1e3', /--limit "1e3" is not a whole number/],
      ['payouts list --limit 0', /from 1 to/],
      ['payouts list --page-size 101', /from 1 to 100/],
      ['payouts list --order up', /--order=up to be one of: asc, desc/],
      ['payouts list --all --limit 3', /^(?:Error: )?--all and --limit cannot be used together$/m],
      ['payouts list -o xml', /--output=xml to be one of/],
      ['payouts list --json -o csv', /cannot be used together/],
      ['payouts list extra', /unexpected argument: extra/],
      ['payment-methods add --exp-year 31', /--exp-year "31" is not a whole number from 2000 to 2100/],
      ['payouts list --limit 1 --limit 2', /--limit can be given only once/],
      [
        'payouts batch resolve bills INV-1',
        /exactly one of these flags is required: --paid, --not-paid, --from/,
      ],
      [
        'payouts batch resolve bills INV-1 --paid X --not-paid',
        /--not-paid and --paid cannot be used together/,
      ],
      ['payouts list --request-timeout soon', /--request-timeout "soon" is not a time/],
      ['payouts list --retries 21', /from 0 to 20/],
      ['payouts list --fields a,,b', /has an empty name/],
      ['payouts create --payee x', /the amount is missing/],
      ['payouts create --payee x --amount 5', /--amount needs --currency/],
      ['payouts create --payee x --amount 5 --amount-minor 500', /cannot be used together/],
      ['payment-methods list', /exactly one of --payee ID and --payer ID/],
      ['payment-methods list --payee a --payer b', /cannot be used together/],
    ] as const) {
      for (const json of [false, true]) {
        const asJson = json && !/-o |--json/.test(line);
        const ran = await runCli([...line.split(' '), ...(asJson ? ['--json'] : [])]);
        assert.equal(ran.exitCode, 2, line);
        assert.equal(ran.stdout, '', line);
        assert.match(asJson ? ran.error().message : ran.stderr, says, line);
        assert.deepEqual(ran.requests, [], line);
      }
    }
  });
});
