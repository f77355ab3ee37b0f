import assert from 'node:assert/strict';
import type {Config} from '@oclif/core';
import {before, describe, it} from 'mocha';
import {helpText} from '../../../src/cli/help/help.ts';
import {PAGES} from '../../../src/cli/help/pages.ts';
import {sourceConfig} from '../run-cli.ts';

const WIDTH = 80;

describe('help at 80 columns', () => {
  let config: Config;
  before(async () => {
    config = await sourceConfig();
  });

  const wide = async (isTTY: boolean): Promise<string[]> => {
    const stdout = {isTTY, columns: isTTY ? WIDTH : undefined} as typeof process.stdout;
    const ids = ['', ...config.commandIDs, ...config.topics.map(({name}) => name), ...Object.keys(PAGES)];
    const found: string[] = [];
    for (const id of new Set(ids)) {
      const text = await helpText(config, id, {stdout, env: {NO_COLOR: '1'}});
      for (const line of text.split('\n')) if (line.length > WIDTH) found.push(`${id}: ${line}`);
    }
    return found;
  };

  it('has no longer line, on any page', async () => {
    assert.deepEqual(await wide(true), []);
  });

  it('has none without a terminal either, except in the tables of the pages, which have a line for each row', async () => {
    assert.deepEqual(
      (await wide(false)).filter((line) => !Object.hasOwn(PAGES, line.split(':')[0] ?? '')),
      [],
    );
  });

  it('lists each topic and command once on the first page', async () => {
    const text = await helpText(config, '', {stdout: {isTTY: false}, env: {NO_COLOR: '1'}});
    const names = [...text.matchAll(/^ {2}([a-z-]+) {2,}/gm)].map(([, name]) => name);
    assert.deepEqual([...new Set(names)], names);
    const ids = config.commands.filter(({hidden}) => hidden !== true).map(({id}) => id.split(':')[0]);
    assert.deepEqual(names.toSorted(), [...new Set(ids)].toSorted());
  });

  it('breaks a long example after a backslash, so that it can be copied', async () => {
    const text = await helpText(config, 'payouts:create', {stdout: {isTTY: false}, env: {NO_COLOR: '1'}});
    const [, example = ''] = /^ {2}\$ (remit payouts create --payee 5f0c[^]*?[^\\])$/m.exec(text) ?? [];
    assert.match(example, / \\\n {4}--/);
    assert.match(
      example.replaceAll(/ \\\n */g, ' '),
      /^remit payouts create --payee \S+ --amount 125\.00 --currency USD$/,
    );
  });
});
