import assert from 'node:assert/strict';
import {headerValues} from '../../../src/webhooks/verify/header-values.ts';

const values = (headers: Parameters<typeof headerValues>[0]) => headerValues(headers, 'x-a');

describe('header values', () => {
  it('are read from every form in which servers provide headers', () => {
    assert.deepEqual(values(['X-A', '1', 'x-b', '2', 'x-a', '3']), ['1', '3'], 'rawHeaders of Node');
    assert.deepEqual(
      values([
        ['X-A', '1'],
        ['X-B', '2'],
        ['x-A', '3'],
      ]),
      ['1', '3'],
    );
    assert.deepEqual(values({'x-a': '1', 'x-b': '2'}), ['1']);
    assert.deepEqual(values({'X-A': ['1', '3'], 'x-b': undefined}), ['1', '3']);
    assert.deepEqual(
      values(
        new Headers([
          ['X-A', '1'],
          ['x-a', '3'],
        ]),
      ),
      ['1', '3'],
    );
  });

  it('are empty if the header is missing', () => {
    for (const headers of [[], {}, {'x-a': undefined}, new Headers(), ['x-b', 'x-a']])
      assert.deepEqual(values(headers), []);
  });

  it('lose surrounding HTTP white space, and nothing else', () => {
    assert.deepEqual(values({'x-a': ' \t1\t '}), ['1']);
    assert.deepEqual(values({'x-a': '1 ,\t2,'}), ['1', '2', '']);
    assert.deepEqual(values({'x-a': '\u00a01\n'}), ['\u00a01\n']);
  });
});
