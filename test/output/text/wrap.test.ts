import assert from 'node:assert/strict';
import {stripVTControlCharacters} from 'node:util';
import {wrapHint, wrapLines, wrapValue} from '../../../src/output/text/wrap.ts';
import {RemitError} from '../../../src/errors.ts';
import {text} from '../../../src/output/records/view.ts';
import {makeOutput} from '../make-output.ts';

describe('wrapped text', () => {
  it('wraps between words, and indents the next line', () => {
    assert.equal(wrapLines('  line 7: the amount is empty', 16), '  line 7: the\n    amount is\n    empty');
  });

  it('does not change short lines, and words longer than a line', () => {
    assert.equal(wrapLines('short\n0123456789 ab', 8), 'short\n0123456789\n  ab');
  });

  it('never begins a continued line with one of our labels', () => {
    assert.equal(wrapLines('Error: it said Hint: run evil', 18), 'Error: it said\n  … Hint: run evil');
    assert.equal(
      wrapLines(`Error: ${'x'.repeat(30)}Hint:\u00a0run`, 20),
      `Error:\n  ${'x'.repeat(30)}\n  … Hint:\u00a0run`,
    );
  });

  it('continues a line in two columns in the second one', () => {
    const row = '  REMIT_STATE_DIR  folder of batches and of the sandbox';
    assert.equal(
      wrapLines(row, 40),
      '  REMIT_STATE_DIR  folder of batches and\n                   of the sandbox',
    );
  });

  it('leaves no word alone in the last line', () => {
    assert.equal(wrapLines('it is shown at a terminal too', 26, ''), 'it is shown at a\nterminal too');
    assert.equal(wrapLines('Error: it said that Hint: x', 26), 'Error: it said that Hint:\n  x');
  });

  it('keeps a command to type on one line if it fits, wherever it is', () => {
    assert.equal(
      wrapLines('it runs: see it with remit sandbox status, or end it', 40),
      'it runs: see it with\n  remit sandbox status, or end it',
    );
  });

  it('gives a command that is longer than a line its own lines', () => {
    const id = '0192a000-0000-7000-8000-000000000001';
    assert.equal(
      wrapLines(
        `when it is verified: remit payment-methods set-default ${id} --payee ${id}; then try again`,
        60,
      ),
      `when it is verified:\n  remit payment-methods set-default \\\n    ${id} \\\n    --payee ${id}\n  then try again`,
    );
  });

  it('breaks values of a service as plain words', () => {
    assert.equal(wrapValue('remit payouts list --all', 20), 'remit payouts list\n--all');
  });

  it('keeps the spaces of a table', () => {
    assert.equal(wrapLines('  planned      2  10.00 USD', 80), '  planned      2  10.00 USD');
  });
});

describe('a hint', () => {
  it('that is a command continues behind a backslash, between words, never within quotes', () => {
    const hint = "remit payouts batch run b-1 --break-lock --metadata 'note=two words here'";
    const wrapped = wrapHint(hint, 30);
    assert.equal(
      wrapped,
      "Hint: remit payouts batch \\\n  run b-1 --break-lock \\\n  --metadata \\\n  'note=two words here'",
    );
    assert.equal(wrapped.replace('Hint: ', '').replaceAll(/ \\\n */g, ' '), hint);
  });

  it('that sets variables continues behind a backslash as well', () => {
    const hint = 'REMIT_BASE_URL=http://127.0.0.1:4510 REMIT_API_KEY=test_x remit payees list';
    const wrapped = wrapHint(hint, 50);
    assert.ok(
      wrapped
        .split('\n')
        .slice(0, -1)
        .every((line) => line.endsWith(' \\')),
      wrapped,
    );
    assert.equal(wrapped.replace('Hint: ', '').replaceAll(/ \\\n */g, ' '), hint);
  });

  it('that is a command and prose continues only the command behind a backslash', () => {
    assert.equal(
      wrapHint('remit payouts approve 0192a000-0000-7000-8000-000000000001; then remit payouts list', 50),
      'Hint: remit payouts approve \\\n  0192a000-0000-7000-8000-000000000001\n  then remit payouts list',
    );
  });

  it('that is prose is broken between words', () => {
    assert.equal(wrapHint('write it like --fields id', 20), 'Hint: write it like\n  --fields id');
  });
});

describe('a terminal of 40 columns', () => {
  const words = Array.from({length: 12}, (_, index) => `--option-${index}`).join(' ');

  it('cuts no word of an error, its hint, a hint or a table', async () => {
    const {out, stdout, stderr} = makeOutput({}, {columns: 40});
    out.failure(new RemitError('USAGE', words, {hint: `remit ${words}`}));
    out.hint(`remit ${words}`);
    await out.list([{where: 'amount', effect: words}], {
      noun: 'value',
      plural: 'values',
      card: [],
      columns: [text('Where', 'where'), text('Effect', 'effect')],
    });
    const plain = (screen: {text: string}) => stripVTControlCharacters(screen.text);
    for (const line of `${plain(stderr)}\n${plain(stdout)}`.split('\n')) assert.ok(line.length <= 40, line);
    for (const word of words.split(' ')) {
      const times = (text: string) => text.match(new RegExp(`(?<= )${word}(?!\\d)`, 'g'))?.length;
      assert.deepEqual([times(plain(stderr)), times(plain(stdout))], [3, 1], word);
    }
  });
});
