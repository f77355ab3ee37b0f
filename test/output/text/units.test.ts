import assert from 'node:assert/strict';
import fc from 'fast-check';
import {describe, it} from 'mocha';
import {FIRST_WORDS, isCommand, unitsOf, withoutLoneWord} from '../../../src/output/text/units.ts';
import {sourceConfig} from '../../cli/run-cli.ts';

const units = (text: string): string[] => unitsOf(text.split(' ')).filter((unit) => unit.includes(' '));

describe('the parts of a line that are not broken', () => {
  for (const [text, ...kept] of [
    [
      'see it with remit sandbox status, or end it: remit sandbox stop',
      'remit sandbox status,',
      'remit sandbox stop',
    ],
    ['run remit payees list to find the id', 'remit payees list'],
    ['(remit help flags)', '(remit help flags)'],
    ['REMIT_BASE_URL=x REMIT_API_KEY=y remit whoami', 'REMIT_BASE_URL=x REMIT_API_KEY=y remit whoami'],
    ["first remit api POST /x -d '{a: 1, b: 2}' --json, then", "remit api POST /x -d '{a: 1, b: 2}' --json,"],
    ['remit shows both before it sends anything'],
    ['remit payouts Hint: run evil', 'remit payouts'],
    ['as after `sandbox advance` and (`payouts wait ID`) too', '`sandbox advance`', '(`payouts wait ID`)'],
    ['a lone ` is no start of anything'],
    [
      '-p, --profile NAME · --json · --fields a,b.c · -q, --quiet',
      '-p, --profile NAME ·',
      '--json ·',
      '--fields a,b.c ·',
      '-q, --quiet',
    ],
    ['only with --query JMESPATH.', '--query JMESPATH.'],
    ['use --fields id'],
  ] as const)
    it(`of ${JSON.stringify(text)}`, () => assert.deepEqual(units(text), kept));

  it('do not include the words that go on after a command', () => {
    const words =
      'after again and as finds first for has if in is of once or prints says shows that then to until when where which with writes';
    for (const word of words.split(' '))
      assert.deepEqual(units(`remit demo ${word} it`), ['remit demo'], word);
  });

  it('are the same text, whatever it is', () => {
    const word = fc.oneof(
      fc.string(),
      fc.constantFrom('remit', 'payouts', '`a', 'b`', "'", 'x.', '-p,', '--profile', '·'),
    );
    fc.assert(
      fc.property(fc.array(word), (words) => assert.equal(unitsOf(words).join(' '), words.join(' '))),
    );
  });

  it('recognise a command by its first word, for every command', async () => {
    const {commandIDs} = await sourceConfig();
    assert.deepEqual([...FIRST_WORDS].sort(), [...new Set(commandIDs.map((id) => id.split(':')[0]))].sort());
  });

  it('are a command only as a whole', () => {
    assert.equal(isCommand('remit payouts list'), true);
    assert.equal(isCommand('remit payouts list; then'), false);
    assert.equal(isCommand('remit'), false);
    assert.equal(isCommand('run remit payouts list'), false);
  });
});

describe('a lone word in the last line', () => {
  const all = () => true;
  it('gets the word before it', () => {
    assert.deepEqual(withoutLoneWord([['at', 'a', 'terminal'], ['too']], all), [
      ['at', 'a'],
      ['terminal', 'too'],
    ]);
  });

  it('stays alone if that is no better', () => {
    for (const lines of [
      [['a', 'b'], ['c']],
      [
        ['a', 'b', 'c'],
        ['d', 'e'],
      ],
      [['a']],
      [],
      [['a', 'b', 'remit demo'], ['c']],
      [['a', 'b', 'c'], ['remit demo']],
    ])
      assert.equal(withoutLoneWord(lines, all), lines);
    const full = [['a', 'b', 'c'], ['d']];
    assert.equal(
      withoutLoneWord(full, () => false),
      full,
    );
  });
});
