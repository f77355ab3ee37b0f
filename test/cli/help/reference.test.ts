import assert from 'node:assert/strict';
import {spawnSync} from 'node:child_process';
import {describe, it} from 'mocha';
import {manPageTexts} from '../../../src/cli/help/reference.ts';
import {PAGES} from '../../../src/cli/help/pages.ts';
import {sourceConfig} from '../run-cli.ts';

describe('manual pages', () => {
  const all = async () => manPageTexts(await sourceConfig(), '1.2.3');
  const sections = (text: string): string[] => [...text.matchAll(/^\.SH (.*)$/gm)].map(([, title]) => title!);

  it('show each command on the page of its topic, and every help page on the first', async () => {
    const pages = new Map(await all());
    const found = [...pages.values()].flatMap(sections).filter((title) => title.startsWith('REMIT '));
    const commands = (await sourceConfig()).commands.flatMap(({id, hidden}) =>
      hidden ? [] : [`remit ${id.replaceAll(':', ' ')}`.toUpperCase().replaceAll('-', '\\-')],
    );
    assert.deepEqual(found.sort(), commands.sort());
    const root = sections(pages.get('remit.1') ?? '');
    for (const name of Object.keys(PAGES))
      assert.ok(root.includes(name.toUpperCase().replaceAll('-', '\\-')), name);
    for (const [name, text] of pages) assert.match(text, /^\.TH \S+ 1 "" "remit 1\.2\.3"\n\.SH NAME\n/, name);
  });

  it('hide nothing: a line of help never begins with a command of roff', async () => {
    for (const [name, text] of await all())
      for (const line of text.split('\n'))
        if (/^[.']/.test(line)) assert.match(line, /^\.(TH|SH|BR|nf|fi)( |$)/, name);
  });

  if (spawnSync('groff', ['--version']).error !== undefined)
    it('skipped: groff is not installed', () => undefined);
  else
    it('are valid for groff, and show the flags as they are typed', async () => {
      for (const [name, text] of await all()) {
        const options = ['-man', '-Tutf8', '-ww', '-rHY=0', '-P-cbou'];
        const {stdout, stderr, status} = spawnSync('groff', options, {input: text, encoding: 'utf8'});
        assert.deepEqual(
          [status, stderr.replaceAll(/.*(cannot adjust|can't break) line.*\n/g, '')],
          [0, ''],
          name,
        );
        if (name === 'remit-payouts.1') assert.match(stdout, /--idempotency-key=KEY/);
      }
    });
});
