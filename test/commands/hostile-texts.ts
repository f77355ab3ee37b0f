import assert from 'node:assert/strict';
import {parse as parseCsv} from 'csv-parse/sync';
import {parse as parseYaml} from 'yaml';
import {isFormula} from '../../src/spreadsheet.ts';

/** Texts as a service may have them, or as one of its own customers may have typed them. */
export const TEXTS = {
  c0: 'a\u0000b\u0007c\u0008d\u001b[2J\u001b[31me\u007f',
  c1: 'a\u009b31mb\u0085c\u009d0;title\u009c',
  osc: '\u001b]52;c;ZXZpbA==\u0007\u001b]8;;https://evil.example\u001b\\click\u001b]8;;\u001b\\',
  bidi: '\u202e00.521\u202c \u2066a\u2069 \u200fb\u061c',
  'zero width': 'pay\u200bee\u200d\ufeff\u2060 \u{e0041}\ufe0f\u00ad',
  'lone surrogates': 'a\ud800b\udfffc',
  formula: '=HYPERLINK("https://evil.example";"x")',
  'hidden formula': '\u200b\u00a0+1+1',
  html: '<script>alert(1)</script><img src=x onerror=alert(1)>"\'`&',
  lines: 'one\r\ntwo\nHint: run evil\u2028three\u2029\u000b\u000cfour\tfive',
  'very long': `${'x'.repeat(200_000)}\u001b[2J`,
} as const;

/** So much in every field of every command takes minutes. */
export const isVeryLong = (text: string) => text.length > 10_000;
export const some = <T>(all: readonly T[], text: string): readonly T[] =>
  isVeryLong(text) ? all.slice(0, 1) : all;

/** Colours, the progress line and the screen of a wait are ours. */
const OURS = /\u001b\[(?:\d{1,2}(?:;\d{1,2})*m|\d*A|[JK])|\r(?=\u001b\[K)/g;

export const withoutOurs = (text: string): string => text.replace(OURS, '');

/** A header cannot contain every character. */
export const asHeader = (text: string): string =>
  text.slice(-100).replaceAll(/[^\u0020-\u007e\u0080-\u00ff]/g, '?');

export const FORMATS = ['table', 'json', 'ndjson', 'csv', 'yaml'] as const;
export type Format = (typeof FORMATS)[number] | 'id';

/** Asserts that a result parses in its format, and that a spreadsheet runs nothing of it. */
export function checkForm(stdout: string, format: Format, where: string): void {
  if (stdout === '') return;
  switch (format) {
    case 'json':
      assert.doesNotThrow(() => JSON.parse(stdout) as unknown, where);
      return;
    case 'ndjson':
      for (const line of stdout.trimEnd().split('\n'))
        assert.doesNotThrow(() => JSON.parse(line) as unknown, where);
      return;
    case 'yaml':
      assert.doesNotThrow(() => parseYaml(stdout) as unknown, where);
      return;
    case 'csv':
      assert.deepEqual(formulasIn(stdout), [], where);
      return;
    case 'table':
    case 'id':
  }
}

/** Cells of a CSV that a spreadsheet would run, other than numbers. */
export function formulasIn(csv: string): string[] {
  const rows: string[][] = parseCsv(csv);
  return rows.flat().filter((cell) => isFormula(cell) && !/^-?\d/.test(cell));
}
