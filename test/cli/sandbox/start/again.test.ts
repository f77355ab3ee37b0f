import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {hintFreePort} from '../../../../src/cli/sandbox/start/again.ts';
import {RemitError} from '../../../../src/errors.ts';

describe('the hint after a port that is taken', () => {
  const hint = (argv: readonly string[], store?: string): unknown => {
    const error = new RemitError('PORT_IN_USE', 'the port is taken', {hint: 'remit sandbox start --port 0'});
    const hinted = hintFreePort(error, {id: 'sandbox:start', argv}, store);
    return hinted instanceof RemitError ? hinted.hint : undefined;
  };

  it('repeats what was typed, with a free port', () => {
    assert.equal(hint(['--detach', '--port=80', '--fresh']), 'remit sandbox start --detach --fresh --port 0');
    const plain = 'postgres://localhost/sandbox';
    assert.equal(
      hint(['--store', plain, '--detach'], plain),
      `remit sandbox start --store ${plain} --detach --port 0`,
    );
  });

  it('does not repeat the password of a store', () => {
    const store = 'postgres://user:pass@localhost/sandbox';
    assert.equal(
      hint(['--store', store, '--detach'], store),
      'remit sandbox start --detach --port 0 --store -',
    );
  });

  it('leaves other errors as they are', () => {
    const error = new RemitError('LOCKED', 'locked', {hint: 'remit sandbox stop'});
    assert.equal(hintFreePort(error, {id: 'sandbox:start', argv: []}, undefined), error);
  });
});
