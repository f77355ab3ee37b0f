import assert from 'node:assert/strict';
import {describe, it} from 'mocha';
import {detachedFlags} from '../../../../src/cli/sandbox/start/detach.ts';
import type {StartFlags} from '../../../../src/cli/sandbox/start/options.ts';
import SandboxStart from '../../../../src/commands/sandbox/start.ts';

describe('the flags of a detached sandbox', () => {
  const flags: StartFlags = {
    ...{port: 4010, fresh: true, store: 'postgres://u:secret@h/d', timing: 'real', service: 'x.json'},
    ...{seed: 'x', balance: '1.00', 'freeze-at': '2026-11-30', clock: 'frozen', 'no-magic-amounts': true},
    ...{'bank-dialect': 'empty', 'private-receivers': true, 'strict-idempotency': true},
    ...{'idempotency-ttl': 1000, 'strict-auto-approve': true, 'async-initiation': 'both'},
    'settle-move-207': true,
  };

  it('are all flags of sandbox start, except --detach', () => {
    const names = Object.keys(SandboxStart.flags).filter((name) => name !== 'detach');
    const passed = detachedFlags(flags).flatMap((word) => (word.startsWith('--') ? [word.slice(2)] : []));
    assert.deepEqual(Object.keys(flags).sort(), names.sort(), 'add the new flag to `flags` above');
    assert.deepEqual(passed.sort(), names, 'pass the new flag in detachedFlags');
  });

  it('do not show the address of a store', () => {
    assert.doesNotMatch(detachedFlags(flags).join(' '), /secret/);
  });
});
