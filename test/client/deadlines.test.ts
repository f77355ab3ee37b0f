import assert from 'node:assert/strict';
import {setTimeout as sleep} from 'node:timers/promises';
import {Deadlines, type Timed} from '../../src/client/deadlines.ts';

describe('deadlines', () => {
  it('are told once, each by itself, however the others come and go meanwhile', async () => {
    const deadlines = new Deadlines();
    const told: number[] = [];
    const members: Timed[] = Array.from({length: 50}, (_, n) => ({
      dueAt: n % 5 === 0 ? Infinity : 0,
      place: -1,
      onDue: () => {
        told.push(n);
        deadlines.remove(members[n]!);
        if (n === 31) deadlines.remove(members[7]!); // ended by the same event
      },
    }));
    members.forEach((member) => deadlines.add(member));
    deadlines.remove(members[1]!);
    deadlines.remove(members[1]!); // says nothing of whoever has its place now
    await sleep(60);
    const wanted = members.map((_, n) => n).filter((n) => n % 5 !== 0 && n !== 1 && n !== 7);
    assert.deepEqual(
      told.sort((a, b) => a - b),
      wanted,
    );
    members[5]!.dueAt = 0;
    await sleep(60);
    assert.deepEqual(told.slice(wanted.length), [5]);
  });
});
