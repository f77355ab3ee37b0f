import assert from 'node:assert/strict';
import {forwardText} from '../../../../src/cli/webhooks/listen/view.ts';
import {plainPaint} from '../../../../src/output/text/colour.ts';
import {forward} from '../../../webhooks/record/deliveries.ts';

describe('the line of a forward', () => {
  const result = forward(1, {
    ...{target: 'http://localhost:3777/hooks/of/a/long/path', status: null, error: 'connection refused'},
    ...{latencyMs: 10.4, attempt: 5, gaveUp: true},
  });

  it('fits the terminal, and only the target is cut', () => {
    for (const columns of [80, 90, 120]) {
      const text = forwardText(result, {paint: plainPaint, columns, isTerminal: true});
      assert.ok(text.length <= columns, `${columns}: ${text}`);
      assert.match(
        text,
        /^ {10}-> http:\/\/localhost.* {2}connection refused {2}10\.4 ms {2}attempt 5 {2}gave up$/,
      );
    }
  });

  it('is complete in a pipe', () => {
    const text = forwardText(result, {paint: plainPaint, columns: 80, isTerminal: false});
    assert.ok(text.startsWith(`          -> ${result.target}  connection refused`), text);
  });
});
