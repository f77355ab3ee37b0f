import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {ERRORS, EXIT, EXIT_MEANINGS, RemitError, type ErrorCode} from '../src/errors.ts';
import {tableRows} from './repo/markdown.ts';
import {readText, sourcesUnder} from './repo/tree.ts';

const codes = Object.keys(ERRORS) as ErrorCode[];

describe('errors', () => {
  it('give every exit code a meaning and every meaning an exit code', () => {
    assert.deepEqual(
      Object.keys(EXIT_MEANINGS)
        .map(Number)
        .sort((a, b) => a - b),
      Object.values(EXIT).sort((a, b) => a - b),
    );
  });

  it('use every exit code but those of a command that reports a result', () => {
    const used = new Set<number>(codes.map((code) => ERRORS[code].exit));
    assert.deepEqual(
      Object.values(EXIT).filter((exit) => !used.has(exit)),
      [EXIT.OK, EXIT.PARTIAL],
    );
  });

  it('are each used in src', () => {
    const texts = sourcesUnder('src').flatMap(({path, text}) => (path === 'src/errors.ts' ? [] : [text]));
    const isUsed = (code: string) => texts.some((text) => new RegExp(`\\b${code}\\b`).test(text));
    assert.deepEqual(
      codes.filter((code) => !isUsed(code)),
      [],
      'delete the code from src/errors.ts and docs/reference/errors.md',
    );
  });

  it('have the same exit codes and meanings in docs/reference/exit-codes.md', () => {
    const documented = tableRows(readText('docs/reference/exit-codes.md')).map(({cells}) => cells);
    const declared = Object.entries(EXIT_MEANINGS).map(([exit, meaning]) => [exit, meaning]);
    assert.deepEqual(
      documented,
      declared,
      'correct the table of docs/reference/exit-codes.md or EXIT_MEANINGS in src/errors.ts',
    );
  });

  it('have the same exit code, retry and meaning in docs/reference/errors.md', () => {
    const byCode = (a: string[], b: string[]) => (a[0]! < b[0]! ? -1 : 1);
    const documented = tableRows(readText('docs/reference/errors.md')).map(({cells}) => cells);
    const declared = codes.map((code) => {
      const {exit, retryable, meaning} = ERRORS[code];
      return [code, String(exit), retryable ? 'yes' : 'no', meaning];
    });
    assert.deepEqual(
      documented.sort(byCode),
      declared.sort(byCode),
      'correct docs/reference/errors.md or ERRORS in src/errors.ts',
    );
  });

  it('have the exit code of their code, unless one is given', () => {
    const plain = new RemitError('IN_DOUBT', 'POST /api/payouts: lost');
    assert.deepEqual(
      [plain.exitCode, plain.retryable, plain.hint, plain.cause],
      [12, false, undefined, undefined],
    );
    const cause = new Error('reset');
    const special = new RemitError('STATE', 'no', {
      exitCode: EXIT.BUG,
      retryable: true,
      hint: 'remit help',
      httpStatus: 500,
      cause,
    });
    assert.deepEqual(
      [special.exitCode, special.retryable, special.hint, special.httpStatus],
      [1, true, 'remit help', 500],
    );
    assert.equal(special.cause, cause);
    assert.ok(special instanceof Error);
  });
});
