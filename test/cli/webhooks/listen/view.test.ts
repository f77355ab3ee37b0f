import assert from 'node:assert/strict';
import {deliveryText, forwardText, idLines} from '../../../../src/cli/webhooks/listen/view.ts';
import {plainPaint} from '../../../../src/output/text/colour.ts';
import {delivery, forward} from '../../../webhooks/record/deliveries.ts';

describe('the lines of a rejected delivery', () => {
  it('have its whole id, in a line of its own if there is no room for it', () => {
    const rejected = {...delivery(1), verdict: 'rejected' as const, reason: 'timestamp_format' as const};
    for (const [columns, below] of [
      [80, 1],
      [160, 0],
    ] as const) {
      const screen = {paint: plainPaint, columns, isTerminal: true};
      const lines = [deliveryText(rejected, screen).text, ...idLines(rejected, screen)];
      assert.equal(lines.length, 1 + below);
      assert.ok(lines.join('\n').endsWith(rejected.id), lines.join('\n'));
      assert.match(lines[0]!, /rejected {4}timestamp_format/);
    }
  });
});

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
        /^ {11}-> http:\/\/localhost.* {2}connection refused {2}10\.4 ms {2}attempt 5 {2}gave up$/,
      );
    }
  });

  it('is complete in a pipe', () => {
    const text = forwardText(result, {paint: plainPaint, columns: 80, isTerminal: false});
    assert.ok(text.startsWith(`           -> ${result.target}  connection refused`), text);
  });
});
