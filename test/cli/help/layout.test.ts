import assert from 'node:assert/strict';
import {stripVTControlCharacters} from 'node:util';
import stringWidth from 'string-width';
import {describe, it} from 'mocha';
import {topicTreeOf} from '../../../src/cli/core/main.ts';
import {helpForm} from '../../../src/cli/help/help.ts';
import {block, layOut, placeOf} from '../../../src/cli/help/layout.ts';
import {sourceConfig} from '../run-cli.ts';
import {oclifHelp} from './oclif-layout.ts';

const plain = (form: string, width: number) => layOut(form, {width, styles: false});

/** The words and the empty lines: lines are broken by rules of our own. */
const words = (text: string): string =>
  text
    .replaceAll(/ \\\n {4}/g, ' ')
    .split(/\n{2,}/)
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .join('\n');

describe('the layout of help', function () {
  this.timeout(120_000);

  for (const width of [40, 59, 80, 97, 119, 120])
    it(`has all that oclif prints for every command and topic at ${width} columns`, async () => {
      const config = await sourceConfig();
      const {commands, topics} = topicTreeOf(config.commandIDs);
      for (const id of [...commands, ...topics])
        assert.equal(
          words(plain(await helpForm(config, id, {isShort: false}), width)),
          words(await oclifHelp(config, id, width)),
          id,
        );
    });

  it('counts on characters that are one column wide, and styles only what it shows without them', async () => {
    const config = await sourceConfig();
    for (const id of config.commandIDs) {
      const form = await helpForm(config, id, {isShort: false});
      const text = plain(form, 80);
      assert.equal(stringWidth(text.replaceAll('\n', '')), text.replaceAll('\n', '').length, id);
      const styled = layOut(form, {width: 80, styles: true});
      assert.match(styled, /^\x1b\[1mUSAGE\x1b\[22m$/m);
      assert.equal(stripVTControlCharacters(styled), text);
    }
  });

  it('puts a list below each other where its second column would be too narrow', () => {
    const form = block({rows: [['--flag', 'seven words that do not fit beside it'], ['--other']], less: 4});
    assert.equal(plain(form, 80), '--flag   seven words that do not fit beside it\n--other\n');
    assert.equal(plain(form, 20), '--flag\n    seven words\n    that do not\n    fit beside it\n\n--other\n');
  });

  it('breaks the text of a second column once, although it is a block of its own', () => {
    const text = block({wrap: 'seven words that do not fit beside it, and three more words', less: 4});
    const form = block({rows: [['--flag', text]], less: 4});
    assert.equal(
      plain(form, 54),
      '--flag  seven words that do not fit beside it, and\n        three more words\n',
    );
  });

  it('keeps the column of a flag without a letter, also in the first row', () => {
    const rows: [string, string][] = [
      ['    --all', 'all of them'],
      ['-n, --name', 'its name'],
    ];
    assert.equal(
      plain(`FLAGS\n${block({rows, less: 4})}`, 80),
      'FLAGS\n    --all   all of them\n-n, --name  its name\n',
    );
  });

  it('breaks a word that is longer than a line', () => {
    assert.equal(plain(block({wrap: 'ab abcdefghij k', less: 1}), 5), 'ab\nabcd\nefgh\nij k\n');
  });

  it('is at most 120 columns wide, 80 if the width is not known, and styled where colours are', () => {
    const terminal = {isTTY: true, columns: 100};
    assert.deepEqual(placeOf(terminal, {}), {width: 100, styles: true});
    assert.deepEqual(placeOf({isTTY: true, columns: 300}, {}), {width: 120, styles: true});
    assert.deepEqual(placeOf({isTTY: true, columns: 0}, {}), {width: 80, styles: true});
    assert.deepEqual(placeOf({columns: 100}, {FORCE_COLOR: '1'}), {width: 80, styles: false});
    for (const env of [{NO_COLOR: '1'}, {TERM: 'dumb'}, {FORCE_COLOR: '0'}])
      assert.deepEqual(placeOf(terminal, env), {width: 100, styles: false});
    assert.deepEqual(placeOf(terminal, {CI: '1'}), {width: 100, styles: true});
  });
});
