import assert from 'node:assert/strict';
import {existsSync, readdirSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {type FoundLock, LockFile} from '../../../src/store/locks/lock-file.ts';
import {describeSelf, type Holder, systemProbe} from '../../../src/store/locks/lock-holder.ts';
import {scratchFolder} from '../scratch-folder.ts';

const holder = (name: string): Holder => describeSelf(systemProbe, name, name.repeat(24), 0);
const always = () => true;
const never = () => false;

describe('the lock file, when two contenders are at it', () => {
  const folder = scratchFolder();
  const path = () => join(folder(), 'l');
  const contender = (name: string) => new LockFile(path(), holder(name));
  const holderNow = () => contender('z').read()?.holder?.purpose;
  const leaveStale = (): FoundLock => {
    assert.equal(contender('a').create(), true);
    return contender('z').read()!;
  };

  it('is made by the first only', () => {
    assert.equal(contender('a').create(), true);
    assert.equal(contender('b').create(), false);
    assert.equal(holderNow(), 'a');
  });

  it('is not taken by one who judged a holding that is over', () => {
    const stale = leaveStale();
    assert.equal(contender('b').replace(stale, always), true);
    assert.equal(contender('c').replace(stale, always), false);
    assert.equal(holderNow(), 'b');
  });

  it('is not taken by a second one while the first is at it', () => {
    const stale = leaveStale();
    writeFileSync(`${path()}.${stale.token}`, JSON.stringify(holder('b')));
    assert.equal(contender('c').replace(stale, never), false);
    assert.equal(holderNow(), 'a');
  });

  it('is not taken if it was released and created again in between', () => {
    const stale = leaveStale();
    contender('a').remove(never);
    assert.equal(contender('b').create(), true);
    assert.equal(contender('c').replace(stale, always), false);
    assert.equal(holderNow(), 'b');
  });

  it('is not removed by a holder from whom it was taken', () => {
    const stale = leaveStale();
    contender('b').replace(stale, always);
    contender('a').remove(always);
    assert.equal(holderNow(), 'b');
  });

  it('is left to a living contender that is just taking it from its holder', () => {
    const stale = leaveStale();
    writeFileSync(`${path()}.${stale.token}`, JSON.stringify(holder('b')));
    contender('a').remove(never);
    assert.equal(existsSync(path()), true);
  });

  it('leaves no other file behind', () => {
    const stale = leaveStale();
    contender('b').replace(stale, always);
    contender('c').replace(stale, always);
    contender('b').remove(never);
    assert.deepEqual(readdirSync(folder()), []);
  });
});
