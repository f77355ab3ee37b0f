import assert from 'node:assert/strict';
import {openBatch} from '../../../src/batch/journal/open-batch.ts';
import {openToRead} from '../../../src/batch/overview/private-copy.ts';
import type {RemitError} from '../../../src/errors.ts';
import {bareCommands} from '../bare-commands.ts';
import {Bench} from '../harness.ts';

describe('a batch that another process has', () => {
  let bench: Bench;
  beforeEach(async () => {
    bench = new Bench();
    await bench.plan(bench.payouts(1));
  });
  afterEach(() => bench.remove());

  for (const [open, name] of [
    [openBatch, 'a change'],
    [openToRead, 'a look'],
  ] as const)
    for (const [breakLock, offers] of [
      [undefined, false],
      [false, true],
    ] as const)
      it(`is refused to ${name}, with the command that watches it${offers ? ', and the flag that the command has' : ''}`, async () => {
        const {stateDir, clock} = bench;
        const options = {
          stateDir,
          kind: 'payout',
          batchId: 'b1',
          purpose: 'test',
          clock,
          atOnce: true,
        } as const;
        const first = await openBatch(options);
        try {
          await assert.rejects(
            open({...options, ...(breakLock === undefined ? {} : {breakLock})}),
            (error: RemitError) => {
              assert.equal(error.code, 'LOCKED');
              const hint = error.hintWith(bareCommands()) ?? '';
              assert.match(hint, /payouts batch status b1/);
              assert.equal(/--break-lock only if that process is known to be dead/.test(hint), offers);
              return true;
            },
          );
        } finally {
          await first.close();
        }
      });
});
