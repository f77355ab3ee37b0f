import assert from 'node:assert/strict';
import {type ChildProcess, spawn} from 'node:child_process';
import {once} from 'node:events';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {fileURLToPath} from 'node:url';
import {acquireLock} from '../../../src/store/locks/lock.ts';
import {scratchFolder} from '../scratch-folder.ts';
import {systemProbe} from '../../../src/store/locks/lock-holder.ts';
import {WITH_TYPESCRIPT} from '../../repo/tree.ts';

/** A lock is not broken while its holder is seen to live. */
const ELSEWHERE = {...systemProbe, host: 'another machine'};

const CONTENDER = fileURLToPath(new URL('./lock-contender.ts', import.meta.url));

describe('the lock between processes', () => {
  const folder = scratchFolder();
  const path = () => join(folder(), 'a.lock');
  const children: ChildProcess[] = [];
  afterEach(() => children.splice(0).forEach((child) => child.kill('SIGKILL')));

  const contend = (...args: string[]) => {
    const child = spawn(process.execPath, [...WITH_TYPESCRIPT, CONTENDER, path(), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const lines = createInterface({input: child.stdout})[Symbol.asyncIterator]();
    const line = async () => (await lines.next()).value as string | undefined;
    const ended = once(child, 'exit');
    return {child, line, ended};
  };

  it('belongs to one, is refused to another, and to the next after a SIGKILL', async () => {
    const first = contend('hold');
    assert.equal(await first.line(), 'acquired');
    const second = contend('hold');
    assert.equal(await second.line(), 'refused LOCKED');
    first.child.kill('SIGKILL');
    await first.ended;
    const third = contend('hold');
    assert.equal(await third.line(), 'acquired');
  });

  it('goes to one of several that find a dead holder at the same time', async () => {
    const first = contend('hold');
    assert.equal(await first.line(), 'acquired');
    first.child.kill('SIGKILL');
    await first.ended;
    const rivals = [contend('hold'), contend('hold'), contend('hold'), contend('hold')];
    const answers = await Promise.all(rivals.map(({line}) => line()));
    assert.deepEqual(answers.sort(), ['acquired', 'refused LOCKED', 'refused LOCKED', 'refused LOCKED']);
  });

  it('protects a number that several processes count up', async () => {
    const counter = join(folder(), 'counter');
    writeFileSync(counter, '0');
    const counters = [1, 2, 3].map(() => contend('count', counter, '40'));
    for (const {ended} of counters) assert.deepEqual(await ended, [0, null]);
    assert.equal(readFileSync(counter, 'utf8'), '120');
  });

  it('tells a process from which it was taken, within a heartbeat', async () => {
    const first = contend('lost');
    assert.equal(await first.line(), 'acquired');
    const lock = await acquireLock(path(), {purpose: 'The test', breakLock: true, probe: ELSEWHERE});
    assert.equal(await first.line(), 'lost');
    lock.assertHeld();
    await lock.release();
  });
});
