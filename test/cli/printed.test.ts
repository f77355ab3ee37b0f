import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {outputsDocument, outputSchema} from '../../src/cli/help/outputs/published.ts';
import {readJson} from '../repo/tree.ts';
import {checkPrinted} from './printed.ts';
import {runCli, sourceConfig} from './run-cli.ts';

describe('the JSON of every command', () => {
  it('has a published schema', async () => {
    const all = (await sourceConfig()).commands;
    const {commands} = outputsDocument() as {commands: Record<string, unknown>};
    assert.deepEqual(readJson('docs/reference/output.schema.json'), outputsDocument(), 'npm run generate');
    assert.deepEqual(
      Object.keys(commands).toSorted(),
      all.flatMap(({id, hidden}) => (hidden ? [] : [id.replaceAll(':', ' ')])).toSorted(),
    );
  });

  it('is held to it by every test that runs a command', () => {
    const list = JSON.stringify([{name: 'a'}]);
    assert.throws(
      () => checkPrinted(['profiles', 'list', '--json'], list, {fromSandbox: false}),
      /profiles:list/,
    );
    const extra = '{"cleared":"1","more":1}';
    for (const format of [['--json'], ['-o', 'json'], ['--output=ndjson']])
      assert.throws(
        () => checkPrinted(['sandbox', 'faults', 'clear', ...format], extra, {fromSandbox: false}),
        /more/,
      );
    checkPrinted(['sandbox', 'faults', 'clear'], extra, {fromSandbox: false});
    const payout = '{"id":"p"}';
    assert.throws(
      () => checkPrinted(['payouts', 'get', '--json'], payout, {fromSandbox: true}),
      /payouts:get/,
    );
    checkPrinted(['payouts', 'get', '--json'], payout, {fromSandbox: false});
  });

  it('is part of `schema COMMAND`, and says that fields may be added', async () => {
    const {stdout} = await runCli(['schema', 'profiles', 'remove']);
    const {output} = JSON.parse(stdout) as {output: unknown};
    assert.deepEqual(output, outputSchema('profiles:remove'));
    assert.doesNotMatch(JSON.stringify(outputsDocument()), /"additionalProperties":false/);
  });
});
