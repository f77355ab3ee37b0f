import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {amountOfFlags} from '../../../src/cli/input/amounts.ts';
import {parseDuration} from '../../../src/cli/input/durations.ts';
import {readMetadata} from '../../../src/cli/input/metadata.ts';
import {nearest} from '../../../src/nearest.ts';
import {guessSettings, outputSettings} from '../../../src/cli/runtime/settings.ts';
import {EXIT, type RemitError} from '../../../src/errors.ts';
import {runCli} from '../run-cli.ts';

const exitOf = (work: () => unknown): number => {
  try {
    work();
  } catch (error) {
    return (error as RemitError).exitCode;
  }
  return EXIT.OK;
};

describe('an amount', () => {
  for (const [flags, minor] of [
    [{amount: '125.00', currency: 'USD'}, 12_500n],
    [{amount: '125', currency: 'USD'}, 12_500n],
    [{amount: '125', currency: 'JPY'}, 125n],
    [{amount: '0.005', currency: 'KWD'}, 5n],
    [{'amount-minor': '12500'}, 12_500n],
    [{'amount-minor': '12500', currency: 'USD'}, 12_500n],
  ] as const) {
    it(`${JSON.stringify(flags)} is ${minor} minor units`, () => {
      assert.deepEqual(amountOfFlags(flags), {
        minor,
        wire: Number(minor),
        currency: 'currency' in flags ? flags.currency : undefined,
      });
    });
  }

  for (const [flags, exit] of [
    [{}, EXIT.USAGE],
    [{amount: '125.00'}, EXIT.USAGE],
    [{amount: '125.005', currency: 'USD'}, EXIT.INVALID],
    [{amount: '1,250.00', currency: 'USD'}, EXIT.INVALID],
    [{amount: '-1', currency: 'USD'}, EXIT.INVALID],
    [{amount: '0', currency: 'USD'}, EXIT.INVALID],
    [{amount: '1e3', currency: 'USD'}, EXIT.INVALID],
    [{amount: '', currency: 'USD'}, EXIT.INVALID],
    [{amount: '1', currency: 'usd'}, EXIT.INVALID],
    [{amount: '1', currency: 'ZZZ'}, EXIT.INVALID],
    [{'amount-minor': '125.00'}, EXIT.INVALID],
    [{'amount-minor': '0x10'}, EXIT.INVALID],
    [{'amount-minor': '9007199254740993'}, EXIT.INVALID],
    [{'amount-minor': '99999999999999999999'}, EXIT.INVALID],
  ] as const) {
    it(`${JSON.stringify(flags)} is refused with exit ${exit}`, () =>
      assert.equal(
        exitOf(() => amountOfFlags(flags)),
        exit,
      ));
  }

  it('that is refused gets a hint about the format, not a command that pays another party', () => {
    for (const flags of [{}, {amount: '1'}, {amount: '5.001', currency: 'USD'}])
      assert.throws(
        () => amountOfFlags(flags),
        ({hint}: RemitError) => /^write it like --amount [\d.]+ --currency USD/.test(hint ?? ''),
      );
  });

  it('that is too large is told by its length: its digits are not an account number to be masked', () =>
    assert.throws(
      () => amountOfFlags({amount: '99999999999999999', currency: 'USD'}),
      /^RemitError: an amount of 17 digits is too large: the maximum is 9007199254740991 minor units$/,
    ));
});

describe('a time', () => {
  for (const [text, ms] of [
    ['30s', 30_000],
    ['500ms', 500],
    ['2m', 120_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['90', 90_000],
  ] as const)
    it(`${text} is ${ms} ms`, () => assert.equal(parseDuration(text, '--timeout'), ms));
  for (const text of ['', '-1s', '1.5s', '1w', '1.5d', 's', '1e3'])
    it(`"${text}" is refused`, () =>
      assert.equal(
        exitOf(() => parseDuration(text, '--timeout')),
        EXIT.USAGE,
      ));
});

describe('metadata', () => {
  it('is cut at the first equals sign', () => {
    assert.deepEqual(readMetadata(['a=1', 'b=x=y', 'c=']), {a: '1', b: 'x=y', c: ''});
    assert.equal(readMetadata([]), undefined);
  });
  it('keeps a key that JavaScript knows otherwise', () => {
    assert.equal(JSON.stringify(readMetadata(['__proto__=x'])), '{"__proto__":"x"}');
  });
  for (const pairs of [['a'], ['=x'], ['a=1', 'a=2']])
    it(`${pairs.join(' ')} is refused`, () =>
      assert.equal(
        exitOf(() => readMetadata(pairs)),
        EXIT.USAGE,
      ));
});

describe('a suggestion', () => {
  it('is the nearest, when one is near', () => {
    assert.equal(nearest('payuots:list', ['payouts:list', 'payins:list']), 'payouts:list');
    assert.equal(nearest('xyzzy', ['payouts:list', 'whoami']), undefined);
  });
});

describe('output settings', () => {
  const project = {path: '/p/.remit.json', output: 'yaml', fields: 'id', color: false};
  it('come from the flag, then the project file', () => {
    assert.equal(outputSettings({}, undefined).format, 'table');
    assert.equal(outputSettings({}, project).format, 'yaml');
    assert.equal(outputSettings({output: 'csv'}, project).format, 'csv');
    assert.equal(outputSettings({json: true}, project).format, 'json');
    assert.deepEqual(outputSettings({}, project).fields, ['id']);
    assert.equal(outputSettings({}, project).colour, 'never');
  });
  it('name the file with a wrong format', () => {
    assert.throws(
      () => outputSettings({}, {path: '/p/.remit.json', output: 'xml'}),
      /"xml" in \/p\/\.remit\.json/,
    );
  });
  for (const [argv, format] of [
    [['payouts', 'list', '--json'], 'json'],
    [['-o', 'ndjson'], 'ndjson'],
    [['-ojson'], 'json'],
    [['--output=json'], 'json'],
    [['--output', 'nonsense'], 'table'],
    [['--', '--json'], 'table'],
  ] as const)
    it(`are guessed from ${argv.join(' ')} as ${format}`, () =>
      assert.equal(guessSettings(argv, undefined).format, format));
});

describe('help pages', () => {
  it('name every exit code, also that of a signature that does not verify', async () => {
    const codes = (await runCli(['help', 'exit-codes'])).stdout;
    assert.match(codes, /^ +13 {2}/m);
    assert.match(codes, /^ +14 {2}/m);
  });
});
